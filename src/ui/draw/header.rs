//! The first row: what it is about, whether anybody thinks in it, how it stands; and the line below.

use crate::model::Limit;
use crate::ui::Screen;
use crate::ui::draw::Bar;
use crate::ui::theme::Role;
use crate::ui::view::floor::{Standing, used};
use crate::ui::view::message::clock;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

/// Draws the title at the left, the standing, the utterance and the time at the right.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let state = screen.story.state();
    let (theme, glyphs) = (&screen.theme, screen.glyphs);
    let standing = Standing::of(state);
    let muted = theme.style(Role::Muted);
    let number = state.numbers.max(state.utterances);
    let count = match state.limits.of(Limit::Utterances) {
        Some(most) => format!("u{number}/{most}"),
        None => format!("u{number}"),
    };
    let running = clock(state.running.at(screen.clock.now()));
    let mut bar = Bar::new();
    if screen.view.playback.is_some() {
        bar.left(" REPLAY ", theme.style(Role::BadgeTable)).left(" ", muted);
    }
    bar.left(screen.story.title(), theme.style(Role::Title));
    if state.rehearsed {
        bar.left("   rehearsed", theme.style(Role::Notice));
    }
    let areas = &screen.view.areas;
    if let Some(used) = used(&state.spent()).filter(|_| areas.is_narrow() && areas.cast.is_empty())
    {
        bar.right(format!("  {}", used.replace(" tok  ", " ")), muted);
    }
    bar.right(format!("  {count}  {running}"), muted);
    let style = theme.style(role(standing));
    match &screen.view.playback {
        Some(playback) => _ = bar.right(format!("  {}", playback.word()), style),
        None => {
            bar.right(standing.word(), style);
            bar.right(format!("  {} ", sign(standing, glyphs)), style);
        }
    }
    bar.draw(frame, area, " ", Style::new(), glyphs.ellipsis);
}

/// Draws the line under the header; the panels hang from it.
pub fn rule(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let style = screen.theme.style(Role::Rule);
    let mut cells = vec![screen.glyphs.rule; usize::from(area.width)];
    for x in screen.view.areas.walls() {
        if let Some(cell) = cells.get_mut(usize::from(x)) {
            *cell = screen.glyphs.tee_down;
        }
    }
    let rule = cells.concat();
    frame.render_widget(Line::styled(rule, style), area);
}

/// Returns how a standing looks.
pub fn role(standing: Standing) -> Role {
    match standing {
        Standing::Running | Standing::Stepping => Role::FloorSpeaking,
        Standing::Pausing | Standing::Paused | Standing::Waiting => Role::FloorPaused,
        Standing::Stopped => Role::FloorStopped,
        Standing::Done => Role::FloorDone,
        Standing::Error => Role::FloorError,
    }
}

/// Returns the sign of a standing.
pub fn sign(standing: Standing, glyphs: &crate::ui::theme::glyphs::Glyphs) -> &'static str {
    match standing {
        Standing::Running | Standing::Stepping => glyphs.speaking,
        Standing::Pausing | Standing::Paused => glyphs.paused,
        Standing::Waiting => glyphs.waiting,
        Standing::Stopped | Standing::Error => glyphs.stopped,
        Standing::Done => glyphs.done,
    }
}
