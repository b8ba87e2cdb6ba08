//! The replacement for the tables of languages in a build without them.

use crate::ui::theme::Theme;
use ratatui::text::Line;

/// Returns whether languages are known by now.
pub fn ready() -> bool {
    false
}

/// Returns none: no language is known.
pub(super) fn coloured(_: &str, _: &str, _: &Theme) -> Option<Vec<Line<'static>>> {
    None
}
