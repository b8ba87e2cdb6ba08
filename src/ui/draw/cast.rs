//! Who sits at the table, in one row: number, name, and what they do.

use crate::ui::Screen;
use crate::ui::action::Action;
use crate::ui::floor::{next, seat_word};
use crate::ui::markdown::bold;
use crate::ui::theme::Role;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Draws the row.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let (story, theme) = (&screen.story, &screen.theme);
    let state = story.state();
    let (queue, _) = next(state);
    let now = screen.clock.now();
    let mut spans = vec![Span::raw(" ")];
    let mut clicks = Vec::new();
    for (place, seat) in state.seats.iter().enumerate() {
        let id = &seat.spec.id;
        let word = seat_word(story, id, now, &queue);
        let style = theme.speaker(place);
        let speaks = state.turns.values().any(|t| t.seat == *id);
        let style = match screen.view.picked == Some(place) {
            true => theme.style(Role::Selection),
            false => style,
        };
        let name = format!("{} {}", place + 1, story.name(id));
        spans.push(Span::styled(name, if speaks { bold(style) } else { style }));
        let role = if speaks { Role::FloorSpeaking } else { Role::FloorWaiting };
        let sign = if speaks { format!("{} ", screen.glyphs.speaking) } else { String::new() };
        let gap = if word.is_empty() { "" } else { " " };
        spans.push(Span::styled(format!("{gap}{sign}{word}"), theme.style(role)));
        let before = clicks.last().map_or(area.x, |(area, _): &(Rect, Action)| area.right());
        let end = area.x + spans.iter().map(Span::width).sum::<usize>() as u16;
        let cells = Rect { x: before, width: end.saturating_sub(before), ..area };
        clicks.push((cells, Action::Pick(place as u8 + 1)));
        spans.push(Span::raw("   "));
    }
    screen.view.clicks.extend(clicks);
    frame.render_widget(Line::from(spans), area);
}
