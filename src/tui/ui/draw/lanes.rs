//! The lanes of a live conversation: a row for each participant below the transcript, up to now.

use crate::text::clock;
use crate::ui::frame::Frame;
use crate::ui::layout::{LANES_MAX, PAIRED_LANES_MAX, TIMELINE_LABEL};
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::lanes::Lanes;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

/// Returns the rows that the lanes need: an axis and one row for each participant, or for two. With too many
/// participants there are none.
pub fn rows(screen: &Screen) -> u16 {
    let all = screen.transcript.state().seats.len();
    match screen.transcript.state().cast().count() {
        seats if seats < 2 || screen.transcript.turn_log.turns.is_empty() => 0,
        seats if seats <= LANES_MAX => seats as u16 + 1,
        _ if all <= PAIRED_LANES_MAX => all.div_ceil(2) as u16 + 1,
        _ => 0,
    }
}

/// Maximum cells before the lanes, and before lanes that share a row.
const LABEL_MAX: usize = 16;
const PAIR_LABEL_MAX: usize = 30;

/// Returns the cells before the lanes: the width of the longest label.
fn label(screen: &Screen) -> usize {
    let seats = screen.transcript.state().seats.len();
    let paired = screen.transcript.state().cast().count() > LANES_MAX;
    let (most, shared) = if paired { (PAIR_LABEL_MAX, 2) } else { (LABEL_MAX, 1) };
    let labels = (0..seats).step_by(shared).map(|place| width(&names(screen, place, shared)));
    // blanks around it
    (labels.max().unwrap_or(0) + 2).clamp(TIMELINE_LABEL, most)
}

/// Returns the numbers and names of the participants that share a row.
fn names(screen: &Screen, from: usize, shared: usize) -> String {
    let seats = screen.transcript.state().seats.iter().enumerate().skip(from).take(shared);
    let name = |place, id| format!("{} {}", place + 1, screen.transcript.name(id));
    let names = seats.map(|(place, seat)| name(place, &seat.spec.id));
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the columns of the lanes in which the participant at an index spoke.
fn spoken(lanes: &Lanes, place: usize, columns: usize) -> Vec<bool> {
    let mut cells = vec![false; columns];
    for span in lanes.spans(place) {
        cells.get_mut(span).into_iter().flatten().for_each(|cell| *cell = true);
    }
    cells
}

/// Returns the row of two participants: the upper halves of the cells, and the lower ones.
fn pair(screen: &Screen, lanes: &Lanes, place: usize, columns: usize) -> Vec<Span<'static>> {
    let [upper, lower] = [place, place + 1].map(|place| screen.theme.speaker_bar(place));
    let [top, bottom, full] = screen.glyphs.halves;
    let both = match lower.fg {
        Some(ground) => Span::styled(top, upper.bg(ground)),
        None => Span::styled(full, upper),
    };
    let cells = spoken(lanes, place, columns).into_iter().zip(spoken(lanes, place + 1, columns));
    let cell = |spoke: (bool, bool)| match spoke {
        (true, true) => both.clone(),
        (true, false) => Span::styled(top, upper),
        (false, true) => Span::styled(bottom, lower),
        (false, false) => Span::raw(" "),
    };
    cells.map(cell).collect()
}

/// Draws the lanes of a live conversation.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let transcript = &screen.transcript;
    let label = label(screen);
    let columns = usize::from(area.width).saturating_sub(label + 1);
    let lanes = Lanes::latest(transcript, screen.clock.now(), columns);
    let [from, to] = [lanes.begin, lanes.end].map(|at| format!(" {} ", clock(at.0)));
    let edge = theme.style(ThemeRole::Rule);
    let left = glyphs.rule.repeat(label - 1);
    let gap = usize::from(area.width).saturating_sub(width(&left) + width(&from) + width(&to) + 1);
    let muted = theme.style(ThemeRole::Muted);
    let mut axis = vec![Span::styled(glyphs.rule, edge); gap];
    // the first column is below the start of the time before it
    let indent = (width(&left) + width(&from)).saturating_sub(label);
    for column in lanes.moments(None) {
        if let Some(cell) = column.checked_sub(indent).and_then(|at| axis.get_mut(at)) {
            *cell = Span::styled(glyphs.moment, theme.style(ThemeRole::Notice));
        }
    }
    let ends = [
        vec![Span::styled(left, edge), Span::styled(from, muted)],
        axis,
        vec![Span::styled(to, muted), Span::styled(glyphs.rule, edge)],
    ];
    let mut lines = vec![Line::from(ends.concat())];
    let state = transcript.state();
    let speaks = |place| transcript.speaking().any(|t| transcript.seat_place(&t.seat) == place);
    if state.cast().count() > LANES_MAX {
        for place in (0..state.seats.len()).step_by(2) {
            let name = format!(" {}", names(screen, place, 2));
            let name = clip(&name, label - 1, glyphs.ellipsis);
            let name = format!("{name}{}", " ".repeat(label - width(&name)));
            let cells = pair(screen, &lanes, place, columns);
            lines.push(Line::from([vec![Span::styled(name, muted)], cells].concat()));
        }
    } else {
        for (place, seat) in state.cast() {
            let style = theme.speaker(place);
            let bar = theme.speaker_bar(place);
            let mut cells = vec![Span::raw(" "); columns];
            for span in lanes.spans(place) {
                let spoken = cells.get_mut(span).into_iter().flatten();
                spoken.for_each(|cell| *cell = Span::styled(glyphs.bar, bar));
            }
            for column in lanes.moments(Some(place)) {
                if let Some(cell) = cells.get_mut(column) {
                    *cell = Span::styled(glyphs.moment, bar);
                }
            }
            if speaks(place)
                && let Some(now) = cells.last_mut()
            {
                *now = Span::styled(glyphs.full, bar);
            }
            let name = format!(" {} {}", place + 1, transcript.name(&seat.spec.id));
            let name = clip(&name, label - 1, glyphs.ellipsis);
            let gap = " ".repeat(label - width(&name));
            let name = vec![Span::styled(name, style), Span::raw(gap)];
            lines.push(Line::from([name, cells].concat()));
        }
    }
    frame.render_widget(Text::from(lines), area);
}
