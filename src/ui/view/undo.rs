//! Actions that can be undone for a while.

use crate::model::{Command, Ms};

/// An action that can be undone for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    /// The command that undoes it.
    pub command: Command,
    /// The description of the action.
    pub told: String,
    /// Whether it stays until it is used, without a message: nothing wakes a conversation that is paused.
    pub lasts: bool,
    /// When the offer was first shown; none before that.
    pub since: Option<Ms>,
}
