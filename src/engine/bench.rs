//! Votes, verdicts, and judges as stop rules: batches that ask for an answer, and what follows from the answers.
//!
//! They stand beside the talk: while one is open nobody is granted the floor, nobody sees an answer before all are
//! given, and no limit of utterances or rounds keeps one from being asked. It deliberately counts no votes: `tally`
//! does.

use super::{advance, react, tally};
use crate::model::event::ENGINE;
use crate::model::payload::BatchOpened;
use crate::model::*;
use crate::scenario::VerdictSpec;
use crate::state::{Batch, Deed, Docket, Ruling, Run, State, Thread};

/// What a judge as a stop rule answers, and what a vote is on that names no choices.
const YES_OR_NO: [&str; 2] = ["yes", "no"];

/// Returns whether a question may be asked now: it spends money and time, but no utterance and no round.
fn may_ask(state: &State) -> bool {
    let holds = state.limit.as_ref().map(|l| l.what);
    matches!(state.run, Run::Going | Run::Stepping(_))
        && holds.is_none_or(|what| matches!(what, Limit::Utterances | Limit::Rounds))
}

/// Returns the batch of a thread that stands beside the talk and is not done.
fn open_aside<'a>(state: &State, thread: &'a Thread) -> Option<&'a Batch> {
    let beside = |b: &&Batch| {
        b.spec.purpose != Purpose::Speak
            && b.spec.requester != Requester::Policy
            && state.is_open(b)
    };
    thread.batch.as_ref().filter(beside)
}

/// Returns whether something beside the talk is asked, so that the floor waits.
pub(super) fn sits(state: &State) -> bool {
    state.threads.values().any(|t| open_aside(state, t).is_some())
}

/// The next seat that is to be asked beside the talk.
pub(super) fn grant(state: &State) -> Option<Draft> {
    if !may_ask(state) {
        return None;
    }
    state.threads.values().find_map(|thread| {
        let batch = open_aside(state, thread)?;
        let seat = state.owed(batch).next()?;
        advance::grant(state, thread, batch, seat)
    })
}

/// Returns whether nobody speaks, is asked, or is owed a turn.
fn quiet(state: &State) -> bool {
    let open = |t: &Thread| t.batch.as_ref().is_some_and(|b| state.is_open(b));
    state.turns.is_empty() && !state.threads.values().any(open)
}

/// A vote that the operator called: asked as soon as nobody speaks, closed when all have answered.
pub(super) fn vote(state: &State, deed: &Deed, question: &Text, options: &[Text]) -> Step {
    let Some((thread, id)) = deed.batch else {
        if !quiet(state) || !may_ask(state) {
            return Step::Wait;
        }
        let Some(thread) = deed.given.targets.threads.first() else { return Step::Done };
        let options = match options {
            [] => YES_OR_NO.map(Text::from).to_vec(),
            options => options.to_vec(),
        };
        let seats = state.threads.get(thread).map_or(&[][..], |t| &t.seats[..]);
        let seats = seats.iter().filter(|s| state.may(Purpose::Vote, s)).cloned().collect();
        let why = "the operator called a vote".into();
        let batch = advance::batch(Requester::Operator, Purpose::Vote, seats, why);
        let batch = BatchOpened { question: Some(question.clone()), options, ..batch };
        return Step::Draft(draft(*thread, ENGINE, batch.into()).into());
    };
    let batch = state.threads.get(&thread).and_then(|t| t.batch.as_ref()).filter(|b| b.id == id);
    match batch {
        _ if deed.closed => Step::Done,
        Some(batch) if state.is_open(batch) => Step::Wait,
        Some(batch) => Step::Draft(draft(thread, ENGINE, tally::vote(batch).into()).into()),
        None => Step::Done,
    }
}

/// A verdict that the operator asked for.
pub(super) fn verdict(state: &State, deed: &Deed) -> Step {
    let ending = state.bench.as_ref().is_some_and(|b| b.ends.is_some());
    match &state.scenario.verdict {
        _ if deed.closed => Step::Done,
        Some(spec) if !ending && quiet(state) && may_ask(state) => {
            Step::Draft(next(state, spec, Requester::Operator, None).into())
        }
        Some(_) => Step::Wait,
        None => Step::Done,
    }
}

/// How a deed goes on.
pub(super) enum Step {
    /// With this event.
    Draft(Box<Draft>),
    /// When others are done.
    Wait,
    /// It is done.
    Done,
}

