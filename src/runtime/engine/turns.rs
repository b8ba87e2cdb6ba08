//! Starts of calls and ends of turns: drafts shared by `react`, `advance` and `execute`.

use super::money::{self, NoRoom};
use super::words::{checked_quotes, cut_short, is_empty, is_free, mentions, own_words, parted};
use super::{profile, tools};
use crate::expr::Facts;
use crate::model::agent::{self, AgentPlan, AgentTool, PermissionAsked};
use crate::model::payload::{
    CallParameters, CallRetried, CallStarted, ModelAdapted, TurnEnded, Warning,
};
use crate::model::*;
use crate::reply::{self, Parted, ReadReply, RepairedReply, Unclear, WantedReply};
use crate::state::{Live, Seat, State, Task, Turn};
use crate::voice::{CallFailure, Did, Done, rehearsed};
use crate::{prompt, text};
use serde_json::Value;

/// Maximum number of calls for the result.
const SCRIBE_TRIES: u32 = 2;

/// Milliseconds before the second call of a turn; doubled for each further call.
const RETRY_WAIT_MS: u64 = 500;
/// Divisor of a wait for its maximum jitter, so that seats that failed together do not retry together.
const JITTER: u64 = 4;
/// Reason for rejecting an echo.
const ECHO: &str = "the reply said only what was said already";
/// Maximum length of a reason for rejecting a reply, in bytes.
const WRONG_MAX: usize = 500;
/// Reason for rejecting a reply that begins with another participant's name.
const IN_ANOTHERS_NAME: &str =
    "it begins with another participant's name; say your own words, without a name in front";

/// Starts the next call of a turn, or ends the turn if the budget leaves no room for the call.
pub(super) fn start(state: &State, turn: &Turn) -> Draft {
    let account = prompt::account(state, turn);
    let seat = state.seat(&turn.seat).map(|s| &s.spec);
    let parameters = match seat.map(|s| &s.voice) {
        Some(VoiceSpec::Lines { lines, .. }) => {
            let cut = state.line_cut(&turn.seat).map(|(line, _)| line);
            let spoken = state.seat(&turn.seat).map_or(&[][..], |s| &s.lines);
            let spoken: Vec<usize> = spoken.iter().copied().filter(|l| Some(*l) != cut).collect();
            let facts = || Facts::new(prompt::turn_facts(state, turn, &|_| true));
            // a turn that is said again says its own line
            let own = state.line_again(turn).map(rehearsed::ChosenLines::from_line);
            let next = || rehearsed::choose(lines, turn.purpose, &spoken, facts);
            let rehearsed::ChosenLines { lead, line } = own.unwrap_or_else(next);
            CallParameters { lead, line, ..CallParameters::default() }
        }
        Some(VoiceSpec::Model(_)) => {
            let max_tokens = match money::reply(state, turn, account.most_tokens) {
                Ok(max_tokens) => max_tokens,
                Err(no_room) => return cannot_pay(state, turn, no_room),
            };
            let bounded = money::is_bounded(state, turn);
            CallParameters {
                prompt_tokens: account.tokens,
                max_tokens,
                prompt_most: bounded.then_some(account.most_tokens),
                prompt_margin: bounded.then(|| state.margin_of(&turn.seat)),
                ..CallParameters::default()
            }
        }
        _ => CallParameters::default(),
    };
    let started = CallStarted {
        turn: turn.id,
        model: seat.map_or("".into(), |s| s.voice.label().into()),
        parameters,
        digest: account.digest,
        wording: prompt::WORDING,
        left_out: account.left_out,
        labels: state.labels(turn),
    };
    draft(turn.thread, event::ENGINE, started.into())
}

/// Returns warnings before a turn's call starts: conditions and templates of its rehearsed lines that fail now.
pub(super) fn line_faults(state: &State, turn: &Turn) -> Vec<String> {
    let Some(seat) = state.seat(&turn.seat) else { return vec![] };
    let VoiceSpec::Lines { lines, .. } = &seat.spec.voice else { return vec![] };
    let facts = || Facts::new(prompt::turn_facts(state, turn, &|_| true));
    let faults = rehearsed::faults(lines, turn.purpose, &seat.lines, facts);
    faults.into_iter().map(|fault| format!("`{}`: {fault}", seat.spec.id)).collect()
}

