//! The card that asks for the operator's attention: a limit was reached, a turn failed. It names the helpful keys and
//! their cost, and stays above the status line until one is pressed.

use crate::model::{Limit, Usd};
use crate::ui::action::Action;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::card::{AROUND, card};
use crate::ui::text::wrap::{clip, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::view::extension::one_more_round;
use crate::ui::view::floor::Status;
use crate::ui::view::leave::asks_leave;
use crate::ui::view::message::clock;
use crate::ui::view::moment::{failed, why};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

/// Maximum width of the card, in cells.
const WIDTH_MAX: u16 = 76;
/// Maximum cells of the description of a tool call.
const TOLD_MAX: usize = 140;
/// Rows of its frame.
const FRAME: usize = 2;
/// Maximum rows of a card.
const ROWS_MAX: u16 = 6;

/// Returns the rows that the card needs at a width; 0 without a card.
pub fn rows(screen: &Screen, width: u16) -> u16 {
    lines(screen, width, ROWS_MAX).len() as u16
}

/// Returns the helpful keys and their effect, for a screen that is too low for the card; `None` without a card.
pub fn keys(screen: &Screen) -> Option<Vec<(Action, String)>> {
    from_screen(screen).map(|(.., keys)| keys)
}

/// Draws the card, if there is one.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let lines = lines(screen, area.width, area.height);
    frame.render_widget(Text::from(lines), Rect { x: area.x + 1, width: room(area.width), ..area });
}

fn room(width: u16) -> u16 {
    width.saturating_sub(2).min(WIDTH_MAX)
}

/// Returns the card within a number of columns and rows.
fn lines(screen: &Screen, width: u16, most: u16) -> Vec<Line<'static>> {
    let Some((title, role, told, keys)) = from_screen(screen) else { return vec![] };
    let room = usize::from(room(width));
    let key = screen.theme.style(ThemeRole::HintKey);
    let text = screen.theme.style(ThemeRole::Text);
    let inside = room.saturating_sub(AROUND);
    let mut hints: Vec<Line<'static>> = Vec::new();
    for (action, what) in keys {
        let way = screen.keymap.way(action, screen.view.steering());
        let hint = [Span::styled(way, key), Span::styled(format!(" {what}"), text)];
        let needs: usize = hint.iter().map(Span::width).sum();
        match hints.last_mut().filter(|line| line.width() + 2 + needs <= inside) {
            Some(line) => {
                line.push_span(Span::raw("  "));
                line.extend(hint);
            }
            None => hints.push(Line::from(hint.to_vec())),
        }
    }
    let spare = usize::from(most).saturating_sub(FRAME + hints.len());
    // the keys matter most: the description is cut if both do not fit
    let mut rows = wrap(&Line::styled(told, text), inside);
    if rows.len() > spare.max(1) {
        rows.truncate(spare.max(1));
        if let Some(last) = rows.last_mut() {
            let more = screen.glyphs.ellipsis;
            let kept = clip(&last.to_string(), inside.saturating_sub(1), more);
            *last = Line::styled(format!("{}{more}", kept.trim_end_matches(more)), text);
        }
    }
    rows.extend(hints);
    let edge = screen.theme.style(role);
    let mut lines = card(&title, rows, room, edge, screen.glyphs);
    while lines.len() > usize::from(most) && lines.len() > FRAME {
        lines.remove(lines.len() - FRAME);
    }
    lines
}

/// Title, role of the frame, description, and the helpful keys with their effect.
type Moment = (String, ThemeRole, String, Vec<(Action, String)>);

fn from_screen(screen: &Screen) -> Option<Moment> {
    if screen.view.playback.is_some() {
        return None;
    }
    let state = screen.transcript.state();
    if let Some(asks) = asks_leave(state) {
        let name = screen.transcript.name(&asks.seat);
        let title = format!("PERMISSION {} {name}", screen.glyphs.dot);
        let keys = vec![
            (Action::AllowOnce, "allow once".into()),
            (Action::AllowTool, "until you leave".into()),
            (Action::RefuseTool, "refuse".into()),
        ];
        let told = clip(&asks.told, TOLD_MAX, screen.glyphs.ellipsis);
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
    let held = state.limit.as_ref()?;
    if Status::from_state(state) != Status::Stopped {
        return None;
    }
    let amount = |limit, value| match limit {
        Limit::Usd => Usd(value).to_string(),
        Limit::Seconds => clock(value * 1_000),
        Limit::Utterances | Limit::Rounds | Limit::Batches | Limit::Tokens => value.to_string(),
    };
    let title = format!("STOPPED {} limit of {}", screen.glyphs.dot, held.what.words(held.limit));
    let used = state.used(held.what, screen.clock.now());
    let spent = state.spent().cost().map(|_| crate::export::cost(&state.spent()));
    let spent = match spent {
        Some(spent) if held.what != Limit::Usd => format!(", {spent} spent"),
        Some(_) | None => String::new(),
    };
    let left = held.limit.saturating_sub(used);
    let used = amount(held.what, used);
    let mut told = format!("{used} of {} used{spent}", amount(held.what, held.limit));
    // a turn starts only if its whole reserve is left
    match (held.what, held.next.map(|next| amount(held.what, next))) {
        (Limit::Usd, Some(next)) => told = format!("spent {used}, the next turn may cost {next}"),
        (Limit::Tokens, Some(next)) => {
            told.push_str(&format!("; the next turn may use {next} tokens"));
        }
        // an older session does not record the amount
        (Limit::Usd | Limit::Tokens, None) if left > 0 => {
            let left = amount(held.what, left);
            told.push_str(&format!("; the next turn may need more than the {left} left"));
        }
        _ => {}
    }
    let raised = one_more_round(state).and_then(|set| set.get(held.what));
    let raise = raised
        .map_or("one more round".to_owned(), |to| format!("raise to {}", held.what.words(to)));
    let keys = vec![
        (Action::MoreRound, raise),
        (Action::SetLimit, "set it".into()),
        (Action::End, "end here".into()),
    ];
    Some((title, ThemeRole::FloorStopped, told, keys))
}
