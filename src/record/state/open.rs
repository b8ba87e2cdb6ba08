//! Open mentions: seats that were mentioned and have not spoken since.

use super::Conversation;
use crate::model::SeatId;

/// A mention of a seat that has not spoken since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenMention {
    pub seat: SeatId,
    /// Author of the message; `None` for the operator.
    pub by: Option<SeatId>,
    /// Number of the utterance, if it has one.
    pub number: Option<u32>,
}

impl Conversation {
    /// Returns the last mention of each present seat that has not spoken since, in order.
    pub fn open_mentions(&self) -> Vec<OpenMention> {
        let mut open: Vec<OpenMention> = vec![];
        for entry in self.entries.iter().filter(|e| e.hidden.is_none()) {
            if !entry.is_spoken_as() {
                open.retain(|m| entry.seat() != Some(&m.seat));
            }
            for seat in entry.mentions.iter().filter(|s| self.seat(s).is_some_and(|s| !s.gone)) {
                open.retain(|m| m.seat != *seat);
                let by = entry.seat().cloned();
                open.push(OpenMention { seat: seat.clone(), by, number: entry.number });
            }
        }
        open
    }
}