/// Ends a turn whose call would exceed the budget.
fn cannot_pay(state: &State, turn: &Turn, no_room: NoRoom) -> Draft {
    let text = match no_room {
        NoRoom::Limit(at) => {
            format!("the limit of {} leaves no room for this call", at.what.words(at.limit)).into()
        }
        NoRoom::Seat(why) => why,
    };
    let error = CallError::new(ErrorClass::Budget, text);
    let (usage, cost) = money::of_turn(turn, None);
    by_seat(
        turn,
        TurnEnded { error: Some(error), usage, cost, ..turn.ended(state.ms, Outcome::Passed) },
    )
}

/// Ends a turn whose prompt cannot be written.
pub(super) fn cannot_ask(state: &State, turn: &Turn, why: Text) -> Draft {
    let error = CallError::new(ErrorClass::Form, why);
    by_seat(turn, TurnEnded { error: Some(error), ..turn.ended(state.ms, Outcome::Failed) })
}

fn by_seat(turn: &Turn, end: TurnEnded) -> Draft {
    draft(turn.thread, &turn.seat, Box::new(end).into())
}

/// Returns `tool.asked` for a call that ended with requests for tools.
pub(super) fn asks_tools(live: &Live, turn: &Turn, done: &Done) -> Option<Draft> {
    let guess = || money::guess(turn, live.said(turn.id).len() + live.thought(turn.id).len());
    tools::asked(&live.state, turn, done, done.usage.clone().or_else(guess))
}

/// Retries once a reply that is in another participant's name from its first word.
pub(super) fn asked_again(live: &Live, turn: &Turn, done: &Done) -> Option<Draft> {
    let call = turn.call?;
    if turn.corrections > 0 || gives_up(&live.state) {
        return None;
    }
    let said = done.text.as_ref().map_or_else(|| live.said(turn.id), ToString::to_string);
    let words = own_words(&live.state, turn, &said, "");
    if !words.impersonates || !words.text.trim().is_empty() {
        return None;
    }
    let guess = money::guess(turn, live.said(turn.id).len() + live.thought(turn.id).len());
    let retried = CallRetried {
        turn: turn.id,
        call,
        error: CallError::new(ErrorClass::Form, IN_ANOTHERS_NAME),
        wait_ms: 0,
        ask: None,
        model: None,
        usage: done.usage.clone().or(guess),
    };
    Some(draft(turn.thread, event::ENGINE, retried.into()))
}

/// Ends a turn with a reply, including its mentions, whispers and other consequences.
fn with_words(state: &State, turn: &Turn, words: RepairedReply, end: TurnEnded) -> Draft {
    let words = match &turn.part {
        Some(part) if !words.text.trim().is_empty() => {
            RepairedReply { text: text::joined(part, &words.text), ..words }
        }
        Some(_) | None => words,
    };
    let Parted { text, whispers, unknown } = parted(state, turn, &words.text);
    let lost = (!unknown.is_empty()).then(|| words.text.as_str().into());
    let end = TurnEnded {
        mentions: mentions(state, &text, turn),
        text: text.into(),
        whispers,
        raw: words.raw.or(lost),
        think: words.think,
        closing_line: words.line,
        finish: match (words.impersonates, words.repeats) {
            (true, _) => Some(IMPERSONATION.into()),
            (false, true) => Some(REPETITION.into()),
            (false, false) => end.finish,
        },
        ..end
    };
    by_seat(turn, end)
}

