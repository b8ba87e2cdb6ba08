//! The panel at the side: the cast and what each does, the floor and why, the limits and how far they have come.

use crate::model::{Limit, Ms, Usd};
use crate::text;
use crate::ui::Screen;
use crate::ui::floor::{next, seat_word, why};
use crate::ui::markdown::bold;
use crate::ui::message::clock;
use crate::ui::theme::Role;
use crate::ui::wrap::{clip, width, wrap};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};

/// Cells of a bar.
const BAR_CELLS: u64 = 10;

/// Draws the panel behind its wall.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let wall = Line::styled(screen.glyphs.wall, screen.theme.style(Role::Rule));
    let walls = Text::from(vec![wall; usize::from(area.height)]);
    frame.render_widget(walls, Rect { width: 1, ..area });
    let inner = Rect { x: area.x + 2, width: area.width - 3, ..area };
    let now = screen.clock.now();
    let room = usize::from(inner.width);
    let mut lines = vec![Line::default()];
    for section in [cast(screen, now, room), floor(screen, room), limits(screen, now)] {
        if section.len() > 1 {
            lines.extend(section);
            lines.push(Line::default());
        }
    }
    frame.render_widget(Text::from(lines), inner);
}

fn heading(screen: &Screen, words: &'static str) -> Line<'static> {
    Line::styled(words, screen.theme.style(Role::Muted))
}

fn cast(screen: &Screen, now: Ms, room: usize) -> Vec<Line<'static>> {
    let (story, theme, glyphs) = (&screen.story, &screen.theme, screen.glyphs);
    let state = story.state();
    let (queue, _) = next(state);
    let mut lines = vec![heading(screen, "CAST")];
    for (place, seat) in state.seats.iter().enumerate() {
        let speaks = state.turns.values().any(|t| t.seat == seat.spec.id);
        let style = match screen.view.picked == Some(place) {
            true => theme.style(Role::Selection),
            false => theme.speaker(place),
        };
        let sign = if speaks { glyphs.speaking } else { " " };
        let name = format!("{} {}", place + 1, story.name(&seat.spec.id));
        let words = match seat.utterances {
            0 => String::new(),
            n => format!("{n}u"),
        };
        let name = clip(&name, room.saturating_sub(width(&words) + 3), glyphs.ellipsis);
        let gap = room.saturating_sub(width(&name) + width(&words) + 2);
        lines.push(Line::from(vec![
            Span::styled(format!("{sign} "), theme.style(Role::FloorSpeaking)),
            Span::styled(name, bold(style)),
            Span::raw(" ".repeat(gap)),
            Span::styled(words, theme.style(Role::Muted)),
        ]));
        let word = seat_word(story, &seat.spec.id, now, &queue);
        let role = seat.spec.role.as_deref().unwrap_or_default();
        let (text, look) = match (word.as_str(), speaks) {
            ("", _) => (text::line(role).into_owned(), Role::Muted),
            ("next", _) => (word, Role::FloorNext),
            (_, true) => (word, Role::FloorSpeaking),
            (_, false) => (word, Role::FloorWaiting),
        };
        let text = clip(&text, room.saturating_sub(4), glyphs.ellipsis);
        lines.push(Line::styled(format!("    {text}"), theme.style(look)));
    }
    lines
}

fn floor(screen: &Screen, room: usize) -> Vec<Line<'static>> {
    let (story, theme) = (&screen.story, &screen.theme);
    let state = story.state();
    let mut lines = vec![heading(screen, "FLOOR")];
    if state.ended.is_some() {
        return lines;
    }
    let (queue, given) = next(state);
    let mut fact = |what: &str, words: String, style: Style| {
        if words.is_empty() {
            return;
        }
        let line = Line::from(vec![
            Span::styled(format!("{what:<6}"), theme.style(Role::Muted)),
            Span::styled(words, style),
        ]);
        let mut rows = wrap(&line, room);
        lines.append(&mut rows);
    };
    fact("order", state.scenario.policy.name.replace('_', " "), theme.style(Role::Text));
    let now = story.names(state.turns.values().map(|t| &t.seat));
    fact("now", now, theme.style(Role::FloorSpeaking));
    fact(
        "why",
        why(state).map_or(String::new(), |w| text::line(w).into_owned()),
        theme.style(Role::Text),
    );
    fact("next", story.names(queue.iter().take(1)), theme.style(Role::FloorNext));
    fact("why", given, theme.style(Role::Text));
    fact("then", story.names(queue.iter().skip(1).take(3)), theme.style(Role::Text));
    lines
}

fn limits(screen: &Screen, now: Ms) -> Vec<Line<'static>> {
    let (state, theme, glyphs) = (screen.story.state(), &screen.theme, screen.glyphs);
    let mut lines = vec![heading(screen, "LIMITS")];
    for limit in Limit::ALL {
        let Some(most) = state.limits.of(limit) else { continue };
        let used = state.used(limit, now).min(most);
        let filled = (used * BAR_CELLS).checked_div(most).unwrap_or(0) as usize;
        let bar = glyphs.full.repeat(filled) + &glyphs.empty.repeat(BAR_CELLS as usize - filled);
        let (name, figure) = match limit {
            Limit::Utterances | Limit::Rounds | Limit::Batches | Limit::Tokens => {
                (limit.key(), format!("{used} of {most}"))
            }
            Limit::Usd => ("cost", format!("{} of {}", Usd(used), Usd(most))),
            Limit::Seconds => {
                ("time", format!("{} of {}", clock(used * 1_000), clock(most * 1_000)))
            }
        };
        lines.push(Line::from(vec![
            Span::styled(format!("{name:<12}"), theme.style(Role::Muted)),
            Span::styled(figure, theme.style(Role::Text)),
        ]));
        lines.push(Line::styled(bar, theme.style(Role::Rule)));
    }
    lines
}
