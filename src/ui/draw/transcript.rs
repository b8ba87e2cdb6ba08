//! What was said, as far as it is seen from where the reader stands.

use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::theme::ThemeRole;
use crate::ui::view::message::Look;
use crate::ui::view::transcript::{RowView, Transcript};
use crate::ui::view::viewport::Viewport;
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
    let acts = matches!(view.place(), Focus::Read | Focus::Replay | Focus::Found);
    let look = Look { width, theme, glyphs, keymap, reading: &view.reading };
    let mark = acts.then(|| mark(&mut view.viewport, transcript, look)).flatten();
    let mut lines = view.viewport.window(transcript, look, usize::from(area.height), mark);
    if let Some(search) = &view.search {
        lines = lines.iter().map(|line| search.light(line, theme)).collect();
    }
    frame.render_widget(Text::from(lines), area);
}

/// Rows that are looked through for the message that keys act on: what is further off is not on the screen.
const NEAR: usize = 200;

/// Returns the place of the message that keys act on.
fn mark(viewport: &mut Viewport, transcript: &Transcript, look: Look<'_>) -> Option<usize> {
    let from = viewport.reading(transcript, look);
    let words = |at: &usize| {
        matches!(transcript.shown(*at), Some(RowView::Words(..) | RowView::Speaking(_)))
    };
    (from.saturating_sub(NEAR)..=from).rev().find(words)
}
