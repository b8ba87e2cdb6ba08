//! The first row: the title, whether the cast is rehearsed, and the status; and the rule below.

use crate::model::Limit;
use crate::ui::draw::bar::Bar;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::wrap::width;
use crate::ui::theme::ThemeRole;
use crate::ui::view::floor::{Status, used};
use crate::ui::view::message::clock;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Cells that the title keeps beside what was used.
const TITLE_MIN: usize = 8;

/// Draws the title at the left, the standing, the utterance and the time at the right.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let state = screen.transcript.state();
    let (theme, glyphs) = (&screen.theme, screen.glyphs);
    let standing = Status::of(state);
    let muted = theme.style(ThemeRole::Muted);
    let number = state.numbers.max(state.utterances);
    let count = match state.limits.of(Limit::Utterances) {
        // turns that failed have numbers too, and do not count against the limit
        Some(most) if u64::from(number) <= most => format!("turn {number}/{most}"),
        Some(_) | None => format!("turn {number}"),
    };
    // the time that the transcript shows; while nobody speaks it stands
    let now = if state.turns.is_empty() { state.ms } else { screen.clock.now() };
    let now = clock(now.0);
    let mut bar = Bar::new();
    if screen.view.playback.is_some() {
        bar.left(" REPLAY ", theme.style(ThemeRole::BadgeTable)).left(" ", muted);
    }
    bar.left(screen.transcript.title(), theme.style(ThemeRole::Title));
    if state.rehearsed {
        bar.left("   rehearsed", theme.style(ThemeRole::Notice));
    }
    let areas = &screen.view.areas;
    let used = used(&state.spent()).filter(|_| areas.is_narrow() && areas.cast.is_empty());
    if let Some(progress) = &screen.view.loading {
        // what is counted is not all there yet
        bar.right(format!("  turn {number}"), muted);
        bar.right(format!("  reading {}% ", progress.percent()), theme.style(ThemeRole::Notice));
        bar.draw(frame, area, " ", Style::new(), glyphs.ellipsis);
        return;
    }
    bar.right(format!("  {count}  {now}"), muted);
    let style = theme.style(role(standing));
    match &screen.view.playback {
        Some(playback) => _ = bar.right(format!("  {}", playback.word()), style),
        None => {
            bar.right(standing.word(), style);
            bar.right(format!("  {} ", sign(standing, glyphs)), style);
        }
    }
    if let Some((tokens, cost)) = used.as_deref().and_then(|used| used.split_once("  ")) {
        // all of it where that leaves some of the title, else what was paid
        let both = format!("  {} {cost}", tokens.replace(" tok", ""));
        let one = format!("  {}", if cost.contains('$') { cost } else { tokens });
        let room = usize::from(area.width);
        let right: usize = bar.right.iter().map(Span::width).sum();
        let fits = |(used, left): &(String, usize)| right + width(used) + left <= room;
        if let Some((used, _)) = [(both, TITLE_MIN), (one, 1)].into_iter().find(fits) {
            let at = bar.right.len() - 1;
            bar.right.insert(at, Span::styled(used, muted));
        }
    }
    bar.draw(frame, area, " ", Style::new(), glyphs.ellipsis);
}

/// Draws the line under the header; the panels hang from it.
pub fn rule(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let style = screen.theme.style(ThemeRole::Rule);
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
pub fn role(standing: Status) -> ThemeRole {
    match standing {
        Status::Running | Status::Stepping => ThemeRole::FloorSpeaking,
        Status::Pausing | Status::Paused | Status::Waiting => ThemeRole::FloorPaused,
        Status::Stopped => ThemeRole::FloorStopped,
        Status::Done => ThemeRole::FloorDone,
        Status::Error => ThemeRole::FloorError,
    }
}

/// Returns the mark of a status.
pub fn sign(standing: Status, glyphs: &crate::ui::theme::glyphs::Glyphs) -> &'static str {
    match standing {
        Status::Running | Status::Stepping => glyphs.speaking,
        Status::Pausing | Status::Paused => glyphs.paused,
        Status::Waiting => glyphs.waiting,
        Status::Stopped | Status::Error => glyphs.stopped,
        Status::Done => glyphs.done,
    }
}
