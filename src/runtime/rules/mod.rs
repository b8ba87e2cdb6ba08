//! Rules of a conversation beside its policy: a line of data in replies, a vote before and after it. `prompt` and
//! `engine` know none by name; what a rule keeps is in the state.
//!
//! To add a rule, write a file with its row and add that to [`ALL`].

mod poll;
mod rule;
mod stance;
#[cfg(test)]
mod tests;

pub use rule::{ConversationRule, RuleStep};

use crate::state::{State, Turn};

/// All rules, in the order of their texts in prompts.
pub const ALL: &[ConversationRule] = &[
    stance::RULE,
    poll::RULE,
    #[cfg(test)]
    tests::DUMMY,
];

/// Returns the label of the line of data that the reply of a turn is searched for, or without a turn, of any.
pub fn label(state: &State, turn: Option<&Turn>) -> Option<&'static str> {
    ALL.iter().find_map(|rule| (rule.label)(state, turn))
}

/// Returns whether a turn votes on what the speakers said, or without a turn, whether any will.
pub fn compares(state: &State, turn: Option<&Turn>) -> bool {
    ALL.iter().any(|rule| (rule.compares)(state, turn))
}
