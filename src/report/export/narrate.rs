//! Turns events into narration: messages with author and position, and notes.

use super::conclusion::{Hearer, conclusion, how_it_ended};
use super::failing::{self, Again, Failing};
use super::fields::fields;
use super::narrated::{Narrated, REHEARSED, cost, nearing, place, reached, utterances};
use super::{agents, commands, contest, plan, profile, tools};
use crate::analysis::{Standing, name};
use crate::model::payload::{Ended, TurnEnded, WarningAbout};
use crate::model::*;
use crate::state::{Entry, OpenMention, RunState, Spent, State};
use crate::text;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Narrates events one by one. Remembers only hidden utterances, names of commands, and repeated failures.
#[derive(Clone, Debug, Default)]
pub struct Narrator {
    hidden: BTreeSet<u32>,
    /// Keys of the operator's hidden messages.
    hidden_messages: BTreeSet<Key>,
    asked: HashMap<Key, &'static str>,
    /// The title to open with, where it is not the one of that moment.
    pub(super) title: Option<Text>,
    /// The texts that replace those of edited turns, by number.
    pub(super) edits: BTreeMap<u32, (TurnId, Text)>,
    /// True if the log does not end at its planned length, so that its limits are noted.
    pub(super) notes_limits: bool,
    /// The positions in the end; `None` narrates those of each moment.
    pub(super) standing: Option<Standing>,
    fails: Failing,
    hearer: Hearer,
}

impl Narrator {
    /// Creates a narrator for somebody who is not the operator.
    pub fn for_others() -> Narrator {
        Narrator { hearer: Hearer::Other, ..Narrator::default() }
    }

    /// Creates a narrator for a finished conversation or one from a file; its hidden utterances are left out.
    pub fn leaving_out(whole: &State) -> Narrator {
        let all = || whole.entries.iter().filter(|e| e.hidden.is_some());
        let hidden = all().filter_map(|e| e.number).collect();
        let hidden_messages = all().filter_map(|e| e.of.clone()).collect();
        Narrator { hidden, hidden_messages, ..Narrator::default() }
    }

    /// Returns the narration of an event; `state` is the one right after it. Repeated failures with the same reason are
    /// narrated once and then counted.
    pub fn narrate(&mut self, state: &State, event: &Event) -> Vec<Narrated> {
        let (counted, mut told) = self.narrate_apart(state, event);
        if let Some(counted) = counted {
            told.insert(0, Narrated::Note(counted));
        }
        told
    }

    /// Returns the same in two parts: the note on earlier failures if the event ends their count, and the narration of
    /// the event itself.
    pub fn narrate_apart(
        &mut self,
        state: &State,
        event: &Event,
    ) -> (Option<String>, Vec<Narrated>) {
        match self.fails.again(state, &event.kind) {
            Again::Counted => (None, vec![]),
            Again::First => (self.fails.counted(&event.kind), self.narrate_event(state, event)),
            Again::Nothing => {
                let told = self.narrate_event(state, event);
                // an event without narration does not end the count
                let ends = !told.is_empty();
                (ends.then(|| self.fails.counted(&event.kind)).flatten(), told)
            }
        }
    }

