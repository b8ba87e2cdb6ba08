//! Common parts of the policies in which seats speak one after the other: turns, rounds and exceptions to the order.
//!
//! With `mentions = "once"` the first valid `@name` in the last message speaks next, once. The seat that was passed
//! over comes directly after, before any new mention counts, so that two seats that mention each other starve no other
//! seat. A request in the data of a reply (`requests: [{to, text}]`) does the same; it comes before mentions and does
//! not depend on the option. A mention moves no pointer: the policy's own memo keys are written only with a turn of its
//! own. The regular order is up to each policy.

use super::memo;
use super::requests;
use super::{Decision, NextMove, View};
use crate::model::{SeatId, Seq, StopReason, Text};
use crate::scenario::{OptionKind, OptionRow};
use crate::state::{Entry, Who};
use serde_json::{Value, json};

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
    /// Memo keys that are written only if the turn is taken.
    pub(super) memo: Vec<(&'static str, Value)>,
    /// Memo keys that are written in any case.
    pub(super) kept: Vec<(&'static str, Value)>,
}

/// Returns the decision for a turn: the turn itself, or the turn of a seat that was requested or mentioned. Ends or
/// waits if no seat can speak.
pub(super) fn decide(v: &View<'_>, turn: Option<ProposedTurn>) -> Decision {
    let Some(mut turn) = turn else { return v.nobody() };
    if v.option_count("rounds").is_some_and(|rounds| u64::from(turn.round) > rounds) {
        return v.end(StopReason::RoundLimit);
    }
    let heard = (memo::HEARD, json!(v.last_entry().map_or(0, |e| e.seq.0)));
    let owed = v.thread.memo[memo::OWED].as_str();
    let (asked, refused) = requests::in_turn(v);
    if let Some(text) = requests::untold(v, &refused) {
        return Decision { next: NextMove::Warn(text), memo: v.thread.memo.clone() };
    }
    let first = || asked.iter().find(|a| v.state.may_speak(&a.seat));
    let first = if owed.is_none() { first() } else { None };
    if let Some(request) = first.filter(|request| request.seat != turn.seat) {
        turn.queue.insert(0, turn.seat.clone());
        let mut set = std::mem::take(&mut turn.kept);
        set.extend(requests::granted(v, &asked, &request.seat));
        set.extend([heard, (memo::OWED, json!(turn.seat))]);
        let why = format!("requested by {}", v.name(&request.by));
        return speak(request.seat.clone(), why, turn, v.memo_with(set));
    }
    if owed.is_none()
        && first.is_none()
        && let Some((named, by)) = latest_mention(v)
        && *named != turn.seat
    {
        turn.queue.insert(0, turn.seat.clone());
        let mut set = std::mem::take(&mut turn.kept);
        set.extend(requests::granted(v, &asked, named));
        set.extend([heard, (memo::OWED, json!(turn.seat))]);
        let memo = v.memo_with(set);
        return speak(
            named.clone(),
            format!("{} mentioned {}", by.map_or("you", |by| v.name(by)), v.name(named)),
            turn,
            memo,
        );
    }
    if owed == Some(&*turn.seat) {
        turn.why = "was skipped before".into();
    } else if let Some(request) = first {
        turn.why = format!("requested by {}", v.name(&request.by));
    }
    let mut set = std::mem::take(&mut turn.kept);
    set.append(&mut turn.memo);
    set.extend(requests::granted(v, &asked, &turn.seat));
    if hears_names(v) || owed.is_some() {
        set.extend([heard, (memo::OWED, Value::Null)]);
    }
    let memo = v.memo_with(set);
    speak(turn.seat.clone(), std::mem::take(&mut turn.why), turn, memo)
}

fn speak(seat: SeatId, why: impl Into<Text>, turn: ProposedTurn, memo: Value) -> Decision {
    let mut queue = turn.queue;
    queue.truncate(QUEUE);
    let next =
        NextMove::Speak { seats: vec![seat], why: why.into(), queue, round: Some(turn.round) };
    Decision { next, memo }
}

/// Returns the mentioned seat and the author of the mention, `None` for the operator, from the latest unchecked message with a valid mention.
fn latest_mention<'a>(v: &View<'a>) -> Option<(&'a SeatId, Option<&'a str>)> {
    if !hears_names(v) {
        return None;
    }
    let heard = Seq(v.memo_count(memo::HEARD));
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

fn valid(v: &View<'_>, entry: &Entry, named: &SeatId) -> bool {
    let granted = entry.granted.as_ref() == Some(named);
    let own = entry.seat() == Some(named);
    v.state.may_speak(named) && v.thread.seats.contains(named) && !own && !granted
}

/// Counts turns into rounds for policies without an order: a round is one turn for each of `able` seats. Returns the
/// round of the next turn, from 1, and the memo keys that count it.
pub(super) fn round(v: &View<'_>, able: usize) -> (u32, Vec<(&'static str, Value)>) {
    let round = u32::try_from(v.memo_count(memo::ROUND)).unwrap_or(u32::MAX).max(1);
    let place = v.memo_count(memo::PLACE);
    let (round, place) =
        if place < able as u64 { (round, place + 1) } else { (round.saturating_add(1), 1) };
    (round, vec![(memo::ROUND, json!(round)), (memo::PLACE, json!(place))])
}
