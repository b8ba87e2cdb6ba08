//! Order of the messages of a simultaneous round in a prompt.
//!
//! The transcript has them in the order of the seats. A speaker reads its own message first, as it wrote it before it
//! read the others'. A judge who judges again reads each round in reverse.

use crate::state::{Entry, State, Turn};

/// Puts the messages of each simultaneous round into the order of a turn's prompt.
pub(super) fn arrange(state: &State, turn: &Turn, entries: &mut [&Entry]) {
    let again = state.is_judged_again(turn);
    if !again && !turn.speaks() {
        return;
    }
    for round in entries.chunk_by_mut(|a, b| a.is_beside(b)) {
        if again {
            round.reverse();
        } else {
            round.sort_by_key(|entry| entry.seat() != Some(&turn.seat));
        }
    }
}