    fn narrate_event(&mut self, state: &State, event: &Event) -> Vec<Narrated> {
        let note = |text: String| vec![Narrated::Note(text::label(&text).into_owned())];
        match &event.kind {
            Kind::Opened(o) => vec![opening(state, self.title.take(), o.rehearsed)],
            Kind::Renamed(r) => note(format!("new title: {}", r.title)),
            Kind::Reopened(_) => {
                let paused = state.run == RunState::Paused;
                let how = if paused { "reopened, still paused" } else { "resumed" };
                let rehearsed =
                    if state.rehearsed { format!("; {REHEARSED}") } else { String::new() };
                note(format!("{how}{rehearsed}"))
            }
            Kind::Forked(f) => note(branched(state, &f.parent)),
            Kind::Ended(e) => {
                let goals = goals(state, e).into_iter().map(note);
                let open = open(state).map(note);
                // the note on the limit has the number of turns already
                let is_noted =
                    state.has_operator() && state.limit.is_some() && e.reason.is_length();
                let noted = || how_it_ended(state, e, self.hearer) + &used(state);
                let how = if is_noted { noted() } else { end(state, e, self.hearer) };
                goals.chain([note(how)]).chain(open).flatten().collect()
            }
            Kind::ThreadOpened(t) => {
                let seats: Vec<String> = t.seats.iter().map(|s| name(state, s)).collect();
                note(format!("{}: {}", t.name, seats.join(", ")))
            }
            Kind::CommandGiven(given) => {
                self.asked.insert(given.key.clone(), given.line.command.name());
                let told = commands::given(state, given, |n| self.hidden.contains(&n));
                match &given.line.command {
                    // the turn itself has the text
                    Command::Edit { utterance, .. }
                        if !told.is_empty() && self.edits.contains_key(utterance) =>
                    {
                        note(format!("turn {utterance} edited by you"))
                    }
                    _ => told,
                }
            }
            Kind::CommandRefused(r) => {
                let command = r.line["do"].as_str().unwrap_or("a steering line");
                note(format!("{command} refused: {}", r.why))
            }
            Kind::CallRetried(r) => {
                let turn = state.turns.get(&r.turn);
                let who = turn.map_or("a participant".into(), |t| name(state, &t.seat));
                let purpose = turn.map_or(Purpose::Speak, |turn| turn.purpose);
                match &r.model {
                    Some(model) => {
                        note(format!("{who} switched to fallback {model}: {}", r.error.text))
                    }
                    None => note(failing::asked_again(&who, purpose, r)),
                }
            }
            Kind::TurnEnded(e) => {
                // a failure reported by the engine still belongs to a seat
                let by = || SeatId(event.by.clone());
                let seat = state.spoken(e.turn).map_or_else(by, |spoken| spoken.seat);
                let mut told = self.turn(state, &seat, e);
                if let Some(Narrated::Words { who, .. }) = told.first_mut() {
                    who.push_str(&writer(state, &seat, event.cause.as_ref(), self.hearer));
                }
                told
            }
            Kind::HumanSaid(said) => {
                // a message may be in several threads; it is narrated once
                let twice = state.pending_command(&said.of).is_some_and(|d| d.placed.len() > 1);
                let entry = state.entries.last().filter(|e| e.of.as_ref() == Some(&said.of));
                match entry {
                    Some(entry) if !twice && !self.hidden_messages.contains(&said.of) => {
                        vec![operators(state, entry)]
                    }
                    Some(_) | None => vec![],
                }
            }
            Kind::Receipt(r) if r.is == ReceiptIs::TooLate => {
                let command = self.asked.get(&r.of).map(|command| format!("{command} came "));
                let why = r.why.as_deref().unwrap_or("too late");
                let line = if r.line.is_null() { String::new() } else { format!(": {}", r.line) };
                note(format!("{}too late: {why}{line}", command.unwrap_or_default()))
            }
            Kind::VoteClosed(v) => contest::vote(state, v),
            Kind::PositionRecorded(p) => contest::position(state, self.standing.as_ref(), p),
            Kind::ProfileUpdated(p) => profile::updated(p),
            Kind::StageEntered(s) => profile::stage(s),
            Kind::RankingMade(r) => profile::ranking(r),
            // the command itself was narrated
            Kind::SeatJoined(_) | Kind::SeatLeft(_) if event.cause.is_some() => vec![],
            Kind::SeatJoined(joined) => plan::joined(joined),
            Kind::SeatLeft(left) => plan::left(state, left),
            Kind::PlanMade(made) => plan::made(made),
            Kind::StepEnded(ended) => plan::step(ended),
            Kind::PlanEnded(ended) => plan::ended(state, ended),
            Kind::VerdictGiven(v) => contest::verdict(state, v),
            Kind::ResultGiven(r) => match &self.standing {
                Some(whole) => contest::result(Some(whole), r),
                None => contest::result(Standing::new(state).as_ref(), r),
            },
            Kind::Paused(p) => match &p.why {
                Some(why) => note(format!("paused: {why}")),
                None => note("paused".into()),
            },
            Kind::Resumed(r) => match r.steps {
                Some(1) => note("resumed for one turn".into()),
                Some(steps) => note(format!("resumed for {steps} turns")),
                None => note("resumed".into()),
            },
            Kind::LimitNear(l) if l.0.what.is_budget() => note(nearing(&l.0)),
            // turns and rounds are counted by their numbers
            Kind::LimitNear(_) => vec![],
            // the end follows at once, and says it
            Kind::LimitReached(l)
                if !state.has_operator() && !self.notes_limits && l.0.what.reason().is_length() =>
            {
                vec![]
            }
            Kind::LimitReached(l) => note(reached(&l.0)),
            Kind::Warning(w) => match w.about {
                Some(WarningAbout::Loop(_)) => note(w.text.to_string()),
                Some(WarningAbout::Result(_)) | None => note(format!("warning: {}", w.text)),
            },
            Kind::LogRepaired(r) => {
                note(format!("repaired: bytes {} to {} were moved to {}", r.from, r.to, r.kept))
            }
            Kind::Unknown(u) => note(format!("an event unknown to this version: {}", u.kind)),
            // a person who speaks through steering lines needs a prompt
            Kind::FloorGranted(g) => match state.seat(&g.participant) {
                Some(seat) if seat.spec.voice.is_human() => {
                    let turn = state.turns.get(&TurnId(event.seq.0));
                    let question = turn.filter(|t| !t.speaks()).and_then(|t| state.batch_of(t));
                    let who = name(state, &g.participant);
                    match question.and_then(|b| Some((b.spec.question.as_ref()?, &b.spec.options)))
                    {
                        Some((question, options)) => note(format!(
                            "asking {who} to vote: {question} ({})",
                            options.join(", ")
                        )),
                        None if seat.spec.voice.has_link() => {
                            note(format!("{who} has the floor, by a link of `serve`"))
                        }
                        None => note(format!("your turn as {who}")),
                    }
                }
                Some(_) | None => vec![],
            },
            Kind::ToolReturned(r) => tools::returned(state, r),
            Kind::ToolAsked(a) => tools::waiting(state, a),
            Kind::ModelAdapted(adapted) if adapted.loses => {
                note(format!("warning: {}", adapted.sentence()))
            }
            Kind::ModelAdapted(adapted) => note(adapted.sentence()),
            Kind::AgentTool(used) => agents::used(state, used),
            Kind::AgentPlan(steps) => agents::plan(state, steps),
            Kind::PermissionAsked(asked) => agents::asked(state, asked),
            Kind::PermissionAnswered(answered) => agents::answered(state, answered),
            Kind::ThreadClosed(_)
            | Kind::ToolCalled(_)
            | Kind::BatchOpened(_)
            | Kind::CallStarted(_)
            | Kind::Delta(_)
            | Kind::Receipt(_) => vec![],
        }
    }