/// Ends a turn whose reply has the right form; otherwise its voice is called once more, or the turn fails. `None` if
/// the reply is empty, not counting text in the names of others.
pub(super) fn said(live: &Live, turn: &Turn, now: Ms, done: &Done) -> Option<Draft> {
    let state = &live.state;
    let said = done.text.as_ref().map_or_else(|| live.said(turn.id), ToString::to_string);
    let thought = live.thought(turn.id);
    let guess = money::guess(turn, said.len() + thought.len());
    let used = done.usage.clone().or(guess);
    let (usage, cost) = match done.cost {
        Some(cost) => money::paid(turn, used.as_ref(), cost),
        None => money::of_turn(turn, used.as_ref()),
    };
    let mut words = own_words(state, turn, &said, &thought);
    words.line = done.closing_line.clone().or(words.line);
    if done.structured.is_null() && words.text.trim().is_empty() {
        return None;
    }
    let end = |outcome| TurnEnded {
        finish: done.finish.clone(),
        skipped: done.skipped,
        agent: done.agent.clone(),
        model: done.model.clone(),
        usage: usage.clone(),
        cost,
        ..turn.ended(now, outcome)
    };
    let again = |class, text: &str| {
        let error = CallError::new(class, text);
        let retried = CallRetried {
            turn: turn.id,
            call: turn.call?,
            error,
            wait_ms: 0,
            ask: None,
            model: None,
            usage: used.clone(),
        };
        Some(draft(turn.thread, event::ENGINE, retried.into()))
    };
    if is_free(state, turn)
        && is_echo(state, turn, &words.text)
        && let Some(again) = again(ErrorClass::Echo, ECHO)
    {
        return Some(again);
    }
    Some(match formed(state, turn, &words.text, &done.structured) {
        Ok(form) => {
            if let Some(text) = spoken_field(state, turn, &form)
                && is_echo(state, turn, text)
                && let Some(again) = again(ErrorClass::Echo, ECHO)
            {
                return Some(again);
            }
            let vain = || profile::named_in_vain(state, turn, &form);
            let vain = if turn.corrections == 0 { vain() } else { None };
            if let Some(again) = vain.and_then(|why| again(ErrorClass::Form, &why)) {
                return Some(again);
            }
            with_form(state, turn, words, form, end)
        }
        Err(why) => {
            // a reply cut in its middle is never valid, and the same call would be cut again
            let cut = done.finish.as_deref() == Some(LENGTH) && !is_free(state, turn);
            let is_spent = cut && state.may_widen(turn);
            let class = if is_spent { ErrorClass::Length } else { ErrorClass::Form };
            let why = if cut { at_the_limit(turn).into() } else { why };
            let field = why.field.map(Text::from);
            let error = CallError { class, text: why.why.into(), field };
            let ask = why.ask.map(Text::from);
            let most = state.contract_of(turn).again;
            let again = turn.corrections < most || is_spent;
            let next = if again { Some(None) } else { fallback(state, turn).map(Some) };
            if let (Some(call), Some(model)) = (turn.call, next) {
                let (turn, wait_ms, usage, thread) = (turn.id, 0, used, turn.thread);
                let retried = CallRetried { turn, call, error, wait_ms, ask, model, usage };
                return Some(draft(thread, event::ENGINE, retried.into()));
            }
            if ask.is_some()
                && let Some(form) = remark(state, turn)
            {
                return Some(with_form(state, turn, words, form, end));
            }
            let raw = Some(words.text.into());
            by_seat(turn, TurnEnded { error: Some(error), raw, ..end(Outcome::Failed) })
        }
    })
}

/// Returns the reason for rejecting structured data that reached the token limit.
fn at_the_limit(turn: &Turn) -> String {
    let limit = turn.parameters.max_tokens;
    let limit = limit.map_or(String::new(), |n| format!(" ({n})"));
    format!("cut at max_tokens{limit}, before its JSON ended; raise max_tokens")
}

/// Returns whether a model said only what it had just read, for the first time in its turn.
fn is_echo(state: &State, turn: &Turn, words: &str) -> bool {
    let seat = state.seat(&turn.seat).map(|s| &s.spec);
    let off = state.scenario.guards == Guards::Off;
    let may = seat.is_some_and(|s| s.voice.is_model() && turn.tries < s.on_failure.tries);
    if off || !may || !turn.speaks() || turn.echoed || gives_up(state) {
        return false;
    }
    let read = prompt::read_last(state, turn);
    text::echoes(words, read.iter().map(|text| state.rolls.trigrams(text)))
}

