//! Policies decide who speaks next. Each has a file of its own and is a pure function with a memo.
//!
//! A policy remembers only the memo in its own last decision, so that resume and fork continue it exactly. The pointer
//! into an order is independent of who spoke: the first seat is not skipped, and operator messages, mutes, leaving
//! seats and mentions do not move it. Policies deliberately do not grant the floor themselves; `engine` does.
//!
//! To add a policy, write a file with a unit struct and add it to [`ALL`].

mod bids;
mod consensus;
mod depends;
mod in_turn;
mod manual;
mod moderated;
mod phases;
mod plan;
mod requests;
mod round_robin;
mod simultaneous;
mod step;
mod talkative;
mod view;
mod weighted;

pub use depends::{NeverRan, never_ran};
pub use view::{Decision, NextMove, Policy, View};

use crate::scenario::PolicyRow;
use crate::state::{State, Thread};
use serde_json::Value;

/// All policies that scenarios can name, in the order of the help text.
pub const ALL: &[&dyn Policy] = &[
    &round_robin::RoundRobin,
    &weighted::Weighted,
    &talkative::Talkative,
    &moderated::Moderated,
    &bids::Bids,
    &simultaneous::Simultaneous,
    &manual::Manual,
    &phases::Phases,
    &depends::Depends,
    &consensus::Consensus,
    &plan::Planning,
];

/// Policies of threads that another policy opens; scenarios cannot name them.
const INNER: &[&dyn Policy] = &[&step::StepTalk];

/// Returns a policy by its name.
pub fn find(name: &str) -> Option<&'static dyn Policy> {
    ALL.iter().chain(INNER).copied().find(|p| p.row().name == name)
}

/// Returns the final or preliminary result of a thread.
pub fn result(state: &State, thread: &Thread) -> Value {
    match (&thread.closed, find(&thread.spec.policy)) {
        (Some(closed), _) => closed.result.clone(),
        (None, Some(policy)) => policy.result(&View { state, thread }),
        (None, None) => Value::Null,
    }
}

/// Returns the rows of all policies, for the scenario loader.
pub fn rows() -> Vec<PolicyRow> {
    ALL.iter().map(|p| *p.row()).collect()
}
