//! The cast in one row: number, name and activity of each participant; on a narrow screen also the usage, for which
//! the status line has no room.

use crate::state::Seat;
use crate::ui::action::Action;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::floor::{next, seat_word, used};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Level of detail of the row.
#[derive(Clone, Copy)]
struct Detail {
    /// Maximum cells of a name.
    most: usize,
    /// True if the row also shows the activity of the speaker and the next participant, as the status line does.
    all: bool,
    /// Cells between two seats.
    gap: usize,
}

/// Levels from the richest to the poorest; the first at which all seats fit is used. The last one leaves only numbers,
/// and the names of the speaker and the next participant.
const DETAILS: [Detail; 8] = [
    Detail { most: usize::MAX, all: true, gap: 3 },
    Detail { most: usize::MAX, all: false, gap: 3 },
    Detail { most: 16, all: false, gap: 3 },
    Detail { most: 10, all: false, gap: 3 },
    Detail { most: 6, all: false, gap: 2 },
    Detail { most: 4, all: false, gap: 2 },
    Detail { most: INITIALS, all: false, gap: 1 },
    Detail { most: 0, all: false, gap: 2 },
];

/// Cells of a name that is cut to its first letters, without an ellipsis.
const INITIALS: usize = 3;

/// Minimum limit, in cells, for the names of the speaker and the next participant.
const SHORT: usize = 10;

/// Number of seats shown before the speaker if not all fit.
const BEFORE: usize = 2;

/// Draws the row of the cast.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let narrow = screen.view.areas.is_narrow();
    let used = if narrow { used(&screen.transcript.state().spent()) } else { None };
    let used = used.unwrap_or_default();
    let used = used.replace(" tok  ", " ");
    let room = usize::from(area.width).saturating_sub(width(&used) + 2);
    let fits = |detail: &Detail| row(area, *detail, 0, screen).0.width() <= room;
    let (mut line, clicks) = match DETAILS.into_iter().find(fits) {
        Some(detail) => row(area, detail, 0, screen),
        // too many even as numbers: show the seats around the speaker
        None => row(area, Detail { most: SHORT, all: true, gap: 3 }, around(screen), screen),
    };
    if line.width() > room {
        let more = format!("   {}", screen.glyphs.ellipsis);
        let blank =
            |line: &Line<'_>| line.spans.last().is_some_and(|s| s.content.trim().is_empty());
        while line.width() + width(&more) > room || blank(&line) {
            line.spans.pop();
        }
        line.push_span(Span::raw(more));
    }
    screen.view.clicks.extend(clicks);
    frame.render_widget(line, area);
    let used = Span::styled(format!("{used} "), screen.theme.style(ThemeRole::Muted));
    // a span has its own style; the style of a line would apply to the whole row
    frame.render_widget(Line::from(used).right_aligned(), area);
}

/// Returns the index of the first visible seat if not all fit: a few before the speaker.
fn around(screen: &Screen) -> usize {
    let state = screen.transcript.state();
    let speaks = |seat: &Seat| state.turns.values().any(|t| t.seat == seat.spec.id);
    let here = screen.view.selected.or_else(|| state.seats.iter().position(speaks)).unwrap_or(0);
    here.saturating_sub(BEFORE)
}

/// Click areas and their actions.
type Clicks = Vec<(Rect, Action)>;

/// Returns the row from a seat on.
fn row(area: Rect, detail: Detail, from: usize, screen: &Screen) -> (Line<'static>, Clicks) {
    let Detail { most, all, gap: between } = detail;
    let transcript = &screen.transcript;
    let theme = &screen.theme;
    let state = transcript.state();
    let (queue, _) = next(transcript);
    let now = screen.clock.now();
    let mut spans = vec![Span::raw(" ")];
    let mut clicks = Vec::new();
    if from > 0 {
        spans.push(Span::raw(format!("{}  ", screen.glyphs.ellipsis)));
    }
    for (place, seat) in state.cast().filter(|(place, _)| *place >= from) {
        let id = &seat.spec.id;
        let word = seat_word(transcript, id, now, &queue);
        let style = theme.speaker(place);
        let speaks = state.turns.values().any(|t| t.seat == *id);
        let told = speaks || queue.first() == Some(id);
        let word = if all || !told { word } else { String::new() };
        let style = if screen.view.selected == Some(place) {
            theme.style(ThemeRole::Selection)
        } else {
            style
        };
        // the status line has the whole name of the speaker
        let least = if most == INITIALS { INITIALS + 2 } else { SHORT };
        let most = if told { most.max(least) } else { most };
        let ellipsis = if most <= INITIALS { "" } else { screen.glyphs.ellipsis };
        let name = clip(&transcript.name(id), most, ellipsis);
        let gap = if name.is_empty() { "" } else { " " };
        let name = format!("{}{gap}{name}", place + 1);
        spans.push(Span::styled(name, if speaks { bold(style) } else { style }));
        let role = if speaks { ThemeRole::FloorSpeaking } else { ThemeRole::FloorWaiting };
        let sign = if speaks { format!(" {}", screen.glyphs.speaking) } else { String::new() };
        let gap = if word.is_empty() { "" } else { " " };
        spans.push(Span::styled(format!("{sign}{gap}{word}"), theme.style(role)));
        let before = clicks.last().map_or(area.x, |(area, _): &(Rect, Action)| area.right());
        let end = area.x.saturating_add(spans.iter().map(Span::width).sum::<usize>() as u16);
        let cells = Rect { x: before, width: end.saturating_sub(before), ..area };
        clicks.push((cells, select(place)));
        spans.push(Span::raw(" ".repeat(between)));
    }
    // the gap after the last seat is not needed
    spans.pop();
    (Line::from(spans), clicks)
}

/// Returns the action that selects the participant at an index; indices from 254 on share one.
pub fn select(place: usize) -> Action {
    Action::Select(u8::try_from(place + 1).unwrap_or(u8::MAX))
}
