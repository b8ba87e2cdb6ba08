//! Who sits at the table, in one row: number, name, and what they do.

use crate::ui::Screen;
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
        spans.push(Span::raw("   "));
    }
    frame.render_widget(Line::from(spans), area);
}
