//! The visible part of the transcript.

use crate::ui::action::Action;
use crate::ui::draw::floor::words;
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::links::ScreenLink;
use crate::ui::theme::ThemeRole;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::floor::Status;
use crate::ui::view::link;
use crate::ui::view::message::{INDENT, Look};
use crate::ui::view::transcript::{RowView, Transcript};
use crate::ui::view::viewport::{SeenLine, Viewport};
use ratatui::layout::Rect;
use ratatui::text::{Line, Text};
use std::ops::Range;
use std::rc::Rc;

/// Maximum rows by which the text may have moved up since the last frame.
const MOVED_MAX: usize = 3;

/// Draws the visible lines; a placeholder before the first message.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let Screen { transcript, theme, glyphs, clock, keymap, .. } = screen;
    if transcript.is_empty() {
        let waits =
            match words(transcript, Status::from_state(transcript.state()), clock.now()).what {
                what if what.is_empty() => what,
                what if transcript.state().turns.is_empty() => format!("{what}{}", glyphs.ellipsis),
                what => format!("{what}; {} leaves", keymap.way(Action::Interrupt, Focus::Write)),
            };
        let waits = Line::styled(format!("   {waits}"), theme.style(ThemeRole::Muted));
        frame.render_widget(Text::from(vec![Line::default(), waits]), area);
    }
    let lines = seen(area, screen);
    for (line, row) in lines.iter().zip(area.rows()) {
        draw_line(frame, row, line, screen.glyphs);
    }
    screen.view.lines = lines;
    let width = usize::from(area.width);
    let view = &screen.view;
    let Some(drag) = view.drag else { return };
    let style = screen.theme.style(ThemeRole::Selection);
    for (y, (row, line)) in view.viewport.spots().iter().enumerate() {
        if *row == drag.row
            && let Some((from, to)) = drag.cells(*line, width)
        {
            let from = from.max(INDENT);
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

/// Draws the lines that differ from the last frame, and copies lines that only moved; returns the changed rows.
pub fn draw_words(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) -> Range<u16> {
    let lines = seen(area, screen);
    let before = std::mem::take(&mut screen.view.lines);
    let moved = |by: &usize| before.iter().skip(*by).zip(&lines).filter(|(a, b)| a == b).count();
    let by = (0..=MOVED_MAX).rev().max_by_key(moved).unwrap_or(0);
    let mut rows = area.bottom()..area.top();
    for (n, row) in area.rows().enumerate() {
        let was = before.get(n);
        let is = lines.get(n);
        if was == is {
            continue;
        }
        rows = rows.start.min(row.y)..row.bottom();
        // rows further down are not overwritten yet
        if is.is_some() && before.get(n + by) == is {
            frame.copy(Rect { y: row.y + by as u16, ..row }, row.y);
            continue;
        }
        frame.wipe(row, &screen.theme);
        if let Some(line) = is {
            draw_line(frame, row, line, screen.glyphs);
        }
    }
    screen.view.lines = lines;
    if rows.is_empty() { 0..0 } else { rows }
}

/// Draws a line. In the message that keys act on, the bar before the text is twice as wide.
fn draw_line(frame: &mut Frame<'_>, row: Rect, seen: &SeenLine, glyphs: &Glyphs) {
    frame.render_line(&seen.line, row);
    let gutter = seen.line.spans.first().is_some_and(|first| {
        let bar = first.content.strip_prefix(' ').and_then(|rest| rest.strip_suffix(' '));
        bar == Some(glyphs.gutter)
    });
    if seen.marked && gutter && !row.is_empty() {
        frame.buffer_mut()[(row.x, row.y)].set_symbol(glyphs.mark);
    }
}

/// Returns the visible lines, and finds the addresses in them.
fn seen(area: Rect, screen: &mut Screen) -> Vec<SeenLine> {
    let Screen { transcript, view, theme, glyphs, keymap, .. } = screen;
    let width = usize::from(area.width);
    let acts = matches!(view.place(), Focus::Read | Focus::Marked | Focus::Replay);
    let place = view.steering();
    let look = Look { width, theme, glyphs, keymap, place, reading: &view.reading };
    let mark = acts.then(|| mark(&mut view.viewport, transcript, look)).flatten();
    let mut lines = view.viewport.window(transcript, look, usize::from(area.height), mark);
    if let Some(search) = &view.over.search {
        let current = search.at.map(|(row, nth)| {
            let in_line = |line: &Line<'_>| search.in_line(line);
            let (line, nth) = view.viewport.locate(transcript, look, row, nth, in_line);
            ((row, line), nth)
        });
        let spots = view.viewport.spots();
        let nth = |i: usize| current.filter(|(at, _)| spots.get(i) == Some(at)).map(|(_, nth)| nth);
        for (i, seen) in lines.iter_mut().enumerate() {
            seen.line = Rc::new(search.light(&seen.line, theme, nth(i)));
        }
    }
    view.links = links(transcript, view.viewport.spots(), &lines, area);
    lines
}

/// Returns the addresses in the visible lines.
fn links(
    transcript: &Transcript,
    spots: &[(usize, usize)],
    lines: &[SeenLine],
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
            of_row.map(|(y, ((_, line), seen))| (area.y + y as u16, *line, seen.line.to_string()));
        found.extend(link::seen(entry.text(), &of_row.collect::<Vec<_>>(), area.x));
    }
    found
}

/// Maximum rows that are searched for the message that keys act on; further rows are not on the screen.
const NEAR: usize = 200;

/// Returns the row index of the message that keys act on.
fn mark(viewport: &mut Viewport, transcript: &Transcript, look: Look<'_>) -> Option<usize> {
    let from = viewport.reading(transcript, look);
    let words = |at: &usize| {
        matches!(transcript.shown(*at), Some(RowView::Words(..) | RowView::Speaking(_)))
    };
    (from.saturating_sub(NEAR)..=from).rev().find(words)
}
