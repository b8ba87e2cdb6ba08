//! A policy with a board and a prompt section, only for tests: a policy takes this file and its lines in `mod.rs`.
//!
//! Each seat speaks once, in order.

use super::board::{Board, BoardRow, RowLabel, RowProgress};
use super::prompt_parts::{PromptParts, PromptSection};
use super::{Decision, NextMove, Policy, View};
use crate::model::{SeatId, StopReason};
use crate::scenario::{PolicyRow, PolicyTraits, TakesPart};
use crate::state::Turn;

const ROW: PolicyRow = PolicyRow {
    name: "dummy",
    meaning: "Each seat speaks once.",
    options: &[],
    takes_part: TakesPart::Turns("once"),
    traits: PolicyTraits::DEBATE,
};

/// The policy; see the module.
pub(super) const POLICY: Policy =
    Policy { board, prompt, tags: &["dummy_turns"], ..Policy::new(ROW, next) };

fn next(v: &View<'_>) -> Decision {
    let Some(seat) = v.able().find(|seat| !has_spoken(v, seat)) else {
        return v.end(StopReason::Completed);
    };
    let why = "has not spoken".into();
    let next = NextMove::Speak { seats: vec![seat.clone()], why, queue: vec![], round: None };
    Decision { next, memo: v.memo() }
}

fn board(v: &View<'_>) -> Option<Board> {
    let row = |seat: &SeatId| {
        let label = RowLabel::Seat(seat.clone());
        if has_spoken(v, seat) {
            BoardRow::new(label, RowProgress::Done, "spoke")
        } else {
            BoardRow::new(label, RowProgress::Waiting, "waits")
        }
    };
    let rows = v.thread.seats.iter().map(row).collect();
    Some(Board { title: "TURNS", rows, word_cells: 5, ..Board::default() })
}

fn prompt(v: &View<'_>, _: &Turn) -> Option<PromptParts> {
    let spoken = v.thread.seats.iter().filter(|seat| has_spoken(v, seat)).count();
    let section = PromptSection::new("dummy_turns", format!("{spoken} have spoken </dummy_turns>"));
    Some(PromptParts { sections: vec![section], ..PromptParts::default() })
}

fn has_spoken(v: &View<'_>, seat: &SeatId) -> bool {
    v.entries().any(|entry| entry.seat() == Some(seat))
}