    fn turn(&self, state: &State, seat: &SeatId, e: &TurnEnded) -> Vec<Narrated> {
        if e.purpose != Purpose::Speak {
            return contest::turn(state, seat, e);
        }
        let who = || name(state, seat);
        let place = e.number.map_or_else(|| place(state), |n| n.to_string());
        let words =
            |who: String, body: String| vec![Narrated::Words { place: place.clone(), who, body }];
        if e.number.is_some_and(|n| self.hidden.contains(&n)) {
            return words(format!("{who}, hidden", who = who()), String::new());
        }
        let edited = e.number.and_then(|n| self.edits.get(&n)).filter(|(turn, _)| *turn == e.turn);
        let body = || match (edited, &*e.text, &e.structured) {
            (Some((_, words)), ..) => text::block(words).into_owned(),
            (None, "", data) if !data.is_null() => {
                let data = data.to_string();
                text::block(&fields(&data).unwrap_or(data)).into_owned()
            }
            (None, words, _) => {
                let fields = fields(words);
                text::block(fields.as_deref().unwrap_or(words)).into_owned()
            }
        };
        let mark = if edited.is_some() { ", edited" } else { "" };
        let whispers = || {
            e.whispers.iter().flat_map(|whisper| {
                let to = name(state, &whisper.to);
                let unheard = if whisper.left { ", who has left" } else { "" };
                words(
                    format!("{who} whispers to {to}{unheard}", who = who()),
                    text::block(&whisper.text).into_owned(),
                )
            })
        };
        match (e.outcome, e.why) {
            (Outcome::Said, _) => {
                let mut told = words(head(state, seat, e) + mark + &finish(e), body());
                told.extend(whispers());
                if e.message.as_deref() == Some(REMARK) {
                    let who = who();
                    let stands = "was unclear and counts as a remark; the earlier answer stands";
                    let note = format!("{who}'s reply {stands}");
                    told.push(Narrated::Note(text::label(&note).into_owned()));
                }
                told
            }
            (Outcome::Passed, _) => {
                let why = e.error.iter().map(|error| format!(": {}", text::label(&error.text)));
                words(
                    format!("{who} passes{}", why.collect::<String>(), who = who()),
                    String::new(),
                )
            }
            (Outcome::Failed, _) => {
                let why = e.error.as_ref().map_or("no reason given", |e| &*e.text);
                let class = e.error.as_ref().map_or(ErrorClass::Failed, |e| e.class);
                let then = match state.then(seat, class) {
                    Then::Skip => "failed and was skipped",
                    Then::Pause => "failed, pausing",
                    Then::Replace => "failed without a fallback left and was skipped",
                    Then::Stop => "failed, ending",
                };
                words(format!("{who} {then}: {}", text::label(why), who = who()), String::new())
            }
            // the turn is spoken under the same number later
            (Outcome::Cut, Some(why @ CutWhy::Crash)) => {
                vec![Narrated::Note(format!("{}{}", who(), cut(why, self.hearer)))]
            }
            (Outcome::Cut, Some(CutWhy::PauseNow | CutWhy::CutIn)) if e.text.trim().is_empty() => {
                let stays = "was stopped before the first word and keeps the turn";
                vec![Narrated::Note(format!("{} {stays}", who()))]
            }
            (Outcome::Cut, why) => {
                let how = why.map_or(", cut off".into(), |why| cut(why, self.hearer));
                let mut told =
                    words(format!("{}{mark}{how}{}", head(state, seat, e), finish(e)), body());
                told.extend(whispers());
                // the user knows about their own commands; an error has a reason to show
                told.extend(e.error.as_ref().map(|error| {
                    Narrated::Note(
                        text::label(&format!("{}{how}: {}", who(), error.text)).into_owned(),
                    )
                }));
                told
            }
        }
    }
}

