//! A setting that a key changed, as it was before: the undo key restores it.

use crate::ui::layout::Panels;
use crate::ui::theme::Theme;

/// The value of a setting before the change.
#[derive(Clone, Debug)]
pub enum ChangedSetting {
    /// The theme, its name, and whether the person had chosen it.
    Theme {
        /// Name in the settings.
        name: String,
        /// Its colours.
        theme: Box<Theme>,
        /// True if the person had chosen it.
        chosen: bool,
    },
    /// Mode of the panels.
    Panels(Panels),
}
