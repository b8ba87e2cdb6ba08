//! The operator gives the floor, every time.

use super::{Decision, Policy, View};
use crate::model::StopReason;
use crate::scenario::{PolicyRow, TakesPart};
use crate::state::policies;

const ROW: PolicyRow = PolicyRow {
    name: "manual",
    meaning: "You give the floor every time.",
    options: &[],
    takes_part: TakesPart::Turns("you have a seat and choose who speaks"),
    traits: policies::MANUAL,
};

/// Policy `manual`: waits for the operator to give the floor.
pub(super) const POLICY: Policy = Policy::new(ROW, next);

fn next(v: &View<'_>) -> Decision {
    // a seat at its limit can still get the floor once the limit is raised, so the thread ends only when all seats
    // have left
    if v.thread.seats.iter().all(|s| v.state.seat(s).is_none_or(|s| s.gone)) {
        return v.end(StopReason::Exhausted);
    }
    v.wait()
}
