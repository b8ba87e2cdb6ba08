//! Summaries of long conversations: the parts that they cover, their readers, and their use in prompts.

use super::{Conversation, Entry, Turn};
use crate::model::payload::TurnEnded;
use crate::model::*;

/// A finished or failed summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// `seq` of the end of its turn.
    pub seq: Seq,
    /// The thread it was made in.
    pub thread: ThreadId,
    /// The part that it covers, and the seat that reads it.
    pub task: SummaryTask,
    /// Text of the summary; `None` if it failed.
    pub text: Option<Text>,
    /// Labels that the text has in place of names.
    pub labels: super::Labels,
}

impl Conversation {
    /// Applies the end of a turn that summarises.
    pub(super) fn sum_up(&mut self, seq: Seq, turn: &Turn, e: &TurnEnded) {
        let said = e.outcome == Outcome::Said && !e.text.trim().is_empty();
        self.summaries.extend(turn.summarises.clone().map(|task| Summary {
            seq,
            thread: turn.thread,
            task,
            text: said.then(|| e.text.clone()),
            labels: turn.labels.clone(),
        }));
    }

    /// Returns whether a turn reads a summary instead of the messages that it covers.
    pub fn reads_summary(&self, turn: &Turn) -> bool {
        let by_seat =
            matches!(self.seat(&turn.seat).map(|s| &s.spec.context), Some(Budget::Summary { .. }));
        by_seat || turn.summarises.is_some() || self.sees(turn) == Sees::Summary
    }

    /// Returns the latest summary that may replace the entries it covers in a turn's prompt: it was made from the same
    /// entries, and none of them was changed or hidden since.
    pub fn summary_for(&self, turn: &Turn) -> Option<&Summary> {
        self.summaries.iter().rev().find(|s| {
            let fits =
                s.text.is_some() && turn.summarises.as_ref().is_none_or(|r| s.task.upto < r.upto);
            fits && self.covers(s, turn)
        })
    }

    fn covers(&self, summary: &Summary, turn: &Turn) -> bool {
        let upto = |e: &&Entry| e.seq <= summary.task.upto;
        let theirs = self.entries.iter().filter(upto).filter(|e| {
            let allowed = e.to.is_empty() || e.to.contains(&summary.task.viewer);
            allowed && self.sees_thread(summary.thread, e.thread)
        });
        let changed = |e: &Entry| {
            let since =
                [e.changed, e.edited.as_ref().map(|(since, _)| *since), Some(e.version().seq)];
            since.into_iter().flatten().any(|since| since > summary.seq)
        };
        let ours = self.visible(turn).filter(upto);
        ours.map(|e| e.seq).eq(theirs.map(|e| e.seq))
            && !self.visible(turn).filter(upto).any(changed)
    }
}
