//! Notes for one seat: the operator's guidance, and the end of its own private thinking.

use crate::model::Text;
use crate::state::{State, Turn};

/// Maximum length of a seat's own notes in its prompt, in characters.
const NOTES_MAX: usize = 1_500;

/// Returns the end of the private thinking before the seat's last turn. It may hold names, so it is left
/// out while names are hidden.
pub(super) fn own_notes(state: &State, turn: &Turn) -> Option<Text> {
    if !turn.speaks() || !state.labels(turn).is_empty() {
        return None;
    }
    let notes = state.seat(&turn.seat)?.own_notes.as_deref()?.trim();
    let begin = notes.char_indices().rev().nth(NOTES_MAX).map_or(0, |(at, _)| at);
    notes.get(begin..).map(Into::into)
}

/// Returns the operator's guidance, with names replaced by labels if they are hidden from the seat.
pub(super) fn notes(state: &State, turn: &Turn) -> Vec<Text> {
    let labels = state.labels(turn);
    state.notes_of(turn).iter().map(|note| state.addressed_as(note, &labels)).collect()
}
