//! Names of participants, of the operator and of the conversation, as the screen shows them.

use super::transcript::Transcript;
use crate::model::SeatId;
use crate::state::{Entry, Who};
use crate::text;

impl Transcript {
    /// Returns the index of a seat; 0 if unknown.
    pub fn seat_place(&self, id: &str) -> usize {
        self.state().seats.iter().position(|s| s.spec.id == id).unwrap_or(0)
    }

    /// Returns the name of a seat, safe for one line.
    pub fn name(&self, id: &SeatId) -> String {
        let seat = self.state().seat(id);
        let name = seat.map_or(&id.0, |s| &s.spec.name);
        text::name(name).into_owned()
    }

    /// Returns the names of seats, separated by commas.
    pub fn names<'a>(&self, ids: impl IntoIterator<Item = &'a SeatId>) -> String {
        ids.into_iter().map(|id| self.name(id)).collect::<Vec<_>>().join(", ")
    }

    /// Returns the title, safe for one line.
    pub fn title(&self) -> String {
        text::label(&self.state().shown_title()).into_owned()
    }

    /// Returns `true` if an entry was written by the operator.
    pub fn is_operators(entry: &Entry) -> bool {
        entry.who == Who::Operator
    }
}
