//! What a conversation leaves open: seats that were named and did not answer.

use super::Conversation;
use crate::model::SeatId;

/// A seat that was named and has not spoken since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenMention {
    /// The seat that was named.
    pub seat: SeatId,
    /// The seat whose words name it; none if they are the operator's.
    pub by: Option<SeatId>,
    /// The utterance that does, if it has a number.
    pub number: Option<u32>,
}

impl Conversation {
    /// Returns, for each seat at the table that has not spoken since, the last mention of it, in order.
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
