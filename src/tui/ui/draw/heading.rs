//! Headings of sections in the sidebar.

use crate::ui::screen::Screen;
use crate::ui::theme::ThemeRole;
use ratatui::text::Line;

/// Returns the heading of a section.
pub fn section_heading(screen: &Screen, words: &'static str) -> Line<'static> {
    Line::styled(words, screen.theme.style(ThemeRole::Muted))
}