/// Returns the reading of a reply that stayed unclear; `None` if its turn fails instead. Under `consensus` it is a remark,
/// and the seat's earlier answer and vote still count; a winner's own answer stands as it was. An executor's message is part of
/// its result, and an unclear rank vote is an abstention.
fn remark(state: &State, turn: &Turn) -> Option<ReadReply> {
    if let Form::Message { planner: false, .. } = state.contract_of(turn).form {
        let kind = MessageKind::PartialResult;
        let structured = serde_json::json!({"type": kind});
        let message = Some(kind.as_str().into());
        return Some(ReadReply { structured, message, by: ReadBy::Part, ..ReadReply::default() });
    }
    if let Form::Ranking { .. } = state.contract_of(turn).form {
        let structured = serde_json::json!({"ranking": null});
        return Some(ReadReply { structured, by: ReadBy::Part, ..ReadReply::default() });
    }
    let thread = state.finds_answer(turn)?;
    if presents(state, turn).is_some() {
        let known = state.coordination(thread, state.next_seq);
        let (_, won) = known.answers.iter().find(|(seat, _)| **seat == turn.seat)?;
        let text = Some(won.text().to_string());
        return Some(ReadReply { text, by: ReadBy::Part, ..ReadReply::default() });
    }
    let is_vote = matches!(state.contract_of(turn).form, Form::Proposal { .. });
    is_vote.then(|| ReadReply { message: Some(REMARK.into()), ..ReadReply::default() })
}

/// Returns the number of answers in a search, if a turn presents the one that won.
fn presents(state: &State, turn: &Turn) -> Option<usize> {
    let batch = state.threads.get(&turn.thread)?.batch.as_ref()?;
    if batch.memo.step != Some(Task::Present) {
        return None;
    }
    Some(state.finds_answer(turn)?.seats.len())
}

/// Parses a reply in the form that its turn requires.
fn formed(state: &State, turn: &Turn, words: &str, data: &Value) -> Result<ReadReply, Unclear> {
    let shortened = |mut fault: Unclear| {
        fault.why.truncate(fault.why.floor_char_boundary(WRONG_MAX));
        fault
    };
    let hearers = state.may_whisper_to(turn);
    // once all hearers have left there is no name to correct it to
    if let Some(unknown) = parted(state, turn, words).unknown.first()
        && !hearers.is_empty()
    {
        let labels = state.labels(turn);
        let name = |s: &&Seat| labels.get(&s.spec.id).unwrap_or(&s.spec.name).to_string();
        let names: Vec<String> = hearers.iter().map(name).collect();
        let names = names.join(", ");
        let why = format!("cannot whisper to {unknown:?}; possible names: {names}");
        return Err(why.into());
    }
    let also = state.names_of_seats();
    let contract = state.contract_of(turn);
    let thread = state.finds_answer(turn);
    let known = thread.map(|thread| state.coordination(thread, state.next_seq));
    let before = known.as_ref().and_then(|known| {
        let (_, entry) = known.answers.iter().find(|(seat, _)| **seat == turn.seat)?;
        Some(&**entry.text())
    });
    let facts = match &contract.form {
        Form::Schema(schema) => contract.facts_field(schema),
        _ => None,
    };
    let voice = state.seat(&turn.seat).map(|s| &s.spec.voice);
    let wanted = WantedReply {
        form: &contract.form,
        also: &also,
        seat: Some(&turn.seat),
        before,
        person: matches!(voice, Some(VoiceSpec::Human { .. })),
        kept: contract.keep.then_some((&state.scenario.profile, facts)),
        rejected: turn.rejected.as_ref().map(|r| &*r.said),
        says: contract.says.as_ref(),
        presents: presents(state, turn),
    };
    let formed = reply::read(&wanted, words, data).map_err(shortened)?;
    is_news(state, turn, formed).map_err(shortened)
}

/// Rejects an answer that repeats a known one, if the policy asks for new answers.
fn is_news(state: &State, turn: &Turn, formed: ReadReply) -> Result<ReadReply, Unclear> {
    let thread = state.finds_answer(turn).filter(|t| t.spec.options["novelty_by"] != "judge");
    let most = thread.and_then(|t| t.spec.options["novelty"].as_f64());
    let (Some(thread), Some(most), Some(answer)) =
        (thread, most, formed.structured["proposal"].as_str())
    else {
        return Ok(formed);
    };
    let stands = state.coordination(thread, state.next_seq);
    let alike =
        stands.answers.iter().find(|(_, known)| text::shared_words(answer, known.text()) > most);
    match alike {
        None => Ok(formed),
        Some((seat, _)) => {
            let labels = state.labels(turn);
            let label = labels.get(*seat).map_or("another answer", |label| &**label);
            Err(format!(
                "{label} says the same in almost the same words; vote for it, or say something else"
            )
            .into())
        }
    }
}

