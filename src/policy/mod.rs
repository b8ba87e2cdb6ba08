//! Who speaks next: one policy a file, each a pure function with a memo.
//!
//! A policy remembers only the memo that it wrote into its own last decision, so that resume and fork continue it
//! exactly. The pointer into an order is separate from who spoke: the first seat is not skipped, and neither the
//! operator's words nor a mute, a leaver or a mention move it. It deliberately grants nothing: `engine` does.
//!
//! To add one: a file with a unit struct, and its line in [`ALL`].

mod bids;
mod consensus;
mod depends;
mod in_turn;
mod manual;
mod memo;
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

/// Every policy, in the order in which help lists them.
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

/// Policies of threads that another policy opens: no scenario names them.
const INNER: &[&dyn Policy] = &[&step::StepTalk];

/// Returns a policy by its name.
pub fn find(name: &str) -> Option<&'static dyn Policy> {
    ALL.iter().chain(INNER).copied().find(|p| p.row().name == name)
}

/// Returns the result of a thread, final or so far.
pub fn result(state: &State, thread: &Thread) -> Value {
    match (&thread.closed, find(&thread.spec.policy)) {
        (Some(closed), _) => closed.result.clone(),
        (None, Some(policy)) => policy.result(&View { state, thread }),
        (None, None) => Value::Null,
    }
}

/// Returns what the scenario loader needs to know of every policy.
pub fn rows() -> Vec<PolicyRow> {
    ALL.iter().map(|p| *p.row()).collect()
}
