//! What a talk leaves open: seats that were named and never answered.

use super::Conversation;
use crate::model::SeatId;

/// Somebody who was named and has said nothing since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenMention {
    /// Who was named.
    pub seat: SeatId,
    /// Whose words name the seat; nobody's seat, if they are the operator's.
    pub by: Option<SeatId>,
    /// The utterance that does, if it has a number.
    pub number: Option<u32>,
}

impl Conversation {
    /// Returns the last mention of each seat at the table that nothing was said after by the seat it names, in order.
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
