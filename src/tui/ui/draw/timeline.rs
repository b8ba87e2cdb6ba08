//! The timeline of a recording: a lane for each seat, marks to jump to, and the playhead, all on one axis.
//!
//! On a low screen the lanes become one row of seat numbers; the row of the playhead is dropped last.

use crate::text::clock;
use crate::ui::frame::Frame;
use crate::ui::layout::{SHORT_TIMELINE, TIMELINE_LABEL, axis};
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::player::Playback;
use crate::ui::view::timeline::Sort;
use jiff::Timestamp;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};

/// Returns the rows that the whole timeline needs: lanes, marks, playhead, legend.
pub fn rows(playback: &Playback) -> u16 {
    u16::try_from(playback.timeline.lanes.len()).unwrap_or(u16::MAX).saturating_add(SHORT_TIMELINE)
}

/// Draws as many rows as fit.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let Some(playback) = &screen.view.playback else { return };
    let columns = usize::from(axis(area).width);
    let lines = match area.height {
        all if all == rows(playback) => {
            let mut lines = lanes(playback, columns, screen);
            lines.push(marks(playback, columns, screen));
            lines.push(playhead(playback, columns, screen));
            lines.push(legend(playback, screen));
            lines
        }
        SHORT_TIMELINE.. => vec![
            merged(playback, columns, screen),
            marks(playback, columns, screen),
            playhead(playback, columns, screen),
        ],
        _ => vec![playhead(playback, columns, screen)],
    };
    frame.render_widget(Text::from(lines), area);
}

/// Returns a row: a label, and styled cells of the axis.
fn row(label: Span<'static>, cells: Vec<Span<'static>>) -> Line<'static> {
    let gap = TIMELINE_LABEL.saturating_sub(label.width());
    let mut spans = vec![label, Span::raw(" ".repeat(gap))];
    spans.extend(cells);
    Line::from(spans)
}

fn blank(columns: usize) -> Vec<Span<'static>> {
    vec![Span::raw(" "); columns]
}

fn lanes(playback: &Playback, columns: usize, screen: &Screen) -> Vec<Line<'static>> {
    let lanes = playback.timeline.lanes.iter().enumerate();
    let lane = lanes.map(|(place, lane)| {
        let bar = screen.theme.speaker_bar(place);
        let mut cells = blank(columns);
        for span in playback.timeline.spans(lane, columns) {
            let spoken = cells.get_mut(span).into_iter().flatten();
            spoken.for_each(|cell| *cell = Span::styled(screen.glyphs.full, bar));
        }
        let name = format!(" {} {}", place + 1, lane.name);
        let name = clip(&name, TIMELINE_LABEL - 1, screen.glyphs.ellipsis);
        row(Span::styled(name, screen.theme.speaker(place)), cells)
    });
    lane.collect()
}

/// Returns all lanes in one row: the seat numbers of the speakers.
fn merged(playback: &Playback, columns: usize, screen: &Screen) -> Line<'static> {
    let mut cells = blank(columns);
    for (place, lane) in playback.timeline.lanes.iter().enumerate() {
        let number = ((place + 1) % 10).to_string();
        for span in playback.timeline.spans(lane, columns) {
            let spoken = cells.get_mut(span).into_iter().flatten();
            let style = screen.theme.speaker_bar(place);
            spoken.for_each(|cell| *cell = Span::styled(number.clone(), style));
        }
    }
    row(Span::styled(" speakers", screen.theme.style(ThemeRole::Muted)), cells)
}

fn marks(playback: &Playback, columns: usize, screen: &Screen) -> Line<'static> {
    let mut cells = blank(columns);
    // if several fall on one cell, the last one drawn is visible
    for sort in [Sort::You, Sort::Vote, Sort::Error] {
        for mark in playback.timeline.marks.iter().filter(|m| m.sort == sort) {
            let column = playback.timeline.column(mark.at, columns);
            if let Some(cell) = cells.get_mut(column) {
                *cell = Span::styled(sort.sign(), screen.theme.style(ThemeRole::Mark));
            }
        }
    }
    row(Span::styled(" marks", screen.theme.style(ThemeRole::Muted)), cells)
}

fn playhead(playback: &Playback, columns: usize, screen: &Screen) -> Line<'static> {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let standing = playback.transport.status();
    let begin = playback.timeline.begin;
    let head = playback.timeline.column(standing.now, columns);
    let cell = |column: usize| match column {
        c if c < head => Span::styled(glyphs.played, theme.style(ThemeRole::TimePlayed)),
        c if c == head => Span::styled(glyphs.playhead, theme.style(ThemeRole::TimeHead)),
        _ => Span::styled(glyphs.rule, theme.style(ThemeRole::TimeRest)),
    };
    let mut cells: Vec<Span<'static>> = (0..columns).map(cell).collect();
    let end = clock(standing.end.since(begin));
    cells.push(Span::styled(format!("{end:>8}"), theme.style(ThemeRole::Muted)));
    let now = clock(standing.now.min(standing.end).since(begin));
    row(Span::styled(format!(" {now}"), theme.style(ThemeRole::Text)), cells)
}

/// Returns the legend of the marks, the treatment of idle time, and the date of the recording.
fn legend(playback: &Playback, screen: &Screen) -> Line<'static> {
    let muted = screen.theme.style(ThemeRole::Muted);
    let mut spans = vec![Span::raw(" ")];
    for sort in Sort::ALL {
        spans.push(Span::styled(sort.sign(), screen.theme.style(ThemeRole::Mark)));
        spans.push(Span::styled(format!(" {}   ", sort.word()), muted));
    }
    let waits = match playback.transport.status().idle_limit {
        Some(ms) => format!("idle >{} skipped", seconds(ms)),
        None => "real-time gaps".into(),
    };
    let at = Timestamp::from_millisecond(playback.recorded.0).unwrap_or_default();
    let at = at.strftime("recorded %Y-%m-%d %H:%M UTC");
    let used: usize = spans.iter().map(Span::width).sum();
    let room = usize::from(screen.view.areas.timeline.width).saturating_sub(used);
    // a text that does not fit is dropped as a whole
    let right = [format!("{waits}   {at} "), format!("{waits} ")];
    let right = right.into_iter().find(|right| width(right) <= room).unwrap_or_default();
    spans.push(Span::raw(" ".repeat(room.saturating_sub(width(&right)))));
    spans.push(Span::styled(right, Style::new().patch(muted)));
    Line::from(spans)
}

fn seconds(ms: u64) -> String {
    format!("{}s", ms as f64 / 1_000.0)
}
