//! Reactions to inputs.

use super::drafts::end;
use super::effects::{call_deadline, near_mark, time_is_up};
use super::input::Input;
use super::{execute, permissions, resolve, result, steps, tools, turns, verdict, words};
use crate::model::event::{ENGINE, LimitNear, LimitReached, OPERATOR};
use crate::model::payload::{CommandRefused, LimitAt, Warning};
use crate::model::*;
use crate::state::{Live, RunState, State, Turn};
use crate::voice::{CallFailure, Chunk, Done};
use std::sync::Arc;

/// Returns the events that follow from an input; every prefix of them is legal.
pub fn react(live: &Live, now: Ms, input: &Input) -> Vec<Draft> {
    let state = &live.state;
    match input {
        Input::Command { key, .. } | Input::BadLine { key, .. } if state.keys.contains_key(key) => {
            vec![]
        }
        Input::Command { key, line } => vec![match resolve::resolve(state, line) {
            Ok(targets) => {
                let from = key.client().map(Text::from);
                let given = CommandGiven { key: key.clone(), line: line.clone(), from, targets };
                operator(Arc::new(given).into())
            }
            Err(why) => refused(key, line, why.into()),
        }],
        Input::BadLine { key, line, why } => {
            let key = key.clone();
            let line = line.clone();
            let why = why.clone();
            vec![operator(CommandRefused { key, line, id: None, why }.into())]
        }
        Input::Chunk(call, chunk) => {
            // chunks of a cancelled call are dropped
            state
                .turn_of(*call)
                .map(|turn| receive_chunk(live, turn, now, chunk))
                .unwrap_or_default()
        }
        Input::Tool(called, end) => tools::returned(state, *called, end).into_iter().collect(),
        Input::Tick => tick(live, now),
        Input::Unattended => unattended(state),
        Input::Signal => {
            let mut drafts: Vec<Draft> =
                state.calls().map(|t| turns::cut(live, t, now, CutWhy::Crash)).collect();
            if state.ended.is_none() {
                drafts.extend(steps::before_end(state, StopReason::Signal));
                drafts.push(end(state, StopReason::Signal.into()));
            }
            drafts
        }
        Input::Warning(text) => vec![engine(Warning::from(text.to_string()).into())],
    }
}

fn engine(kind: Kind) -> Draft {
    draft(ThreadId::ROOT, ENGINE, kind)
}

fn operator(kind: Kind) -> Draft {
    draft(ThreadId::ROOT, OPERATOR, kind)
}

/// Refuses a line that cannot be carried out.
pub(super) fn refused(key: &Key, line: &SteerLine, why: Text) -> Draft {
    let key = key.clone();
    let id = line.id.clone();
    operator(CommandRefused { key, line: serde_json::Value::Object(line.to_map()), id, why }.into())
}

fn receive_chunk(live: &Live, turn: &Turn, now: Ms, chunk: &Chunk) -> Vec<Draft> {
    match chunk {
        // the rest of a reply in another participant's name, or beyond its length, is not needed
        Chunk::Piece(_, new) => {
            let end = || {
                let text = words::at_its_length(live, turn);
                let finish = text.as_ref().map(|_| LENGTH.into());
                said(live, turn, now, &Done { text, finish, ..Done::default() })
            };
            words::goes_astray(live, turn, new).then(end).into_iter().collect()
        }
        Chunk::Did(did) => turns::did(&live.state, turn, did).into_iter().collect(),
        Chunk::Pass => vec![turns::passed(turn, now)],
        Chunk::Done(done) => vec![said(live, turn, now, done)],
        Chunk::Failed(failure) => {
            vec![turns::failed(live, turn, now, failure, CutWhy::BrokenOff)]
        }
    }
}

/// Ends a complete reply; a reply without text of its own speaker is a failure.
fn said(live: &Live, turn: &Turn, now: Ms, done: &Done) -> Draft {
    if let Some(asked) = turns::asks_tools(live, turn, done) {
        return asked;
    }
    if let Some(said) = turns::said(live, turn, now, done) {
        return said;
    }
    if let Some(again) = turns::asked_again(live, turn, done) {
        return again;
    }
    let spent = done.finish.as_deref() == Some(LENGTH);
    let (class, why) = match live.has_said(turn.id) {
        true => (ErrorClass::Empty, "the reply spoke only in another participant's name"),
        false if spent => (
            ErrorClass::Length,
            "used the whole token limit before a word; raise max_tokens, or lower effort",
        ),
        false if !live.thought(turn.id).is_empty() => (
            ErrorClass::Length,
            "the reply was reasoning without a word; raise max_tokens, or lower effort",
        ),
        false => (ErrorClass::Empty, "the reply had no words"),
    };
    let empty = CallFailure { usage: done.usage.clone(), ..CallFailure::new(class, why) };
    turns::failed(live, turn, now, &empty, CutWhy::BrokenOff)
}

