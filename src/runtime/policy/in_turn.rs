//! Common parts of the policies in which seats speak one after the other: turns, rounds and exceptions to the order.
//!
//! With `mentions = "once"` the first valid `@name` in the last message speaks next, once. The seat that was passed
//! over comes directly after, before any new mention counts, so that two seats that mention each other starve no other
//! seat. A request in the data of a reply (`requests: [{to, text}]`) does the same; it comes before mentions and does
//! not depend on the option. A mention moves no pointer: the policy's own memo keys are written only with a turn of its
//! own. The regular order is up to each policy.

use super::{Decision, NextMove, View, requests};
use crate::model::{SeatId, Seq, StopReason};
use crate::scenario::{OptionKind, OptionRow};
use crate::state::{Entry, Memo, SeatRequest, Who};

/// Option: a seat mentioned with `@name` speaks next.
pub(super) const MENTIONS: OptionRow = OptionRow {
    key: "mentions",
    kind: OptionKind::OneOf(&["once", "off"]),
    meaning: "Whether a participant mentioned with @ speaks next, once.",
};
/// Option: a seat named in a question, even without `@`, speaks next.
pub(super) const NAMES: OptionRow = OptionRow {
    key: "names",
    kind: OptionKind::OneOf(&["asked", "off"]),
    meaning: "Whether a participant who is named in the question at the end of a turn speaks next, once, also without an @.",
};
/// Option: number of rounds after which the policy ends.
pub(super) const ROUNDS: OptionRow =
    OptionRow { key: "rounds", kind: OptionKind::Count, meaning: "Number of rounds." };

/// Maximum number of seats in the reported queue, after the next one.
const QUEUE: usize = 4;

/// A turn by the policy's own rule.
pub(super) struct ProposedTurn {
    /// The seat that speaks.
    pub(super) seat: SeatId,
    /// The reason, for people.
    pub(super) why: String,
    /// Seats expected after it, in order.
    pub(super) queue: Vec<SeatId>,
    /// Number of the round, from 1.
    pub(super) round: u32,
    /// New memo if the turn is taken.
    pub(super) memo: Memo,
    /// New memo if another seat gets the floor before it.
    pub(super) kept: Memo,
}

/// Returns the decision for a turn: the turn itself, or the turn of a seat that was requested or mentioned. Ends or
/// waits if no seat can speak.
pub(super) fn decide(v: &View<'_>, turn: Option<ProposedTurn>) -> Decision {
    let Some(mut turn) = turn else { return v.nobody() };
    if v.option_count("rounds").is_some_and(|rounds| u64::from(turn.round) > rounds) {
        return v.end(StopReason::RoundLimit);
    }
    let owed = v.thread.memo.owed.as_ref();
    let (asked, refused) = requests::in_turn(v);
    if let Some(text) = requests::untold(v, &refused) {
        return v.warn(text);
    }
    let first = || asked.iter().find(|a| v.state.may_speak(&a.seat));
    let first = if owed.is_none() { first() } else { None };
    if let Some(request) = first.filter(|request| request.seat != turn.seat) {
        let why = format!("requested by {}", v.name(&request.by));
        return speak_before(v, turn, &asked, request.seat.clone(), why);
    }
    if owed.is_none()
        && first.is_none()
        && let Some((named, by)) = latest_mention(v)
        && *named != turn.seat
    {
        let by = by.map_or("you", |by| v.name(by));
        let why = format!("{by} mentioned {}", v.name(named));
        return speak_before(v, turn, &asked, named.clone(), why);
    }
    if owed == Some(&turn.seat) {
        turn.why = "was skipped before".into();
    } else if let Some(request) = first {
        turn.why = format!("requested by {}", v.name(&request.by));
    }
    requests::grant(&mut turn.memo, &asked, &turn.seat);
    if hears_names(v) || owed.is_some() {
        (turn.memo.heard, turn.memo.owed) = (Some(last_seq(v)), None);
    }
    speak(turn)
}

/// Gives the floor to a requested or mentioned seat; the seat of the turn comes directly after it.
fn speak_before(
    v: &View<'_>,
    mut turn: ProposedTurn,
    asked: &[SeatRequest],
    seat: SeatId,
    why: String,
) -> Decision {
    turn.queue.insert(0, turn.seat.clone());
    let mut memo = turn.kept.clone();
    requests::grant(&mut memo, asked, &seat);
    (memo.heard, memo.owed) = (Some(last_seq(v)), Some(turn.seat));
    speak(ProposedTurn { seat, why, memo, ..turn })
}

fn speak(turn: ProposedTurn) -> Decision {
    let mut queue = turn.queue;
    queue.truncate(QUEUE);
    let (seats, why, round) = (vec![turn.seat], turn.why.into(), Some(turn.round));
    Decision { next: NextMove::Speak { seats, why, queue, round }, memo: turn.memo }
}

/// Returns the `seq` of the last message in the thread.
fn last_seq(v: &View<'_>) -> Seq {
    v.last_entry().map_or(Seq(0), |e| e.seq)
}

/// Returns the mentioned seat and the author of the mention, `None` for the operator, from the latest unchecked message with a valid mention.
fn latest_mention<'a>(v: &View<'a>) -> Option<(&'a SeatId, Option<&'a str>)> {
    if !hears_names(v) {
        return None;
    }
    let heard = v.thread.memo.heard.unwrap_or_default();
    v.entries().rev().take_while(|e| e.seq > heard).find_map(|entry| {
        let named = entry.mentions.iter().find(|m| valid(v, entry, m))?;
        let by = match &entry.who {
            Who::Seat(seat) => Some(&**seat),
            Who::Operator => None,
        };
        Some((named, by))
    })
}

/// Returns whether a mentioned seat speaks next.
fn hears_names(v: &View<'_>) -> bool {
    v.option_is("mentions", "once") || v.option_is("names", "asked")
}

/// Returns whether a message gives the floor to a seat that it mentions.
pub(super) fn valid(v: &View<'_>, entry: &Entry, named: &SeatId) -> bool {
    let granted = entry.granted.as_ref() == Some(named);
    let own = entry.seat() == Some(named);
    v.state.may_speak(named) && v.thread.seats.contains(named) && !own && !granted
}

/// Counts a turn for policies without an order: a round is one turn for each of `able` seats. Returns the round of the
/// turn, from 1.
pub(super) fn count_turn(memo: &mut Memo, able: usize) -> u32 {
    let round = memo.round.unwrap_or(1).max(1);
    let place = memo.place.unwrap_or(0);
    let starts = place >= able as u64;
    let round = if starts { round.saturating_add(1) } else { round };
    memo.round = Some(round);
    memo.place = Some(if starts { 1 } else { place + 1 });
    round
}
