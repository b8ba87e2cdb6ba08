//! Losses: what a conversation lacks at its end, for every place that tells how it ended.

use super::{Conversation, Entry};
use crate::model::*;

/// A participant with failed turns that were not repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostSeat {
    /// The participant.
    pub seat: SeatId,
    /// Number of its failed turns.
    pub failures: u32,
    /// True if it spoke in another turn.
    pub spoke: bool,
}

/// Parts that a conversation lacks at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Participants with failed turns, in order.
    pub seats: Vec<LostSeat>,
    /// Number of replies whose call failed after their first words.
    pub broken: usize,
    /// Participants without a vote in a finished search for one answer.
    pub unvoted: Vec<SeatId>,
    /// Number of completed steps of a plan and the numbers of the others, if some failed or did not run.
    pub steps: Option<String>,
    /// The reason why the result is missing: `no result: ...`.
    pub result: Option<Text>,
}

impl Losses {
    /// Returns whether nothing is lost.
    pub fn is_empty(&self) -> bool {
        *self == Losses::default()
    }
}

impl Conversation {
    /// Returns what is lost at the end, or at the planned length.
    pub fn losses(&self) -> Losses {
        let reason = self.ended.as_ref().map(|ended| ended.reason);
        self.losses_at(reason.unwrap_or(StopReason::UtteranceLimit))
    }

    /// Returns what would be lost by an end with this reason.
    pub fn losses_at(&self, reason: StopReason) -> Losses {
        let is_search = self.threads.get(&ThreadId::ROOT).is_some_and(|root| root.is_search());
        // who proposed an answer or passed need not vote
        let failed = |id: &&SeatId| self.seat(id).is_some_and(|seat| seat.failures > 0);
        let unvoted: Vec<SeatId> = match reason {
            StopReason::Consensus | StopReason::NoVotes => {
                self.unvoted().filter(failed).cloned().collect()
            }
            _ => vec![],
        };
        // the failures of an executor are in the states of its steps, and a later vote makes up for a failed one
        let counts = |id: &SeatId| {
            let made = self.seat(id).is_some_and(|seat| seat.spec.made_from.is_some());
            !made && (!is_search || unvoted.contains(id))
        };
        let failed = self.seats.iter().filter(|s| s.failures > 0 && counts(&s.spec.id));
        let seats: Vec<LostSeat> = failed
            .map(|s| LostSeat {
                seat: s.spec.id.clone(),
                failures: s.failures,
                spoke: s.utterances > 0,
            })
            .collect();
        let silent = |id: &SeatId| seats.iter().any(|lost| lost.seat == *id && !lost.spoke);
        let unvoted = unvoted.iter().filter(|id| !silent(id)).cloned().collect();
        let plan = self.plan().filter(|plan| plan.lost() > 0);
        let written = self.result.as_ref().is_some_and(|(_, at)| *at == self.utterances);
        let about = Some(payload::WarningAbout::Result(self.utterances));
        let missing = || self.warnings.iter().rev().find(|warning| warning.about == about);
        let missing = if written { None } else { missing() };
        let is_broken = |entry: &&Entry| entry.version().cut == Some(CutWhy::BrokenOff);
        Losses {
            broken: self.entries.iter().filter(is_broken).count(),
            unvoted,
            steps: plan.map(|plan| plan.tally()),
            result: missing.map(|warning| warning.text.clone()),
            seats,
        }
    }
}
