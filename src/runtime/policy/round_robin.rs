//! Seats speak one after the other, in the order of the file or shuffled for each round.

use super::in_turn::{MENTIONS, NAMES, ProposedTurn, ROUNDS, decide};
use super::{Policy, View};
use crate::model::SeatId;
use crate::model::payload::place_reason;
use crate::scenario::{OptionKind, OptionRow, PolicyRow, TakesPart};
use crate::state::{Memo, policies};

const ROW: PolicyRow = PolicyRow {
    name: "round_robin",
    meaning: "In turn, in the order of the file or shuffled each round.",
    options: &[
        MENTIONS,
        NAMES,
        OptionRow {
            key: "order",
            kind: OptionKind::OneOf(&["file", "shuffled"]),
            meaning: "The order of the file, or shuffled each round.",
        },
        ROUNDS,
    ],
    takes_part: TakesPart::Turns("you have a seat and speak in turn"),
    traits: policies::ROUND_ROBIN,
};

/// Policy `round_robin`; see the module.
pub(super) const POLICY: Policy = Policy::new(ROW, |v| decide(v, in_turn(v)));

/// Returns the order of a round. With a shuffled order, a seat that joins gets its own random position. The last speaker
/// of a round, or of the phase before, does not begin the next one.
fn order(v: &View<'_>, round: u32, before: Option<&SeatId>) -> Vec<SeatId> {
    let shuffled = |round: u32| {
        let mut seats = v.thread.seats.clone();
        let place = v.thread.ordinal * 1_000_003 + u64::from(round);
        seats.sort_by_cached_key(|seat| v.state.dice(place, seat));
        seats
    };
    let shuffles = v.option_is("order", "shuffled");
    // two seats have only one order in which nobody speaks twice in a row
    let round = if v.thread.seats.len() == 2 { 1 } else { round };
    let mut seats = if shuffles { shuffled(round) } else { v.thread.seats.clone() };
    let earlier = if shuffles && round > 1 { shuffled(round - 1) } else { vec![] };
    if seats.len() > 1 && earlier.last().or(before) == seats.first() {
        seats.swap(0, 1);
    }
    seats
}

/// Returns the next turn: the first seat from the pointer on that can speak, at most one round ahead.
fn in_turn(v: &View<'_>) -> Option<ProposedTurn> {
    let round = v.thread.memo.round.unwrap_or(1).max(1);
    let at = v.thread.memo.at.unwrap_or(0);
    // sessions of earlier programs remember no speaker before, so that their order stays
    let begins = v.thread.memo.round.is_none() && v.thread.memo.heard.is_none();
    let before = if begins { v.last_speaker() } else { v.thread.memo.last.as_ref() };
    let here = order(v, round, before).into_iter().enumerate().skip(at);
    let here = here.map(|(i, s)| (i, s, round));
    let after = round.saturating_add(1);
    let behind = order(v, after, before).into_iter().enumerate().map(|(i, s)| (i, s, after));
    let mut turns = here.chain(behind).filter(|(_, seat, _)| v.state.may_speak(seat));
    let (place, seat, round) = turns.next()?;
    let mut queue: Vec<SeatId> = vec![];
    for (_, next, _) in turns {
        if next != seat && !queue.contains(&next) {
            queue.push(next);
        }
    }
    let kept = Memo { last: before.cloned(), ..v.memo() };
    Some(ProposedTurn {
        why: place_reason(place + 1, v.thread.seats.len()),
        memo: Memo { at: Some(place + 1), round: Some(round), ..kept.clone() },
        kept,
        seat,
        queue,
        round,
    })
}