/// Returns the text of a structured reply that is shown as its words, if guards are on and the seat has such a field.
fn spoken_field<'a>(state: &State, turn: &Turn, form: &'a ReadReply) -> Option<&'a str> {
    let is_on = state.scenario.guards == Guards::On && state.contract_of(turn).says.is_some();
    if is_on { form.text.as_deref() } else { None }
}

/// Ends a turn with a parsed reply.
fn with_form(
    state: &State,
    turn: &Turn,
    words: RepairedReply,
    form: ReadReply,
    end: impl Fn(Outcome) -> TurnEnded,
) -> Draft {
    let mut words = words;
    let has_field = spoken_field(state, turn, &form).is_some();
    let checked = checked_quotes(state, turn, form.text.as_deref().unwrap_or(&words.text));
    if let Some(text) = checked.or(form.text).filter(|text| *text != words.text) {
        words.raw = words.raw.or_else(|| Some(words.text.into()));
        words.text = text;
    }
    if has_field && !words.repeats {
        words = cut_short(words);
    }
    let outcome = if form.passes { Outcome::Passed } else { Outcome::Said };
    let structured = form.structured;
    let (message, read) = (form.message, form.by);
    with_words(state, turn, words, TurnEnded { structured, message, read, ..end(outcome) })
}

/// Ends the turn of a person with their message.
///
/// # Errors
/// The fault of the message, if the turn requires another form.
pub(super) fn spoken(state: &State, turn: &Turn, text: &Text) -> Result<Draft, Text> {
    let form = formed(state, turn, text, &Value::Null).map_err(|why| why.why)?;
    let words = RepairedReply { text: text.to_string(), ..RepairedReply::default() };
    Ok(with_form(state, turn, words, form, |outcome| turn.ended(state.ms, outcome)))
}

/// Returns the event of an agent's action or permission request during its call.
pub(super) fn did(state: &State, turn: &Turn, did: &Did) -> Option<Draft> {
    let call = turn.call?;
    let turn_id = turn.id;
    let kind: Kind = match did.clone() {
        Did::Used { title, sort, status, input, result } => {
            AgentTool { turn: turn_id, call, title, sort, status, input, result }.into()
        }
        Did::Warns(text) => Warning { text, about: None }.into(),
        Did::Adapts { model, did, because, loses } => {
            if state.adapted.iter().any(|known| known.model == model && known.did == did) {
                return None;
            }
            ModelAdapted { turn: turn_id, call, model, did, because, loses }.into()
        }
        Did::Plans(steps) => AgentPlan { turn: turn_id, call, steps }.into(),
        Did::Asks { request, sort, title, input } => {
            let tool = agent::permission(&turn.seat, &sort);
            PermissionAsked { turn: turn_id, call, request, tool, title, input }.into()
        }
    };
    Some(draft(turn.thread, &turn.seat, kind))
}

/// Ends a turn that its seat passed.
pub(super) fn passed(turn: &Turn, now: Ms) -> Draft {
    by_seat(turn, turn.ended(now, Outcome::Passed))
}

/// Cuts a turn; the text shown so far is kept.
pub(super) fn cut(live: &Live, turn: &Turn, now: Ms, why: CutWhy) -> Draft {
    cut_with(&live.state, turn, now, why, &live.said(turn.id), &live.thought(turn.id))
}

/// Cuts a turn, keeping its sealed text only.
pub(super) fn cut_sealed(state: &State, turn: &Turn, why: CutWhy) -> Draft {
    cut_with(state, turn, state.ms, why, &turn.said, &turn.thought)
}

fn cut_with(state: &State, turn: &Turn, now: Ms, why: CutWhy, said: &str, thought: &str) -> Draft {
    let guess = money::guess(turn, said.len() + thought.len());
    let (usage, cost) = money::of_turn(turn, guess.as_ref());
    let words = own_words(state, turn, said, thought);
    let end = TurnEnded { why: Some(why), usage, cost, ..turn.ended(now, Outcome::Cut) };
    with_words(state, turn, words, end)
}

