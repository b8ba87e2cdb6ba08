//! What was said, as far as it is seen from where the reader stands.

use crate::ui::screen::Screen;
use crate::ui::theme::ThemeRole;
use crate::ui::view::message::Look;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Text};

/// Draws the lines that are seen; before the first word, what it is about.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let Screen { transcript, view, theme, glyphs, keymap, .. } = screen;
    if transcript.is_empty() {
        let waits = Line::styled("   waiting for the first turn", theme.style(ThemeRole::Muted));
        frame.render_widget(Text::from(vec![Line::default(), waits]), area);
    }
    let width = usize::from(area.width);
    let look = Look { width, theme, glyphs, keymap, reading: &view.reading };
    let mut lines = view.viewport.window(transcript, look, usize::from(area.height));
    if let Some(search) = &view.search {
        lines = lines.iter().map(|line| search.light(line, theme)).collect();
    }
    frame.render_widget(Text::from(lines), area);
}
