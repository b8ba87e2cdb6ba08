//! Questions outside the floor: votes, also those of rules, and judges as stop rules; `verdict` has the judges at the end.
//!
//! While a question is open nobody gets the floor, nobody sees an answer before all are given, and limits of utterances
//! or rounds do not prevent a question. Counting is left to `tally`.

use super::asking::{CommandStep, may_ask, quiet};
use super::{drafts, tally, verdict};
use crate::model::event::ENGINE;
use crate::model::payload::BatchOpened;
use crate::model::*;
use crate::rules::{self, RuleStep};
use crate::state::{Batch, PendingCommand, Ruling, RunState, State, Thread};

/// Answers of a judge that is a stop rule, and the options of a vote without its own.
const YES_OR_NO: [&str; 2] = ["yes", "no"];

/// Returns a thread's open batch of a question, if any.
fn open_aside<'a>(state: &State, thread: &'a Thread) -> Option<&'a Batch> {
    let beside = |b: &&Batch| {
        b.spec.purpose != Purpose::Speak
            && b.spec.requester != Requester::Policy
            && state.is_open(b)
    };
    thread.batch.as_ref().filter(beside)
}

/// Returns true if a question is open, so that the floor waits.
pub(super) fn sits(state: &State) -> bool {
    state.threads.values().any(|t| open_aside(state, t).is_some())
}

/// Grants the floor to the next seat that has to answer a question.
pub(super) fn grant(state: &State) -> Option<Draft> {
    if !may_ask(state) {
        return None;
    }
    state.threads.values().find_map(|thread| {
        let batch = open_aside(state, thread)?;
        let seat = state.owed(batch).next()?;
        drafts::grant(state, thread, batch, seat)
    })
}

/// Runs a vote of the operator: opened as soon as no turn runs, closed when all have answered.
pub(super) fn vote(state: &State, command: &PendingCommand) -> CommandStep {
    let Command::Vote { question, options, tie, count } = &command.given.line.command else {
        return CommandStep::Done;
    };
    let Some((thread, id)) = command.batch else {
        if !quiet(state) || !may_ask(state) {
            return CommandStep::Wait;
        }
        let Some(thread) = command.given.targets.threads.first() else { return CommandStep::Done };
        let options = match &options[..] {
            [] => YES_OR_NO.map(Text::from).to_vec(),
            options => options.to_vec(),
        };
        let seats = state.threads.get(thread).map_or(&[][..], |t| &t.seats[..]);
        let seats = seats.iter().filter(|s| state.may(Purpose::Vote, s)).cloned().collect();
        let why = "you called a vote".into();
        let batch = drafts::batch(Requester::Operator, Purpose::Vote, seats, why);
        let batch = BatchOpened {
            question: Some(question.clone()),
            options,
            count: count.clone(),
            tie: *tie,
            ..batch
        };
        return CommandStep::Draft(draft(*thread, ENGINE, batch.into()).into());
    };
    let batch = state.threads.get(&thread).and_then(|t| t.batch.as_ref()).filter(|b| b.id == id);
    match batch {
        _ if command.closed => CommandStep::Done,
        Some(batch) if state.is_open(batch) => CommandStep::Wait,
        Some(batch) => {
            CommandStep::Draft(draft(thread, ENGINE, tally::vote(state, batch).into()).into())
        }
        None => CommandStep::Done,
    }
}

/// Next step of a judge that is a stop rule.
pub(super) enum JudgeStep<'a> {
    /// The judge is due: append this event to ask it.
    Now(Box<Draft>),
    /// Its answer, given since the last utterance.
    Ruled(&'a Ruling),
    /// The judge is not due, or cannot be asked now.
    Not,
}

/// Asks a judge every few utterances if the conversation should stop.
pub(super) fn ask<'a>(
    state: &'a State,
    place: u32,
    seat: &Text,
    question: &Text,
    every: u32,
) -> JudgeStep<'a> {
    let last = state.rulings.get(&place);
    if let Some(ruling) = last.filter(|r| r.at == state.utterances) {
        return JudgeStep::Ruled(ruling);
    }
    let from = last.map_or(0, |r| r.at).max(state.since.utterances);
    let due = state.utterances >= from + every.max(1);
    let judge = SeatId(seat.clone());
    if !due || !quiet(state) || !may_ask(state) || !state.may(Purpose::Judge, &judge) {
        return JudgeStep::Not;
    }
    let why = "whether it is time to stop".into();
    let batch = drafts::batch(Requester::Engine, Purpose::Judge, vec![judge], why);
    let batch = BatchOpened {
        question: Some(question.clone()),
        options: YES_OR_NO.map(Text::from).to_vec(),
        judge: Some(JudgeTask::Stop(place)),
        ..batch
    };
    JudgeStep::Now(draft(ThreadId::ROOT, ENGINE, batch.into()).into())
}

/// Returns the next step of the rules before the first turn; `None` if they are done, or wait for a voter.
pub(super) fn before(state: &State) -> Option<Draft> {
    rules::ALL.iter().find_map(|rule| take(state, (rule.step)(state, false)?))
}

/// Returns the end of the conversation, after its verdict and the last votes of its rules.
pub(super) fn conclude(state: &State, cause: EndCause) -> Option<Draft> {
    let concluded = verdict::conclude(state, cause)?;
    let ends = matches!(&concluded.kind, Kind::Ended(end) if end.reason != StopReason::Failure);
    let due = || rules::ALL.iter().find_map(|rule| Some((rule, (rule.step)(state, true)?)));
    let Some((rule, step)) = ends.then(due).flatten() else { return Some(concluded) };
    if may_ask(state) {
        return take(state, step);
    }
    // a vote held up by a pause continues after it
    if matches!(state.run, RunState::Pausing | RunState::Paused) {
        return None;
    }
    let warning = drafts::warn_once(state, rule.no_room.to_owned().into());
    Some(warning.unwrap_or(concluded))
}

/// Takes a step of a rule; `None` while the conversation or its voters have to finish first.
fn take(state: &State, step: RuleStep<'_>) -> Option<Draft> {
    let kind = match step {
        RuleStep::Ask(batch) if quiet(state) && may_ask(state) => (*batch).into(),
        RuleStep::Close(batch, close) if !state.is_open(batch) => {
            close(state, batch, tally::vote(state, batch)).into()
        }
        RuleStep::Ask(_) | RuleStep::Close(..) => return None,
    };
    Some(draft(ThreadId::ROOT, ENGINE, kind))
}
