//! The lanes of a live conversation: a row for each participant below the transcript, up to now.

use crate::ui::frame::Frame;
use crate::ui::layout::{MOST_LANES, TIMELINE_LABEL};
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::lanes::Lanes;
use crate::ui::view::message::clock;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

/// Returns the rows that the lanes need: an axis and one row for each participant, or one shared row if there are too
/// many.
pub fn rows(screen: &Screen) -> u16 {
    match screen.transcript.state().seats.len() {
        seats if seats < 2 || screen.transcript.turn_log.turns.is_empty() => 0,
        seats if seats <= MOST_LANES => seats as u16 + 1,
        _ => 2,
    }
}

/// Maximum cells before the lanes.
const LABEL_MAX: usize = 16;

/// Returns the cells before the lanes: the width of the longest name.
fn label(screen: &Screen) -> usize {
    let seats = &screen.transcript.state().seats;
    let names = seats.iter().map(|seat| width(&screen.transcript.name(&seat.spec.id)));
    // a number, and blanks around both
    (names.max().unwrap_or(0) + 4).clamp(TIMELINE_LABEL, LABEL_MAX)
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
    let mut lines = vec![Line::from(vec![
        Span::styled(left, edge),
        Span::styled(from, muted),
        Span::styled(glyphs.rule.repeat(gap), edge),
        Span::styled(to, muted),
        Span::styled(glyphs.rule, edge),
    ])];
    let seats = transcript.state().seats.iter().enumerate();
    let speaks = |place| transcript.speaking().any(|t| transcript.seat_place(&t.seat) == place);
    if seats.len() > MOST_LANES {
        let mut cells = vec![Span::raw(" "); columns];
        for (place, _) in seats {
            let number = Span::styled(((place + 1) % 10).to_string(), theme.speaker_bar(place));
            for span in lanes.spans(place) {
                let spoken = cells.get_mut(span).into_iter().flatten();
                spoken.for_each(|cell| *cell = number.clone());
            }
        }
        let all = format!("{:<label$}", " speakers");
        lines.push(Line::from([vec![Span::styled(all, muted)], cells].concat()));
    } else {
        for (place, seat) in seats {
            let style = theme.speaker(place);
            let bar = theme.speaker_bar(place);
            let mut cells = vec![Span::raw(" "); columns];
            for span in lanes.spans(place) {
                let spoken = cells.get_mut(span).into_iter().flatten();
                spoken.for_each(|cell| *cell = Span::styled(glyphs.bar, bar));
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
