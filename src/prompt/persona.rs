//! Personas with their templates filled in.

use crate::expr::{self, Facts, Template};
use crate::state::{State, Turn};

/// Fills in a persona; an invalid template is used unchanged.
pub(super) fn rendered(persona: &str, state: &State, turn: &Turn) -> String {
    filled(persona, state, turn).unwrap_or_else(|_| persona.to_owned())
}

/// Fills in a persona for a turn.
///
/// # Errors
/// If its template is invalid.
pub(super) fn filled(persona: &str, state: &State, turn: &Turn) -> Result<String, expr::ExprError> {
    if !persona.contains('{') {
        return Ok(persona.to_owned());
    }
    Template::compile(persona)?.render(&Facts::new(state.turn_facts(turn)))
}