/// Handles a failed call: the turn ends with the text shown so far, is retried, or fails.
pub(super) fn failed(
    live: &Live,
    turn: &Turn,
    now: Ms,
    failure: &CallFailure,
    shown: CutWhy,
) -> Draft {
    let error = CallError::new(failure.class, failure.text.clone());
    if !is_empty(live, turn) {
        let why = if failure.class == ErrorClass::Filter { CutWhy::Filtered } else { shown };
        let mut draft = cut(live, turn, now, why);
        if let Kind::TurnEnded(end) = &mut draft.kind {
            end.error = Some(error);
            if failure.usage.is_some() {
                (end.usage, end.cost) = money::of_turn(turn, failure.usage.as_ref());
            }
        }
        return draft;
    }
    let mut rule =
        live.state.seat(&turn.seat).map(|s| s.spec.on_failure.clone()).unwrap_or_default();
    if turn.purpose == Purpose::Result {
        (rule.retry, rule.tries) = (rule.retry.min(1), rule.tries.min(SCRIBE_TRIES));
    }
    let next = wait(&live.state, turn, &rule, failure).map(|wait_ms| (wait_ms, None));
    let next = next.or_else(|| {
        let other = fallback(&live.state, turn)?;
        (!gives_up(&live.state)).then_some((0, Some(other)))
    });
    let thought = live.thought(turn.id);
    let paid = failure.class.costs() || !thought.is_empty();
    let guess = || money::guess(turn, live.said(turn.id).len() + thought.len());
    let guess = if paid { guess() } else { None };
    let used = failure.usage.clone().or(guess);
    match (turn.call, next) {
        (Some(call), Some((wait_ms, model))) => {
            let (turn, usage, thread) = (turn.id, used, turn.thread);
            let retried = CallRetried { turn, call, error, wait_ms, ask: None, model, usage };
            draft(thread, event::ENGINE, retried.into())
        }
        (Some(_) | None, _) => {
            let (usage, cost) = money::of_turn(turn, used.as_ref());
            let error = Some(error);
            let said = live.said(turn.id);
            let raw = (!said.is_empty()).then(|| said.into());
            let end = TurnEnded { error, raw, usage, cost, ..turn.ended(now, Outcome::Failed) };
            // a missing answer is its seat's event; a failed utterance is the engine's, since nobody spoke it
            let by = if turn.speaks() { event::ENGINE } else { &*turn.seat };
            draft(turn.thread, by, Box::new(end).into())
        }
    }
}

/// Returns the model that replaces the failed one, if the failure rule says so and one is left.
fn fallback(state: &State, turn: &Turn) -> Option<Text> {
    let seat = &state.seat(&turn.seat)?.spec;
    if seat.on_failure.then != Then::Replace {
        return None;
    }
    let replaced = seat.replaced()?;
    Some(replaced.voice.label().into())
}

/// Returns the milliseconds until the next call of the turn, or `None` without a further call. If the server requests a
/// wait, the wait costs no retry; but it is never shorter than our own, and the number of calls stays bounded.
fn wait(state: &State, turn: &Turn, rule: &FailureRule, failure: &CallFailure) -> Option<u64> {
    if gives_up(state) || turn.tries >= rule.tries {
        return None;
    }
    if failure.class == ErrorClass::Length {
        return state.may_widen(turn).then_some(0);
    }
    if failure.class == ErrorClass::Context {
        // the next prompt is shorter; if it is too long again, the turn fails
        return (!turn.shrunk).then_some(0);
    }
    let asked = failure.class.asks_to_wait();
    let pays = failure.class.may_pass() && turn.retries < rule.retry;
    if !asked && !pays {
        return None;
    }
    let doubled = RETRY_WAIT_MS.saturating_mul(1 << turn.tries.saturating_sub(1).min(16));
    let requested = if asked { failure.retry_after_ms } else { None };
    let least = requested.unwrap_or(0).max(doubled);
    let left = rule.wait.saturating_sub(turn.waited);
    let place = u64::from(turn.number.unwrap_or(0)) << 16 | u64::from(turn.calls);
    let jitter = state.dice(place, &format!("retry {}", turn.seat)) % (least / JITTER + 1);
    (least <= left).then(|| least.saturating_add(jitter).min(left))
}

/// Returns true if failures are not retried anymore: the conversation ends, or its time is up.
pub(super) fn gives_up(state: &State) -> bool {
    let time_is_up = state.limit.as_ref().is_some_and(|at| at.what == Limit::Seconds);
    time_is_up || state.stopped_by.is_some()
}
