//! Rules of a vote, and of a poll before and after a debate.

use super::escape::quoted;
use crate::model::{Participant, PollTime, Purpose, SeatId, Text};
use crate::state::{State, Turn};

/// Returns the rules of a vote; `None` for other turns.
pub(super) fn rules(state: &State, turn: &Turn) -> Option<String> {
    if turn.purpose != Purpose::Vote {
        return None;
    }
    let name = &state.seat(&turn.seat)?.spec.name;
    let how = match state.batch_of(turn).and_then(|batch| batch.spec.poll) {
        None => format!("Vote as {name}, on what was said here."),
        Some(PollTime::Before) => format!(
            "Nobody has spoken yet. Vote as {name}, by what your own life makes you think; a leaning is enough."
        ),
        Some(PollTime::After) => {
            let earlier = earlier(state, &turn.seat).unwrap_or_default();
            format!(
                "{earlier}Vote again as {name}, on what was said here; say whose words moved you, or what was missing."
            )
        }
    };
    Some(format!("The host calls a vote. It is secret; no participant reads your reason. {how}"))
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

/// Returns the seats that vote in the poll without speaking in the debate.
pub(super) fn jury(state: &State) -> Vec<&Text> {
    let Some(poll) = &state.scenario.poll else { return vec![] };
    let votes = |id: &SeatId| poll.who.contains(&id.0);
    let is_here = |seat: &Participant| !seat.speaks && !seat.stands_in;
    let seats = state.seats.iter().filter(|seat| !seat.gone && is_here(&seat.spec));
    seats.filter(|seat| votes(&seat.spec.id)).map(|seat| &seat.spec.name).collect()
}

/// Returns a sentence about the jury for the speakers; `None` without a poll.
pub(super) fn about_jury(state: &State) -> Option<String> {
    let jury = jury(state);
    let (last, before) = jury.split_last()?;
    let names: Vec<&str> = before.iter().map(|name| &***name).collect();
    let who = match names[..] {
        [] => format!("{last} is the jury"),
        _ => format!("{} and {last} are the jury", names.join(", ")),
    };
    Some(format!(
        "{who}: they vote before the first word and again after the last, and the side that gains votes wins."
    ))
}

/// Returns how the votes changed between the polls, for the scribe; `None` before the second poll.
pub(super) fn swing(state: &State) -> Option<String> {
    let swing = state.swing()?;
    let gains: Vec<String> =
        swing.gains.iter().map(|(option, gain)| format!("{option} {gain:+}")).collect();
    let name = |id: &SeatId| state.seat(id).map_or(&id.0, |seat| &seat.spec.name).clone();
    let choice = |choice: Option<&Text>| choice.map_or("no vote".to_owned(), |c| c.to_string());
    let moved: Vec<String> = swing
        .moved
        .iter()
        .map(|m| {
            format!(
                "{}: {} to {}, \"{}\"",
                name(m.seat),
                choice(m.from),
                choice(m.to),
                quoted(m.why.trim().trim_end_matches('.'))
            )
        })
        .collect();
    let moved = if moved.is_empty() { "Nobody moved".to_owned() } else { moved.join("; ") };
    let winner = swing.winner.map_or("nobody gains".to_owned(), |winner| format!("{winner} wins"));
    let gains = gains.join(", ");
    Some(format!("Votes gained since before the first turn: {gains}; {winner}. {moved}."))
}
