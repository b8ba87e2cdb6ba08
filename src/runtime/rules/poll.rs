//! A poll of the scenario: a secret vote before the first turn and again after the last one.

use super::rule::{ConversationRule, NONE, RuleStep};
use crate::escape::quoted;
use crate::model::payload::BatchOpened;
use crate::model::{Participant, PollTime, Purpose, Requester, SeatId, Text, ThreadId, VoteClosed};
use crate::scenario::PollSpec;
use crate::state::{Batch, State, Turn};

pub(super) const RULE: ConversationRule = ConversationRule {
    vote,
    listeners: jury,
    recorded,
    compares,
    step,
    no_room: "no second vote of the poll: the limit leaves no room for the voters",
    ..NONE
};

/// Returns the next step of the poll; `None` if it is over.
fn step(state: &State, ends: bool) -> Option<RuleStep<'_>> {
    let poll = state.scenario.poll.as_ref()?;
    let voters = voters(state, poll);
    let (time, when, is_due) = if ends {
        // voters answered before the first turn, and not since the last one
        let taken = state.polled(PollTime::After).is_some_and(|poll| poll.at == state.utterances);
        let is_due = state.polled(PollTime::Before).is_some() && !taken && state.utterances > 0;
        (PollTime::After, "after everything that was said", is_due && !voters.is_empty())
    } else {
        let is_due = state.utterances == 0 && state.polled(PollTime::Before).is_none();
        (PollTime::Before, "before anybody has spoken", is_due)
    };
    if !is_due {
        return None;
    }
    let closed = state.polled(time).map(|poll| poll.seq.0);
    if let Some(batch) = &state.threads.get(&ThreadId::ROOT)?.batch
        && batch.spec.poll == Some(time)
        && closed.is_none_or(|seq| batch.id.0 > seq)
    {
        return Some(RuleStep::Close(batch, close));
    }
    let question = format!("{} Say what you think now, {when}.", poll.question);
    (!voters.is_empty()).then(|| {
        RuleStep::Ask(Box::new(BatchOpened {
            requester: Requester::Engine,
            purpose: Purpose::Vote,
            seats: voters,
            why: "the poll of the scenario".into(),
            question: Some(question.into()),
            options: poll.options.clone(),
            poll: Some(time),
            ..BatchOpened::default()
        }))
    })
}

/// Returns the voters that are there: nobody votes for an absent person.
fn voters(state: &State, poll: &PollSpec) -> Vec<SeatId> {
    let all = poll.who.iter().map(|id| SeatId(id.clone()));
    let absent = |seat: &SeatId| state.seat(seat).is_some_and(|seat| seat.spec.stands_in);
    all.filter(|seat| state.may(Purpose::Vote, seat) && !absent(seat)).collect()
}

/// Returns a counted vote with the question of the poll, its time and the names of the absent.
fn close(state: &State, batch: &Batch, vote: VoteClosed) -> VoteClosed {
    let poll = state.scenario.poll.as_ref();
    let who = poll.iter().flat_map(|poll| &poll.who).filter_map(|id| state.seat(id));
    let absent = who.filter(|seat| seat.spec.stands_in);
    let absent: String =
        absent.map(|seat| format!("; without {}, who is not here", seat.spec.name)).collect();
    VoteClosed {
        question: poll.map_or(vote.question, |poll| poll.question.clone()),
        how: format!("{}{absent}", vote.how).into(),
        poll: batch.spec.poll,
        ..vote
    }
}

/// Returns the instruction for a voter.
fn vote(state: &State, turn: &Turn) -> Option<String> {
    let name = &state.seat(&turn.seat)?.spec.name;
    Some(match state.batch_of(turn)?.spec.poll? {
        PollTime::Before => format!(
            "Nobody has spoken yet. Vote as {name}, by what your own life makes you think; a leaning is enough."
        ),
        PollTime::After => {
            let earlier = earlier(state, &turn.seat).unwrap_or_default();
            format!(
                "{earlier}Vote again as {name}, on what was said here; say whose words moved you, or what was missing."
            )
        }
    })
}

/// Returns a sentence with a voter's choice before the debate.
fn earlier(state: &State, seat: &SeatId) -> Option<String> {
    let ballots = &state.polled(PollTime::Before)?.vote.ballots;
    let ballot = ballots.iter().find(|ballot| ballot.seat == *seat)?;
    let choice = quoted(ballot.choice.as_deref()?);
    let why = quoted(ballot.why.trim().trim_end_matches('.'));
    let because = if why.is_empty() { String::new() } else { format!(", because: \"{why}\"") };
    Some(format!("Before the debate you voted \"{choice}\"{because}. "))
}

/// Returns the names of those who vote in the poll without speaking in the debate, and a sentence about them.
fn jury(state: &State) -> Option<(Vec<&Text>, String)> {
    let poll = state.scenario.poll.as_ref()?;
    let votes = |id: &SeatId| poll.who.contains(&id.0);
    let is_here = |seat: &Participant| !seat.speaks && !seat.stands_in;
    let seats = state.seats.iter().filter(|seat| !seat.gone && is_here(&seat.spec));
    let jury: Vec<&Text> =
        seats.filter(|seat| votes(&seat.spec.id)).map(|seat| &seat.spec.name).collect();
    let (last, before) = jury.split_last()?;
    let names: Vec<&str> = before.iter().map(|name| &***name).collect();
    let who = match names[..] {
        [] => format!("{last} is the jury"),
        _ => format!("{} and {last} are the jury", names.join(", ")),
    };
    let about = format!(
        "{who}: they vote before the first word and again after the last, and the side that gains votes wins."
    );
    Some((jury, about))
}

fn compares(state: &State, turn: Option<&Turn>) -> bool {
    turn.map_or(state.scenario.poll.is_some(), |turn| {
        state.batch_of(turn).is_some_and(|batch| batch.spec.poll == Some(PollTime::After))
    })
}

/// Returns how the votes changed between the polls; `None` before the second poll.
fn recorded(state: &State) -> Option<String> {
    let swing = state.swing()?;
    let gains: Vec<String> =
        swing.gains.iter().map(|(option, gain)| format!("{option} {gain:+}")).collect();
    let choice = |choice: Option<&Text>| choice.map_or("no vote".to_owned(), |c| c.to_string());
    let moved: Vec<String> = swing
        .moved
        .iter()
        .map(|m| {
            let why = quoted(m.why.trim().trim_end_matches('.'));
            format!("one from {} to {}, \"{why}\"", choice(m.from), choice(m.to))
        })
        .collect();
    let moved = if moved.is_empty() {
        "Nobody moved".to_owned()
    } else {
        format!("Moved: {}. The votes are secret: name no voter", moved.join("; "))
    };
    let winner = swing.winner.map_or("nobody gains".to_owned(), |winner| format!("{winner} wins"));
    let gains = gains.join(", ");
    Some(format!("Votes gained since before the first turn: {gains}; {winner}. {moved}."))
}
