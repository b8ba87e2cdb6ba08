//! All seats speak at once and see only messages from before the round.

use super::in_turn::ROUNDS;
use super::{Decision, NextMove, Policy, View};
use crate::model::{SeatId, StopReason};
use crate::scenario::{PolicyRow, TakesPart};
use crate::state::{Memo, policies};

const ROW: PolicyRow = PolicyRow {
    name: "simultaneous",
    meaning: "All speak at once, seeing only what was said before the round.",
    options: &[ROUNDS],
    takes_part: TakesPart::Turns("you have a seat and speak with the others"),
    traits: policies::SIMULTANEOUS,
};

/// Policy `simultaneous`; see the module.
pub(super) const POLICY: Policy = Policy::new(ROW, next);

fn next(v: &View<'_>) -> Decision {
    let round = v.thread.memo.round.unwrap_or(0).saturating_add(1);
    if v.option_count("rounds").is_some_and(|rounds| u64::from(round) > rounds) {
        return v.end(StopReason::RoundLimit);
    }
    let able: Vec<SeatId> = v.able().cloned().collect();
    if able.is_empty() {
        return v.nobody();
    }
    let keeps = |seat: &&SeatId| v.state.keeps_answer(v.thread.id, seat);
    let seats: Vec<SeatId> = able.iter().filter(|seat| !keeps(seat)).cloned().collect();
    if seats.is_empty() {
        // everybody agrees, so that later rounds would be the same
        return v.end(StopReason::Completed);
    }
    let next = NextMove::Speak {
        seats,
        why: format!("all at once, round {round}").into(),
        queue: vec![],
        round: Some(round),
    };
    Decision { next, memo: Memo { round: Some(round), ..v.memo() } }
}
