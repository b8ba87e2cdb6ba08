//! Properties of the reader of a prompt: its name in the eyes of others, and whether it reads a summary.

use crate::model::{Budget, Sees};
use crate::state::{State, Turn};

/// Name of a person's seat in prompts if its own name would address the reader.
pub(super) const VISITOR: &str = "the visitor";

/// Returns true if a turn reads a summary instead of the messages that it covers.
pub(super) fn reads_summary(state: &State, turn: &Turn) -> bool {
    let by_seat =
        matches!(state.seat(&turn.seat).map(|s| &s.spec.context), Some(Budget::Summary { .. }));
    by_seat || turn.summarises.is_some() || state.sees(turn) == Sees::Summary
}

/// Returns true if a name, such as "You" for a person's seat, would address the reader of the prompt.
pub(super) fn addresses_the_reader(name: &str) -> bool {
    name.eq_ignore_ascii_case("you")
}