/// Returns the remark on an unusual end of a message.
fn finish(e: &TurnEnded) -> Cow<'_, str> {
    match e.finish.as_deref() {
        Some("repetition") => ", cut where it repeated itself".into(),
        Some("impersonation") => ", cut where it continued in another participant's name".into(),
        Some("length" | "max_tokens") => ", cut at max_tokens".into(),
        Some(other) if other.starts_with(OTHER_END) => format!(", {}", text::label(other)).into(),
        Some(_) | None => "".into(),
    }
}

fn opening(state: &State, title: Option<Text>, rehearsed: bool) -> Narrated {
    let title = &*title.unwrap_or_else(|| state.shown_title());
    let topic = state.scenario.topic.as_deref().filter(|t| *t != title);
    let one_line = |t: &str| text::label(t).into_owned();
    let voices: Vec<String> =
        state.cast().filter_map(|(_, seat)| voice(state, &seat.spec)).collect();
    let voices = (!voices.is_empty()).then(|| one_line(&voices.join(", ")));
    Narrated::Opening { title: one_line(title), topic: topic.map(one_line), rehearsed, voices }
}

/// Returns the model or the agent of a seat with its name; `None` for any other voice.
fn voice(state: &State, seat: &Participant) -> Option<String> {
    let voice = match &seat.voice {
        // an imported participant has none yet
        VoiceSpec::Model(model) if model.name.is_empty() => return None,
        VoiceSpec::Model(model) => model.name.to_string(),
        agent @ VoiceSpec::Agent(_) => agent.label(),
        _ => return None,
    };
    Some(format!("{} {voice}", name(state, &seat.id)))
}

/// Returns the remark that somebody else wrote the words of a person, as on the page that steers.
fn writer(state: &State, seat: &SeatId, cause: Option<&Key>, hearer: Hearer) -> String {
    let is_person = state.seat(seat).is_some_and(|seat| seat.spec.voice.is_human());
    match cause.and_then(Key::client) {
        // a link of its own is the person
        Some(client) if is_person && !client.starts_with("link-") => {
            format!(", written by {} ({client})", hearer.operator())
        }
        _ => String::new(),
    }
}

/// Returns the head of a message: name and role, model if unusual, and version.
fn head(state: &State, seat: &SeatId, e: &TurnEnded) -> String {
    let spec = state.seat(seat).map(|s| &s.spec);
    let mut head = name(state, seat);
    let thread = state.spoken(e.turn).map_or(ThreadId::ROOT, |spoken| spoken.thread);
    let role = state.role_in(seat, thread).map(|role| text::name(role));
    let entry = e.number.and_then(|n| state.utterance(n));
    let entry = entry.filter(|entry| entry.version().turn == Some(e.turn));
    let other = entry.and_then(|entry| state.unlike_seated(seat, &entry.version().model));
    let named = if other.is_none() && state.has_several_models() { spec } else { None };
    let model = named.and_then(|named| named.voice.as_model());
    let about: Vec<_> = role.into_iter().chain(model.map(|m| text::name(m.short_name()))).collect();
    if !about.is_empty() {
        head.push_str(&format!(" ({})", about.join(", ")));
    }
    if spec.is_some_and(|s| s.stands_in) {
        head.push_str(", a stand-in");
    }
    if let Some(model) = other {
        head.push_str(&format!(", through {}", text::name(model)));
    }
    if let Some(entry) = entry.filter(|x| x.versions.len() > 1) {
        head.push_str(&format!(", retried (version {})", entry.versions.len()));
    }
    head
}

