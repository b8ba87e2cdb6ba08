//! Actions that can be undone for a limited time.

use crate::model::{Command, Ms};
use crate::ui::theme::Theme;

/// An offer to undo an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    pub command: Command,
    /// Description of the action.
    pub told: String,
    /// True if the offer has no timeout and shows no notice: a paused conversation does not resume by itself.
    pub lasts: bool,
    /// Time at which the offer was first shown; `None` before that.
    pub since: Option<Ms>,
}

/// Theme before a change.
#[derive(Clone, Debug)]
pub struct ChangedSetting {
    /// Name in the settings.
    pub name: String,
    /// Its colours.
    pub theme: Box<Theme>,
    /// True if the person had chosen it.
    pub chosen: bool,
}
