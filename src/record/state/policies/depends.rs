//! Ended turns of seats with dependencies, for the result.

use crate::model::payload::TurnEnded;
use crate::scenario::{PolicyTraits, UsualLength};
use crate::state::policy_state::PolicyState;
use crate::state::{Conversation, PastTurn, Turn};

/// Name of the policy in scenarios and logs.
pub const NAME: &str = "depends";
/// Traits of `depends`.
pub const TRAITS: PolicyTraits = PolicyTraits {
    length: UsualLength::Batches,
    debates: false,
    dependencies: true,
    reads: &["may_request"],
    ..PolicyTraits::DEBATE
};

impl Conversation {
    /// Records the turn that just ended.
    pub(in crate::state) fn keep_run(&mut self, turn: &Turn, e: &TurnEnded) {
        let now = self.ms;
        let Some(thread) = self.threads.get_mut(&turn.thread) else { return };
        let reply = thread.batch.as_ref().and_then(|b| b.ended.last());
        if let (PolicyState::Runs(runs), Some(reply)) = (&mut thread.state, reply) {
            runs.all.push(PastTurn {
                batch: thread.batches,
                reply: reply.clone(),
                error: e.error.as_ref().map(|error| error.text.clone()),
                started: turn.granted,
                took_ms: now.since(turn.granted),
            });
        }
    }
}
