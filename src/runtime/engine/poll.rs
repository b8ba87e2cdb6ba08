//! A poll of the scenario: a secret vote before the first turn and again after the last one.

use super::asking::{may_ask, quiet};
use super::{drafts, tally, verdict};
use crate::model::event::ENGINE;
use crate::model::payload::BatchOpened;
use crate::model::*;
use crate::scenario::PollSpec;
use crate::state::{RunState, State};

/// Warning about a second vote that the limit of tokens or money leaves out.
const NO_ROOM: &str = "no second vote of the poll: the limit leaves no room for the voters";

/// Returns the next step of the poll before the first turn; `None` if it is over, or waits for a voter.
pub(super) fn before(state: &State) -> Option<Draft> {
    let poll = state.scenario.poll.as_ref()?;
    let due = state.utterances == 0 && state.polled(PollTime::Before).is_none();
    if due { step(state, poll, PollTime::Before) } else { None }
}

/// Returns the end of the conversation, after its verdict and its second poll.
pub(super) fn conclude(state: &State, cause: EndCause) -> Option<Draft> {
    let concluded = verdict::conclude(state, cause)?;
    let ends = matches!(&concluded.kind, Kind::Ended(end) if end.reason != StopReason::Failure);
    let due = |poll: &&PollSpec| ends && is_due(state) && !voters(state, poll).is_empty();
    let Some(poll) = state.scenario.poll.as_ref().filter(due) else { return Some(concluded) };
    if may_ask(state) {
        return step(state, poll, PollTime::After);
    }
    // a poll held up by a pause continues after it
    if matches!(state.run, RunState::Pausing | RunState::Paused) {
        return None;
    }
    let warning = drafts::warn_once(state, NO_ROOM.to_owned().into());
    Some(warning.unwrap_or(concluded))
}

/// Returns true if voters answered before the first turn, and not since the last one.
fn is_due(state: &State) -> bool {
    let taken = state.polled(PollTime::After).is_some_and(|poll| poll.at == state.utterances);
    state.polled(PollTime::Before).is_some() && !taken && state.utterances > 0
}

/// Returns the voters that are there: nobody votes for an absent person.
fn voters(state: &State, poll: &PollSpec) -> Vec<SeatId> {
    let all = poll.who.iter().map(|id| SeatId(id.clone()));
    let absent = |seat: &SeatId| state.seat(seat).is_some_and(|seat| seat.spec.stands_in);
    all.filter(|seat| state.may(Purpose::Vote, seat) && !absent(seat)).collect()
}

/// Returns the end of the explanation of a count: the names of the absent.
fn without_absent(state: &State, poll: &PollSpec) -> String {
    let absent = poll.who.iter().filter_map(|id| state.seat(id)).filter(|s| s.spec.stands_in);
    absent.map(|seat| format!("; without {}, who is not here", seat.spec.name)).collect()
}

/// Opens the vote, or closes it once all voters have answered.
fn step(state: &State, poll: &PollSpec, time: PollTime) -> Option<Draft> {
    let batch = state.threads.get(&ThreadId::ROOT)?.batch.as_ref();
    let batch = batch.filter(|batch| batch.spec.poll == Some(time));
    let closed = state.polled(time).map(|poll| poll.seq.0);
    if let Some(batch) = batch.filter(|batch| closed.is_none_or(|seq| batch.id.0 > seq)) {
        let closed = || {
            let vote = tally::vote(state, batch);
            let how = format!("{}{}", vote.how, without_absent(state, poll)).into();
            VoteClosed { question: poll.question.clone(), how, ..vote }
        };
        return (!state.is_open(batch)).then(|| draft(ThreadId::ROOT, ENGINE, closed().into()));
    }
    let voters = voters(state, poll);
    let when = match time {
        PollTime::Before => "before anybody has spoken",
        PollTime::After => "after everything that was said",
    };
    let question = format!("{} Say what you think now, {when}.", poll.question);
    let asks = quiet(state) && may_ask(state) && !voters.is_empty();
    asks.then(|| {
        let why = "the poll of the scenario".into();
        let batch = drafts::batch(Requester::Engine, Purpose::Vote, voters, why);
        let options = poll.options.clone();
        let batch =
            BatchOpened { question: Some(question.into()), options, poll: Some(time), ..batch };
        draft(ThreadId::ROOT, ENGINE, batch.into())
    })
}
