//! What was said, as far as it is seen from where the reader stands.

use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::theme::ThemeRole;
use crate::ui::view::link::{self, ScreenLink};
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
        let current = search.at.map(|(row, nth)| {
            let in_line = |line: &Line<'_>| search.in_line(line);
            let (line, nth) = view.viewport.locate(transcript, look, (row, nth), in_line);
            ((row, line), nth)
        });
        let spots = view.viewport.spots();
        let nth = |i: usize| current.filter(|(at, _)| spots.get(i) == Some(at)).map(|(_, nth)| nth);
        let all = lines.iter().enumerate();
        lines = all.map(|(i, line)| search.light(line, theme, nth(i))).collect();
    }
    view.links = links(transcript, view.viewport.spots(), &lines, area);
    frame.render_widget(Text::from(lines), area);
    let Some(drag) = view.drag else { return };
    let style = theme.style(ThemeRole::Selection);
    for (y, (row, line)) in view.viewport.spots().iter().enumerate() {
        if *row == drag.row
            && let Some((from, to)) = drag.cells(*line, width)
        {
            let cells = Rect {
                x: area.x + from as u16,
                y: area.y + y as u16,
                width: to.saturating_sub(from) as u16,
                height: 1,
            };
            frame.buffer_mut().set_style(cells.intersection(area), style);
        }
    }
}

/// The addresses in what is seen.
fn links(
    transcript: &Transcript,
    spots: &[(usize, usize)],
    lines: &[Line<'static>],
    area: Rect,
) -> Vec<ScreenLink> {
    let mut found = Vec::new();
    let mut rows: Vec<usize> = spots.iter().map(|(row, _)| *row).collect();
    rows.dedup();
    for row in rows {
        let Some(RowView::Words(entry, _)) = transcript.shown(row) else { continue };
        // most messages have none
        if !entry.text().contains("://") && !entry.text().contains("mailto:") {
            continue;
        }
        let of_row = spots.iter().zip(lines).enumerate().filter(|(_, ((at, _), _))| *at == row);
        let of_row =
            of_row.map(|(y, ((_, line), text))| (area.y + y as u16, *line, text.to_string()));
        found.extend(link::seen(entry.text(), &of_row.collect::<Vec<_>>(), area.x));
    }
    found
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
