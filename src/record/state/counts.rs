//! Counts of turns and batches, and the use of limits.

use super::{Batch, Conversation, Since, policies};
use crate::model::{Limit, Ms, ThreadId};
use crate::scenario::UsualLength;

impl Conversation {
    /// Returns the use of a limit at a moment, in the limit's unit.
    pub fn used(&self, limit: Limit, now: Ms) -> u64 {
        match limit {
            Limit::Utterances => u64::from(self.utterances),
            Limit::Rounds => u64::from(
                self.threads.get(&ThreadId::ROOT).map_or(0, |t| t.round.saturating_sub(1)),
            ),
            Limit::Seconds => self.running.at(now) / 1000,
            Limit::Batches => u64::from(self.finished_batches()),
            Limit::Tokens => self.spent().usage.tokens(),
            Limit::Usd => self.spent().usd.0,
        }
    }

    /// Returns the number of finished batches of the whole conversation's policy.
    pub fn finished_batches(&self) -> u32 {
        let Some(root) = self.threads.get(&ThreadId::ROOT) else { return 0 };
        let open = |b: &&Batch| b.is_policys() && self.is_open(b);
        root.batches - root.batch.iter().filter(open).count() as u32
    }

    /// Returns `turn_count` for conditions: the number of finished batches under `depends`, else of ended utterances.
    pub fn turn_count(&self) -> u32 {
        self.turn_count_after(Since::default())
    }

    pub(super) fn turn_count_after(&self, since: Since) -> u32 {
        match policies::traits(&self.scenario.policy.name).length {
            UsualLength::Batches => self.finished_batches().saturating_sub(since.batches),
            _ => self.utterances.saturating_sub(since.utterances),
        }
    }
}
