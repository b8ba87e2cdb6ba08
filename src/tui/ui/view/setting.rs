//! A setting that a key changed, as it was before: the undo key restores it.

use crate::ui::theme::Theme;

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
