//! Personas with their templates filled in.

use crate::expr::{self, Facts, Template};
use crate::state::{State, Turn};

/// A persona that is no valid template is still a persona.
pub(super) fn rendered(persona: &str, state: &State, turn: &Turn) -> String {
    filled(persona, state, turn).unwrap_or_else(|_| persona.to_owned())
}

/// Returns a persona as it is for a turn.
///
/// # Errors
/// What is wrong with its template.
pub(super) fn filled(persona: &str, state: &State, turn: &Turn) -> Result<String, expr::ExprError> {
    if !persona.contains('{') {
        return Ok(persona.to_owned());
    }
    Template::compile(persona)?.render(&Facts::new(state.turn_facts(turn)))
}
