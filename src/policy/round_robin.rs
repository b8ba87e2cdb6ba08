//! One after the other, in the order of the file or shuffled anew each round.
//!
//! With `mentions = "once"` the first valid `@name` in the last words speaks next, once; the seat that was passed
//! over comes directly after, before any new mention is honoured, so that two who name each other starve nobody.

use super::{Decision, Next, Policy, View};
use crate::model::{SeatId, Seq, StopReason};
use crate::scenario::{OptionKind, OptionRow, PolicyRow};
use serde_json::{Value, json};

/// See the module.
pub struct RoundRobin;

const ROW: PolicyRow = PolicyRow {
    name: "round_robin",
    meaning: "One after the other, in the order of the file or shuffled each round.",
    options: &[
        OptionRow {
            key: "mentions",
            kind: OptionKind::OneOf(&["once", "off"]),
            meaning: "Whether a seat named with @ speaks next, once.",
        },
        OptionRow {
            key: "order",
            kind: OptionKind::OneOf(&["file", "shuffled"]),
            meaning: "The order of the file, or a new one each round.",
        },
        OptionRow {
            key: "rounds",
            kind: OptionKind::Count,
            meaning: "Full passes of the speakers, then it ends.",
        },
    ],
    needs_operator: false,
};

/// How many seats behind the next one are told as the queue.
const QUEUE: usize = 4;

impl Policy for RoundRobin {
    fn row(&self) -> &'static PolicyRow {
        &ROW
    }

    fn next(&self, v: &View<'_>) -> Decision {
        if let Some(decision) = owed(v).or_else(|| named(v)) {
            return decision;
        }
        match in_turn(v) {
            None => v.end(StopReason::Exhausted),
            Some(turn) if v.option_count("rounds").is_some_and(|r| u64::from(turn.round) > r) => {
                v.end(StopReason::RoundLimit)
            }
            Some(turn) => {
                let memo = v.memo_with([("at", json!(turn.after())), ("round", json!(turn.round))]);
                let why = format!("place {} of {}", turn.place + 1, v.thread.seats.len());
                speak(v, turn.seat.clone(), why, turn.round, memo)
            }
        }
    }
}

/// The next place in the order.
struct Turn {
    seat: SeatId,
    place: usize,
    round: u32,
}

impl Turn {
    fn after(&self) -> usize {
        self.place + 1
    }
}

/// The order of a round. A seat that joined after the shuffle stands at the end of it.
fn order(v: &View<'_>, round: u32) -> Vec<SeatId> {
    let mut seats = v.thread.seats.clone();
    if v.option_is("order", "shuffled") {
        let place = v.thread.ordinal * 1_000_003 + u64::from(round);
        seats.sort_by_cached_key(|seat| v.state.dice(place, seat));
    }
    seats
}

/// Finds the next seat that can speak, from the pointer on, at most one whole round ahead.
fn in_turn(v: &View<'_>) -> Option<Turn> {
    let round = u32::try_from(v.memo_count("round")).unwrap_or(u32::MAX).max(1);
    let at = usize::try_from(v.memo_count("at")).unwrap_or(0);
    let here = order(v, round).into_iter().enumerate().skip(at).map(|(i, s)| (i, s, round));
    let behind = order(v, round + 1).into_iter().enumerate().map(|(i, s)| (i, s, round + 1));
    here.chain(behind)
        .find(|(_, seat, _)| v.state.may_speak(seat))
        .map(|(place, seat, round)| Turn { seat, place, round })
}

/// The seat that a mention passed over takes its turn before anything else.
fn owed(v: &View<'_>) -> Option<Decision> {
    let owed = v.thread.memo["owed"].as_str()?;
    if !v.state.may_speak(owed) {
        return None;
    }
    let turn = in_turn(v).filter(|t| t.seat == *owed)?;
    let memo = v.memo_with([
        ("owed", Value::Null),
        ("heard", json!(v.last_entry().map_or(0, |e| e.seq.0))),
        ("at", json!(turn.after())),
        ("round", json!(turn.round)),
    ]);
    Some(speak(v, turn.seat.clone(), "was passed over for a mention".into(), turn.round, memo))
}

/// The first valid mention in words that were not yet looked at.
fn named(v: &View<'_>) -> Option<Decision> {
    if !v.option_is("mentions", "once") {
        return None;
    }
    let entry = v.last_entry().filter(|e| e.seq > Seq(v.memo_count("heard")))?;
    let named = entry
        .mentions
        .iter()
        .find(|m| v.state.may_speak(m) && v.thread.seats.contains(m) && entry.seat() != Some(*m))?;
    let turn = in_turn(v)?;
    if turn.seat == *named {
        return None;
    }
    let memo = v.memo_with([("heard", json!(entry.seq.0)), ("owed", json!(turn.seat))]);
    let by = entry.seat().map_or("the operator", |s| &**s);
    Some(speak(v, named.clone(), format!("{by} named @{named}"), turn.round, memo))
}

fn speak(v: &View<'_>, seat: SeatId, why: String, round: u32, memo: Value) -> Decision {
    let at = usize::try_from(memo["at"].as_u64().unwrap_or(0)).unwrap_or(0);
    let order = order(v, round);
    let owed: Option<SeatId> = memo["owed"].as_str().map(SeatId::from);
    let rest = order.iter().cycle().skip(at).take(order.len());
    let mut queue: Vec<SeatId> = owed.into_iter().collect();
    for s in rest.filter(|s| v.state.may_speak(s)) {
        if *s != seat && !queue.contains(s) {
            queue.push(s.clone());
        }
    }
    queue.truncate(QUEUE);
    let next = Next::Speak { seats: vec![seat], why: why.into(), queue, round: Some(round) };
    Decision { next, memo }
}
