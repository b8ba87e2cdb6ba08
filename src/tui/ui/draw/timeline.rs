//! The timeline of a recording: one row with the turns so far in the colours of their speakers, moves and marks, the
//! playhead, and the time at both ends.

use crate::text::clock;
use crate::ui::frame::Frame;
use crate::ui::layout::{TIMELINE_LABEL, axis};
use crate::ui::screen::Screen;
use crate::ui::theme::ThemeRole;
use crate::ui::view::player::Playback;
use crate::ui::view::timeline::Sort;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Draws the row.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let Screen { theme, glyphs, view, .. } = screen;
    let Some(playback) = view.playback() else { return };
    let Playback { timeline, transport, .. } = playback;
    let columns = usize::from(axis(area).width);
    let standing = transport.status();
    let head = timeline.column(standing.now, columns);
    let muted = theme.style(ThemeRole::Muted);
    let mut cells = vec![Span::styled(glyphs.rule, theme.style(ThemeRole::TimeRest)); columns];
    // neighbouring turns have different heights, for screens without colours
    let heights = [glyphs.levels[1], glyphs.levels[glyphs.levels.len() / 2]];
    for (nth, (place, span)) in timeline.turns(columns).into_iter().enumerate() {
        let style = theme.speaker_bar(place);
        let played = cells.iter_mut().take(head).enumerate().filter(|(at, _)| span.contains(at));
        played.for_each(|(_, cell)| *cell = Span::styled(heights[nth % 2], style));
    }
    // if several fall on one cell, the last one drawn is visible
    for sort in Sort::ALL {
        for mark in timeline.marks.iter().filter(|mark| mark.sort.is_same(sort)) {
            let style = match mark.sort {
                Sort::Move(place) => theme.speaker_bar(place),
                _ => theme.style(ThemeRole::Mark),
            };
            if let Some(cell) = cells.get_mut(timeline.column(mark.at, columns)) {
                *cell = Span::styled(mark.sort.sign(glyphs), style);
            }
        }
    }
    if let Some(cell) = cells.get_mut(head) {
        *cell = Span::styled(glyphs.playhead, theme.style(ThemeRole::TimeHead));
    }
    let now = clock(standing.now.min(standing.end).since(timeline.begin));
    let end = clock(standing.end.since(timeline.begin));
    let mut row = vec![Span::styled(
        format!("  {now:<width$}", width = TIMELINE_LABEL - 2),
        theme.style(ThemeRole::Text),
    )];
    row.extend(cells);
    row.push(Span::styled(format!("{end:>7}"), muted));
    frame.render_widget(Line::from(row), area);
}

/// Describes the signs that occur, and the treatment of idle time.
pub(super) fn legend(playback: &Playback, screen: &Screen) -> String {
    let marks = &playback.timeline.marks;
    let mut parts = vec![];
    for sort in Sort::ALL {
        if marks.iter().any(|mark| mark.sort.is_same(sort)) {
            parts.push(format!("{} {}", sort.sign(screen.glyphs), sort.word()));
        }
    }
    if let Some(ms) = playback.transport.status().idle_limit {
        parts.push(format!("idle >{}s skipped", ms as f64 / 1_000.0));
    }
    parts.join("  ")
}