fn tick(live: &Live, now: Ms) -> Vec<Draft> {
    let state = &live.state;
    let mut drafts = Vec::new();
    for turn in state.turns.values() {
        let Some(seat) = state.seat(&turn.seat) else { continue };
        match (&seat.spec.voice, turn.call, turn.retry_at) {
            (VoiceSpec::Human { seconds: Some(s), pass: true, .. }, _, _) => {
                if state.run != RunState::Paused && now >= turn.granted.plus(s * 1000) {
                    drafts.push(turns::passed(turn, now));
                }
            }
            (_, Some(_), _) => {
                let due = call_deadline(live, turn.id, &seat.spec);
                if let Some(due) = due.filter(|due| now >= due.at) {
                    let silence = CallFailure::new(due.class, due.words());
                    drafts.push(turns::failed(live, turn, now, &silence, CutWhy::Timeout));
                } else if time_is_up(state, turn).is_some_and(|at| now >= at)
                    || state.step_deadline(turn).is_some_and(|at| now >= at)
                {
                    drafts.push(turns::cut(live, turn, now, CutWhy::Timeout));
                }
            }
            (_, None, Some(at)) if now >= at && state.held_by_rate(turn, now).is_none() => {
                drafts.push(turns::start(state, turn));
                // the next call has to see that this one has started
                if !state.rates.is_empty() {
                    break;
                }
            }
            (_, None, None) if state.run != RunState::Paused => {
                let held = state.held_by_rate(turn, state.ms);
                if held.is_some_and(|(at, ..)| now >= at) {
                    drafts.push(turns::start(state, turn));
                    break;
                }
            }
            (_, None, _) => {}
        }
    }
    drafts.extend(execute::holds_over(state, now));
    drafts.extend(time_limit(state, now));
    drafts
}

fn time_limit(state: &State, now: Ms) -> Option<Draft> {
    let limit = state.limits.seconds?;
    if state.limit.is_some() || state.ended.is_some() {
        return None;
    }
    let ran = state.running.at(now);
    let at = LimitAt { what: Limit::Seconds, value: ran / 1000, limit, next: None };
    if ran >= limit * 1000 {
        return Some(engine(LimitReached(at).into()));
    }
    let near = ran >= near_mark(limit * 1000) && !state.near.contains(&(Limit::Seconds, limit));
    near.then(|| engine(LimitNear(at).into()))
}

/// Ends the conversation, with the cause, if no operator is present who could raise a limit, resume, or speak.
fn unattended(state: &State) -> Vec<Draft> {
    if state.ended.is_some() {
        return vec![];
    }
    let refused: Vec<Draft> = permissions::refusals(state).chain(tools::refusals(state)).collect();
    if !refused.is_empty() {
        return refused;
    }
    if state.reopened_after.is_some() {
        return end_again(state);
    }
    let hangs = state.waiting_tie().is_some();
    let limit = if hangs { None } else { state.limit.as_ref() };
    let judged = limit.and_then(|l| result::conclude(state, l.what.reason().into()));
    let told = match judged {
        Some(judged) if !matches!(judged.kind, Kind::Ended(_)) => return vec![judged],
        // the verdict failed, and with it the end
        Some(judged) if matches!(&judged.kind, Kind::Ended(e) if e.reason == StopReason::Failure) =>
        {
            let open = steps::before_end(state, StopReason::Failure);
            return execute::late(state).chain(open).chain([judged]).collect();
        }
        Some(Draft { kind: Kind::Ended(ended), .. }) => ended.text.as_ref().map(Text::to_string),
        Some(_) | None => None,
    };
    // the judges were due but could not be called
    let unjudged = state.judging.as_ref().is_some_and(|judging| judging.ends.is_some());
    let told = told.or_else(|| unjudged.then(|| verdict::no_room(state).to_string()));
    let waiting = state.turns.values().find(|t| state.waits_for_human(t));
    let (reason, text) = match (&state.limit, waiting) {
        (Some(limit), _) if !hangs => (limit.what.reason(), told),
        (_, Some(turn)) => {
            let text = format!("{} has the floor and no one is there to speak", turn.seat);
            (StopReason::Failure, Some(text))
        }
        (_, None) if state.run == RunState::Paused => {
            let text = match &state.pause_why {
                Some(why) => format!("paused ({why}) and no one is there to resume"),
                None => "paused and no one is there to resume".to_owned(),
            };
            (StopReason::Failure, Some(text))
        }
        (_, None) => {
            let able = state.seats.iter().any(|s| s.spec.speaks && state.may_speak(&s.spec.id));
            let text = if able {
                "waiting for someone to get the floor and no one is there to give it"
            } else {
                "everybody who could speak is muted or has left"
            };
            (StopReason::Failure, Some(text.to_owned()))
        }
    };
    let mut drafts: Vec<Draft> = execute::late(state).collect();
    drafts.extend(steps::before_end(state, reason));
    drafts.push(end(state, EndCause::new(reason, text.map(Into::into))));
    drafts
}

/// Returns the end of a conversation that is left when nothing more is to come: one that was reopened and to which nothing
/// new was said, or one at its planned length. A missing result or verdict needs a further turn, so it is not the end.
pub(super) fn end_left(state: &State) -> Vec<Draft> {
    let at_length = state.limit.as_ref().is_some_and(|at| !at.what.is_budget());
    let is_idle = state.turns.is_empty() && state.pending.is_empty();
    if state.reopened_after.is_some() || !at_length || !is_idle || state.run == RunState::Paused {
        return end_again(state);
    }
    let end = unattended(state);
    let is_planned = |draft: &Draft| matches!(&draft.kind, Kind::Ended(e) if e.reason.is_length());
    if end.iter().any(is_planned) { end } else { vec![] }
}

/// Returns the end of a finished conversation that was reopened, to which nothing new was said: the same as before.
fn end_again(state: &State) -> Vec<Draft> {
    match (&state.reopened_after, &state.ended) {
        (Some(ended), None) => execute::late(state).chain([engine(ended.clone().into())]).collect(),
        _ => vec![],
    }
}

/// Returns the events of a resume: given commands are carried out first, by the caller's `advance`; then every turn in
/// flight is cut with its sealed text, and stays owed in its batch. Turns whose call had not started are cut as well:
/// otherwise they would start before turns that were granted earlier.
pub fn recover(live: &Live) -> Vec<Draft> {
    let state = &live.state;
    state.calls().map(|t| turns::cut_sealed(state, t, CutWhy::Crash)).collect()
}
