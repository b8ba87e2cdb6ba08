//! What can be undone for a while.

use crate::model::{Command, Ms};

/// A deed that can be taken back for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    /// What takes it back.
    pub command: Command,
    /// What was said of it.
    pub told: String,
    pub since: Option<Ms>,
}
