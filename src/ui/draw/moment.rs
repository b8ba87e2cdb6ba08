//! The card that asks for the operator's attention: a limit was reached, a turn failed. It names the keys that help and
//! what they cost, and is above the line of the floor until one is pressed.

use crate::model::{Limit, Usd};
use crate::ui::action::Action;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::card::card;
use crate::ui::theme::ThemeRole;
use crate::ui::view::extension::one_more_round;
use crate::ui::view::floor::Status;
use crate::ui::view::message::clock;
use crate::ui::view::moment::{asks_leave, failed, why};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

/// The widest card, in cells.
const WIDTH_MAX: u16 = 76;
/// Characters of what a tool would do.
const TOLD_MAX: usize = 70;
/// Rows of a card: its frame, what happened, and the keys.
const ROWS: u16 = 4;

/// Returns the rows that the card needs, where there is one.
pub fn rows(screen: &Screen) -> u16 {
    if of(screen).is_some() { ROWS } else { 0 }
}

/// Draws the card, if there is one.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let Some((title, role, told, keys)) = of(screen) else { return };
    let room = area.width.saturating_sub(2).min(WIDTH_MAX);
    let (key, text) = (screen.theme.style(ThemeRole::HintKey), screen.theme.style(ThemeRole::Text));
    let mut hints = Vec::new();
    for (action, what) in keys {
        let way = screen.keymap.way(action, Focus::Read);
        let apart = if hints.is_empty() { "" } else { "  " };
        hints.push(Span::styled(format!("{apart}{way}"), key));
        hints.push(Span::styled(format!(" {what}"), text));
    }
    let rows = vec![Line::styled(told, text), Line::from(hints)];
    let edge = screen.theme.style(role);
    let mut lines = card(&title, rows, usize::from(room), edge, screen.glyphs);
    // what does not fit is left out from the middle: the frame stays whole, and the keys as long as they can
    while lines.len() > usize::from(area.height) && lines.len() > 2 {
        let second = if lines.len() > ROWS.into() { 2 } else { lines.len() - 2 };
        lines.remove(second);
    }
    frame.render_widget(Text::from(lines), Rect { x: area.x + 1, width: room, ..area });
}

/// A title, how its frame looks, what happened, and the keys that help with what they do.
type Moment = (String, ThemeRole, String, Vec<(Action, String)>);

fn of(screen: &Screen) -> Option<Moment> {
    if screen.view.playback.is_some() {
        return None;
    }
    let state = screen.transcript.state();
    if let Some(asks) = asks_leave(&screen.transcript) {
        let name = screen.transcript.name(&asks.seat);
        let title = format!("PERMISSION {} {name}", screen.glyphs.dot);
        let keys = vec![
            (Action::AllowOnce, "allow once".into()),
            (Action::AllowTool, "until you leave".into()),
            (Action::RefuseTool, "refuse".into()),
        ];
        let told = asks.told.chars().take(TOLD_MAX).collect();
        return Some((title, ThemeRole::Notice, told, keys));
    }
    if let Some(turn) = failed(&screen.transcript) {
        let name = screen.transcript.name(&turn.seat);
        let title = format!("FAILED {} {name}", screen.glyphs.dot);
        let keys = vec![
            (Action::Retry, "retry".into()),
            (Action::ChangeModel, "another model".into()),
            (Action::TogglePause, format!("continue without {name}'s turn")),
        ];
        return Some((title, ThemeRole::FloorError, why(turn), keys));
    }
    let held = state.limit.as_ref().filter(|_| Status::of(state) == Status::Stopped)?;
    let amount = |limit, value| match limit {
        Limit::Usd => Usd(value).to_string(),
        Limit::Seconds => clock(value * 1_000),
        Limit::Utterances | Limit::Rounds | Limit::Batches | Limit::Tokens => value.to_string(),
    };
    let title = format!("STOPPED {} limit of {}", screen.glyphs.dot, held.what.words(held.limit));
    let used = state.used(held.what, screen.clock.now());
    let spent = state.spent().used().map(|_| crate::export::cost(&state.spent()));
    let spent = spent.filter(|_| held.what != Limit::Usd);
    let spent = spent.map_or(String::new(), |spent| format!(", {spent} spent"));
    let told =
        format!("{} of {} used{spent}", amount(held.what, used), amount(held.what, held.limit));
    let raised = one_more_round(state).and_then(|set| set.of(held.what));
    let raise = raised
        .map_or("one more round".to_owned(), |to| format!("raise to {}", held.what.words(to)));
    let keys = vec![
        (Action::MoreRound, raise),
        (Action::SetLimit, "set it".into()),
        (Action::End, "end here".into()),
    ];
    Some((title, ThemeRole::FloorStopped, told, keys))
}
