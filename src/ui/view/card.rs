//! The card that asks for the operator's attention: a limit was reached, a turn failed, a tool asks. Its options have
//! digits on the empty line, and their own keys elsewhere.

use crate::model::{Limit, Ms, Usd};
use crate::state::leave::asks_leave;
use crate::ui::action::Action;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::wrap::clip;
use crate::ui::theme::ThemeRole;
use crate::ui::view::away;
use crate::ui::view::extension::{one_more_round, stopped};
use crate::ui::view::floor::{Status, failed_times, failures};
use crate::ui::view::message::clock;
use crate::ui::view::moment::{failed, is_paid, why};

/// Maximum cells of the description of a tool call.
const TOLD_MAX: usize = 140;
/// Minimum milliseconds for which a card is shown, and without a key, before a digit answers it.
const QUIET_MS: u64 = 500;

/// A card that asks for the operator's attention.
pub struct Card {
    /// Title.
    pub title: String,
    /// Role of the frame.
    pub role: ThemeRole,
    /// Description.
    pub told: String,
    /// Helpful actions and their effect; on the input box, digits choose them.
    pub options: Vec<(Action, String)>,
}

/// Returns the card of the current state, if there is one.
pub fn card(screen: &Screen) -> Option<Card> {
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
        return Some(Card { title, role: ThemeRole::Notice, told, options: keys });
    }
    if let Some(turn) = failed(&screen.transcript) {
        let name = screen.transcript.name(&turn.seat);
        let times = failed_times(failures(&screen.transcript, &turn.seat)).to_uppercase();
        let title = format!("{times} {} {name}", screen.glyphs.dot);
        let keys = vec![
            (Action::Retry, "retry".into()),
            (Action::ChangeModel, "another model".into()),
            (Action::TogglePause, format!("continue without {name}'s turn")),
        ];
        return Some(Card { title, role: ThemeRole::FloorError, told: why(turn), options: keys });
    }
    if let Some((title, told)) = away::summary(screen) {
        let first = screen.view.absence.map_or(1, |absence| absence.turns + 1);
        // elsewhere the next key is not an answer
        let options = if screen.view.place() != Focus::Line {
            vec![]
        } else {
            vec![
                (Action::ReadMissed, format!("read from #{first}")),
                (Action::Moments, "only the moments".into()),
                (Action::Follow, "stay at the end".into()),
            ]
        };
        return Some(Card { title, role: ThemeRole::Notice, told, options });
    }
    let held = state.limit.as_ref()?;
    if !Status::from_state(state).is_limited() {
        return None;
    }
    // the line of the floor names the outcome, and the line of the composer the way on
    if !held.what.is_budget() && screen.transcript.positions().is_some() {
        return None;
    }
    let amount = |limit, value| match limit {
        Limit::Usd => Usd(value).to_string(),
        Limit::Seconds => clock(value * 1_000),
        Limit::Utterances | Limit::Rounds | Limit::Batches | Limit::Tokens => value.to_string(),
    };
    let used = state.used(held.what, screen.clock.now());
    let spent = state.spent().cost().map(|_| crate::export::cost(&state.spent()));
    let spent = match spent {
        Some(spent) if held.what != Limit::Usd => format!(", {spent} spent"),
        Some(_) | None => String::new(),
    };
    let left = held.limit.saturating_sub(used);
    let used = amount(held.what, used);
    let mut told = if held.what.is_budget() {
        format!("{used} of {} used{spent}", amount(held.what, held.limit))
    } else {
        format!("{}{spent}", stopped(state))
    };
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
    let (title, role) = if held.what.is_budget() {
        let budget = held.what.words(held.limit).to_uppercase();
        (format!("BUDGET OF {budget} USED UP"), ThemeRole::FloorStopped)
    } else {
        ("DONE".into(), ThemeRole::FloorDone)
    };
    Some(Card { title, role, told, options: keys })
}

/// Returns the action that a digit means now: the card has been on the screen for a while in which no key came, so that
/// the digit is not the next character of a text. An action that was announced needs no such pause.
pub fn answer(screen: &Screen, digit: char, last_key: Option<Ms>) -> Option<Action> {
    let at = digit.to_digit(10)?.checked_sub(1)?;
    let (action, _) = card(screen)?.options.into_iter().nth(at as usize)?;
    let now = screen.clock.now();
    let quiet = |since: Ms| now.since(since) >= QUIET_MS;
    let shown = screen.view.card_since.as_ref().is_some_and(|(_, since)| quiet(*since));
    let free = last_key.is_none_or(quiet) || screen.view.leaving == Some(action);
    (shown && free).then_some(action)
}

/// Returns whether an action of the card spends money.
pub fn costs(screen: &Screen, action: Action) -> bool {
    let state = screen.transcript.state();
    match action {
        Action::MoreRound => state.limit.as_ref().is_some_and(|at| at.what.is_budget()),
        Action::Retry => failed(&screen.transcript)
            .and_then(|turn| state.seat(&turn.seat))
            .is_some_and(|seat| is_paid(&seat.spec)),
        _ => false,
    }
}