/// The end of the conversation, after the verdict where the scenario has one and nothing was judged since the last words.
pub(super) fn conclude(state: &State, reason: StopReason, text: Option<Text>) -> Option<Draft> {
    if reason == StopReason::Failure {
        return Some(react::end(state, reason, text));
    }
    let judged = state.verdict.as_ref().is_some_and(|(_, at)| *at == state.utterances);
    match &state.scenario.verdict {
        Some(spec) if !judged && may_ask(state) => quiet(state).then(|| {
            let ends = state.bench.as_ref().and_then(|b| b.ends.clone());
            next(state, spec, Requester::Engine, Some(ends.unwrap_or((reason, text))))
        }),
        Some(_) if judged => {
            let own_end = matches!(
                reason,
                StopReason::Completed | StopReason::Exhausted | StopReason::RoundLimit
            );
            Some(react::end(state, if own_end { StopReason::Verdict } else { reason }, text))
        }
        Some(_) | None => Some(react::end(state, reason, text)),
    }
}

/// The next step of a verdict: the judges are asked once more, or it is given.
fn next(
    state: &State,
    spec: &VerdictSpec,
    requester: Requester,
    ends: Option<(StopReason, Option<Text>)>,
) -> Draft {
    let sides = tally::sides(state, spec);
    let asked = state.bench.as_ref().map_or(0, |b| b.asked);
    let per_time = if spec.swap_test { 2 } else { 1 };
    let able = |s: &&SeatId| state.may(Purpose::Judge, s);
    let judges: Vec<SeatId> = spec.judges.iter().map(|j| SeatId(j.clone())).collect();
    let judges: Vec<SeatId> = judges.iter().filter(able).cloned().collect();
    if asked >= spec.votes * per_time || judges.is_empty() {
        return draft(ThreadId::ROOT, ENGINE, tally::verdict(state, spec, &sides).into());
    }
    let (time, swapped) = (asked / per_time + 1, asked % per_time == 1);
    let mut shown = sides;
    if swapped {
        shown.reverse();
    }
    let names: Vec<Text> = shown.iter().map(|s| s.name.clone()).collect();
    let options = match spec.swap_test {
        true => (1..=names.len()).map(|n| format!("Side {n}").into()).collect(),
        false => names.clone(),
    };
    let labels = if spec.swap_test { names } else { vec![] };
    let seats = shown.iter().zip(&options).filter(|_| spec.swap_test);
    let seats = seats.flat_map(|(side, label): (_, &Text)| {
        side.seats.iter().map(move |seat| (SeatId(seat.clone()), label.clone()))
    });
    let docket = Docket::Verdict { time, swapped, labels, seats: seats.collect(), ends };
    let why = match swapped {
        true => "judged again, the sides in reverse order".into(),
        false => format!("judgement {time} of {}", spec.votes).into(),
    };
    let batch = advance::batch(requester, Purpose::Judge, judges, why);
    let question = Some(spec.question.clone());
    draft(
        ThreadId::ROOT,
        ENGINE,
        BatchOpened { question, options, memo: docket.note(), ..batch }.into(),
    )
}

/// What a judge as a stop rule does next.
pub(super) enum Asked<'a> {
    /// It is asked.
    Now(Box<Draft>),
    /// It has answered.
    Ruled(&'a Ruling),
    /// Nothing.
    Not,
}

/// Asks a judge whether it is time to stop, every so many utterances.
pub(super) fn ask<'a>(
    state: &'a State,
    place: u32,
    seat: &Text,
    question: &Text,
    every: u32,
) -> Asked<'a> {
    let last = state.rulings.get(&place);
    if let Some(ruling) = last.filter(|r| r.at == state.utterances) {
        return Asked::Ruled(ruling);
    }
    let due = state.utterances >= last.map_or(0, |r| r.at) + every.max(1);
    let judge = SeatId(seat.clone());
    if !due || !quiet(state) || !may_ask(state) || !state.may(Purpose::Judge, &judge) {
        return Asked::Not;
    }
    let why = "whether it is time to stop".into();
    let batch = advance::batch(Requester::Engine, Purpose::Judge, vec![judge], why);
    let batch = BatchOpened {
        question: Some(question.clone()),
        options: YES_OR_NO.map(Text::from).to_vec(),
        memo: Docket::Stop(place).note(),
        ..batch
    };
    Asked::Now(draft(ThreadId::ROOT, ENGINE, batch.into()).into())
}
