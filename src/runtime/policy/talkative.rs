//! Each seat rolls against its talkativeness, in random order; somebody always speaks.
//!
//! The previous speaker does not roll unless it is the only seat. The dice depend on the seed and the number of turns
//! so far.

use super::in_turn::{MENTIONS, NAMES, ProposedTurn, ROUNDS, count_turn, decide};
use super::{Policy, View};
use crate::model::SeatId;
use crate::scenario::{PolicyRow, PolicyTraits, TakesPart};

const ROW: PolicyRow = PolicyRow {
    name: "talkative",
    meaning: "Each participant rolls against its talkativeness; someone always speaks, no one twice in a row.",
    options: &[MENTIONS, NAMES, ROUNDS],
    takes_part: TakesPart::Turns("you have a seat and turns like the others"),
    traits: PolicyTraits {
        reads: &["rounds", "talkativeness", "may_request"],
        ..PolicyTraits::DEBATE
    },
};

/// Policy `talkative`; see the module.
pub(super) const POLICY: Policy = Policy::new(ROW, |v| decide(v, in_turn(v)));

/// Resolution of a roll: talkativeness in millionths.
const SIDES: u64 = 1_000_000;

fn in_turn(v: &View<'_>) -> Option<ProposedTurn> {
    let able: Vec<&SeatId> = v.able().collect();
    let mut memo = v.memo();
    let round = count_turn(&mut memo, able.len());
    let turns = memo.turns.unwrap_or(0);
    let place = (v.thread.ordinal * 1_000_003).wrapping_add(turns);
    let mut rolled: Vec<(&SeatId, f64)> =
        rollers(v, able).into_iter().map(|seat| (seat, margin(v, place, seat))).collect();
    rolled.sort_by_cached_key(|(seat, _)| v.state.dice(place, &format!("order {seat}")));
    // the first seat within its talkativeness, else the seat that came closest
    rolled.sort_by(|(_, a), (_, b)| a.max(0.0).total_cmp(&b.max(0.0)));
    let owed = memo.owed.as_ref();
    let next = rolled.iter().position(|(seat, _)| Some(*seat) == owed).unwrap_or(0);
    if rolled.is_empty() {
        return None;
    }
    let (seat, margin) = rolled.remove(next);
    (memo.turns, memo.last) = (Some(turns.saturating_add(1)), Some(seat.clone()));
    Some(ProposedTurn {
        seat: seat.clone(),
        why: if margin <= 0.0 { "rolled to speak" } else { "no one rolled to speak" }.into(),
        queue: rolled.into_iter().filter(|(_, m)| *m <= 0.0).map(|(s, _)| s.clone()).collect(),
        round,
        memo,
        kept: v.memo(),
    })
}

/// Returns the seats that roll: all except the last speaker and the seat chosen last, unless no seat would be left.
fn rollers<'a>(v: &View<'a>, mut able: Vec<&'a SeatId>) -> Vec<&'a SeatId> {
    let chosen = v.thread.memo.last.as_ref();
    for last in [v.last_speaker(), chosen].into_iter().flatten() {
        if able.len() > 1 {
            able.retain(|s| *s != last);
        }
    }
    able
}

/// Returns the difference between a seat's roll and its talkativeness; zero or less means that it speaks.
fn margin(v: &View<'_>, place: u64, seat: &SeatId) -> f64 {
    let roll = (v.state.dice(place, &format!("roll {seat}")) % SIDES) as f64 / SIDES as f64;
    roll - v.state.seat(seat).map_or(0.0, |s| s.spec.talkativeness)
}