/// Returns the narration of an operator's message at its position.
fn operators(state: &State, entry: &Entry) -> Narrated {
    let command = entry.of.as_ref().and_then(|of| state.pending_command(of));
    let client = entry.of.as_ref().and_then(|key| key.client());
    let operator = client.map_or("you".into(), |client| format!("you ({client})"));
    let who = match (entry.seat(), entry.to.first(), command.map(|d| &d.given.line.command)) {
        (Some(seat), _, _) => format!("{}, written by {operator}", name(state, seat)),
        (None, Some(to), _) => format!("{operator} whispered to {}", name(state, to)),
        (None, None, Some(Command::CutIn { .. })) => format!("{operator} cut in"),
        (None, None, _) => match &entry.material {
            Some(name) => format!("material: {}", text::line(name)),
            None => operator,
        },
    };
    Narrated::Words { place: place(state), who, body: text::block(entry.text()).into_owned() }
}

/// Returns the end of a cut turn, to follow the name.
fn cut(why: CutWhy, hearer: Hearer) -> String {
    let how = match why {
        CutWhy::CutIn => ", cut off",
        CutWhy::PauseNow => ", paused",
        CutWhy::Timeout => ", timed out",
        CutWhy::Crash => ", interrupted, will speak again",
        CutWhy::BrokenOff => ", failed mid-sentence",
        CutWhy::Filtered => ", cut by the provider's content filter",
        CutWhy::Superseded => " starts over: another answered first",
        CutWhy::Operator => return format!(", stopped by {}", hearer.operator()),
    };
    how.into()
}

/// Returns the note on the start of a branch, which has the title of its parent.
fn branched(state: &State, parent: &str) -> String {
    let title = state.shown_title();
    let after = match state.utterances {
        0 => "before the first turn".to_owned(),
        turns => format!("after #{turns}"),
    };
    format!("branched from \"{title}\" {after} ({parent})")
}

/// Returns the tokens and the cost of a conversation, after a comma; empty without any.
fn used(state: &State) -> String {
    spent(&state.spent()).map_or_else(String::new, |spent| format!(", {spent}"))
}

/// Describes the end of a conversation, with its turns, its losses and its cost.
pub fn end(state: &State, e: &Ended, hearer: Hearer) -> String {
    let used = used(state);
    let how = conclusion(state, e, hearer);
    if e.reason.is_length() {
        return how + &used;
    }
    format!("{how}, {}{used}", utterances(state.utterances))
}

/// Returns the private goals of the participants, each with its gain.
fn goals(state: &State, e: &Ended) -> Vec<String> {
    let outcomes = GoalOutcome::all_in(&e.result);
    let sentence = |outcome: &GoalOutcome| {
        let who = name(state, &SeatId(outcome.participant.clone()));
        let goal = outcome.goal.text.trim().trim_end_matches('.');
        let gain = match outcome.gain {
            Some(gain) if gain < 0.0 => format!("; {} short of it", -gain),
            Some(gain) => format!("; {gain} better than the limit"),
            None => String::new(),
        };
        format!("goal of {who}: {goal}{gain}")
    };
    outcomes.iter().map(sentence).collect()
}

/// Returns the unanswered mentions as text, if there are any.
fn open(state: &State) -> Option<String> {
    let mention = |m: OpenMention| {
        let by = m.by.map_or("you".into(), |by| name(state, &by));
        let place = m.number.map(|n| format!(" in {n}")).unwrap_or_default();
        format!("{}, mentioned by {by}{place}", name(state, &m.seat))
    };
    let open: Vec<String> = state.open_mentions().into_iter().map(mention).collect();
    (!open.is_empty()).then(|| format!("unanswered mentions: {}", open.join("; ")))
}

/// Returns tokens and cost as text, if any were used: `~1240 tokens, $0.0123+`.
pub fn spent(spent: &Spent) -> Option<String> {
    let usage = spent.used()?;
    let about = if usage.estimated { "~" } else { "" };
    let cached = match usage.cache_read {
        0 => String::new(),
        n => format!(" ({n} from cache)"),
    };
    Some(format!("{about}{} tokens{cached}, {}", usage.tokens(), cost(spent)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::ended;

    #[test]
    fn others_hear_of_the_host() {
        for (hearer, expected) in [
            (Hearer::Operator, ", stopped by you; ended by you"),
            (Hearer::Other, ", stopped by the host; ended by the host"),
        ] {
            let how = cut(CutWhy::Operator, hearer);
            let end = ended(StopReason::Operator, hearer);
            assert_eq!(format!("{how}; {end}"), expected);
        }
        assert_eq!(Narrator::for_others().hearer, Hearer::Other);
    }
}
