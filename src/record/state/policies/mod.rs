//! Traits and state of the policies. Only this folder and `policy` know policies by their names.
//!
//! A policy with a state of its own has a file here, an arm of [`PolicyState`], and lines in [`traits`] and
//! `PolicyState::new`.

pub mod consensus;
pub mod depends;
pub mod plan;
mod plan_facts;

use super::policy_state::PolicyState;
use super::table::Thread;
use crate::scenario::{PolicyTraits, TurnOrder, UsualLength};

/// Keys of policies that count rounds, and under which a structured reply may ask others to speak.
pub const REQUESTS: &[&str] = &["rounds", "may_request"];
/// Keys of other policies that count rounds.
pub const COUNTS_ROUNDS: &[&str] = &["rounds"];
/// Traits of `round_robin`.
pub const ROUND_ROBIN: PolicyTraits =
    PolicyTraits { order: TurnOrder::InTurn, reads: REQUESTS, ..PolicyTraits::DEBATE };
/// Traits of `simultaneous`.
pub const SIMULTANEOUS: PolicyTraits =
    PolicyTraits { order: TurnOrder::AtOnce, reads: COUNTS_ROUNDS, ..PolicyTraits::DEBATE };
/// Traits of `manual`.
pub const MANUAL: PolicyTraits = PolicyTraits { needs_operator: true, ..PolicyTraits::DEBATE };
/// Traits of `phases`.
pub const PHASES: PolicyTraits =
    PolicyTraits { length: UsualLength::Own, phases: true, ..PolicyTraits::DEBATE };

/// Name of the policy `bids`.
pub const BIDS: &str = "bids";

/// Returns the traits of a policy by its name. An unknown policy has those of a free discussion.
pub fn traits(policy: &str) -> PolicyTraits {
    match policy {
        "round_robin" => ROUND_ROBIN,
        "simultaneous" => SIMULTANEOUS,
        "manual" => MANUAL,
        "phases" => PHASES,
        depends::NAME => depends::TRAITS,
        consensus::NAME => consensus::TRAITS,
        plan::NAME | plan::STEP_NAME => plan::TRAITS,
        _ => PolicyTraits::DEBATE,
    }
}

impl Thread {
    pub fn traits(&self) -> PolicyTraits {
        traits(&self.spec.policy)
    }

    /// Returns whether a participant named in the question at the end of a turn speaks next.
    pub fn hears_names(&self) -> bool {
        self.spec.options["names"] == "asked" || &*self.spec.policy == BIDS
    }
}

impl PolicyState {
    /// Returns the state of a new thread.
    pub(super) fn new(policy: &str) -> PolicyState {
        match policy {
            depends::NAME => PolicyState::Runs(Default::default()),
            consensus::NAME => PolicyState::Answers(vec![]),
            plan::NAME => PolicyState::Plan(Default::default()),
            plan::STEP_NAME => PolicyState::Step,
            _ => PolicyState::Memo,
        }
    }
}
