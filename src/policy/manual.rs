//! The operator gives the floor, every time.

use super::{Decision, NextMove, Policy, View};
use crate::model::StopReason;
use crate::scenario::{PolicyRow, TakesPart};

/// The policy `manual`: waits for the operator to give the floor.
pub struct Manual;

const ROW: PolicyRow = PolicyRow {
    name: "manual",
    meaning: "You give the floor every time.",
    options: &[],
    needs_operator: true,
    takes_part: TakesPart::Turns("you have a seat and choose who speaks"),
};

impl Policy for Manual {
    fn row(&self) -> &'static PolicyRow {
        &ROW
    }

    fn next(&self, v: &View<'_>) -> Decision {
        // a seat that has fallen silent can still be given the floor again once its limit is raised, so only an
        // empty table is an end
        if v.thread.seats.iter().all(|s| v.state.seat(s).is_none_or(|s| s.gone)) {
            return v.end(StopReason::Exhausted);
        }
        Decision { next: NextMove::Wait, memo: v.thread.memo.clone() }
    }
}
