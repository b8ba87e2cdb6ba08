//! The card that asks for the operator's attention: a limit was reached, a turn failed, a tool asks. Its options have
//! digits on the empty line, and their own keys elsewhere.

use crate::model::{Limit, Ms, Outcome, Usd};
use crate::state::leave::asks_leave;
use crate::text::clock;
use crate::ui::action::Action;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::wrap::clip;
use crate::ui::theme::ThemeRole;
use crate::ui::view::away;
use crate::ui::view::extension::{more, one_more_round};
use crate::ui::view::failures::failed_times;
use crate::ui::view::floor::{Status, failures};
use crate::ui::view::moment::{failed, is_paid, why};

/// Maximum cells of the description of a tool call.
const TOLD_MAX: usize = 140;
/// Minimum milliseconds for which a card is shown, and without a key, before a digit answers it.
const QUIET_MS: u64 = 500;
/// Minimum number of failures in a row that a card reports while the others go on.
const FAILURES: u32 = 2;
/// Maximum number of choices with a digit.
const DIGITS: usize = 9;

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
    /// Choices of a person's vote; digits give the vote.
    pub choices: Vec<String>,
    /// Index of the seat that the options are about, if it need not be selected.
    pub seat: Option<usize>,
}

impl Card {
    /// Returns a card without options.
    fn new(title: String, role: ThemeRole, told: String) -> Card {
        Card { title, role, told, options: vec![], choices: vec![], seat: None }
    }
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
        return Some(Card { options: keys, ..Card::new(title, ThemeRole::Notice, told) });
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
        return Some(Card { options: keys, ..Card::new(title, ThemeRole::FloorError, why(turn)) });
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
        return Some(Card { options, ..Card::new(title, ThemeRole::Notice, told) });
    }
    if let Some(vote) = vote(screen) {
        return Some(vote);
    }
    if let Some(failing) = failing(screen) {
        return Some(failing);
    }
    let held = state.limit.as_ref()?;
    if !Status::from_state(state).is_limited() {
        return None;
    }
    // the line of the floor names a planned length, and the line of the composer the way on
    if !held.what.is_budget() {
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
    let raise =
        raised.map_or_else(|| more(state), |to| format!("raise to {}", held.what.words(to)));
    let keys = vec![
        (Action::MoreRound, raise),
        (Action::SetLimit, "set it".into()),
        (Action::End, "end here".into()),
    ];
    let title = format!("BUDGET OF {} USED UP", held.what.words(held.limit).to_uppercase());
    Some(Card { options: keys, ..Card::new(title, ThemeRole::FloorStopped, told) })
}

/// Returns the card of the participant whose last turns have failed while the others go on.
fn failing(screen: &Screen) -> Option<Card> {
    let transcript = &screen.transcript;
    let state = transcript.state();
    if !matches!(Status::from_state(state), Status::Running | Status::Stepping | Status::Waiting) {
        return None;
    }
    let able = transcript.failed.in_a_row().filter(|(seat, _)| state.may_speak(seat));
    let (id, times) = able.max_by_key(|(seat, times)| (*times, *seat))?;
    if times < FAILURES {
        return None;
    }
    let mut turns = transcript.turn_log.turns.iter().rev();
    let told = why(turns.find(|turn| turn.seat == *id && turn.outcome == Outcome::Failed)?);
    let name = transcript.name(id);
    let title = format!("{name} {}", failed_times(times as usize).to_uppercase());
    let mut card = Card::new(title, ThemeRole::FloorError, told);
    // elsewhere the keys act on the selected participant
    if screen.view.place() == Focus::Line {
        card.seat = Some(transcript.seat_place(id));
        card.options = vec![
            (Action::GiveFloor, "try again".into()),
            (Action::ChangeModel, "another model".into()),
            (Action::Mute, format!("mute {name}")),
        ];
    }
    Some(card)
}

/// Returns the card of a person's vote, whose choices have digits on the empty line.
fn vote(screen: &Screen) -> Option<Card> {
    let transcript = &screen.transcript;
    let choices = transcript.human_choices();
    if transcript.unattended || choices.is_empty() || choices.len() > DIGITS {
        return None;
    }
    let told = transcript.human_question().unwrap_or_default();
    Some(Card { choices, ..Card::new("YOUR VOTE".into(), ThemeRole::Notice, told) })
}

/// Returns the index of the seat that the options of the card are about, if it need not be selected.
pub fn seat(screen: &Screen) -> Option<usize> {
    card(screen)?.seat
}

/// Returns the choice of a person's vote that a digit means now, under the conditions of [`answer`].
pub fn choice(screen: &Screen, digit: char, last_key: Option<Ms>) -> Option<String> {
    let at = digit.to_digit(10)?.checked_sub(1)?;
    let choice = card(screen)?.choices.into_iter().nth(at as usize)?;
    is_quiet(screen, last_key, false).then_some(choice)
}

/// Returns whether the card has been on the screen for a while in which no key came; with `announced`, keys do not
/// count.
fn is_quiet(screen: &Screen, last_key: Option<Ms>, announced: bool) -> bool {
    let now = screen.clock.now();
    let quiet = |since: Ms| now.since(since) >= QUIET_MS;
    let shown = screen.view.card_since.as_ref().is_some_and(|(_, since)| quiet(*since));
    shown && (announced || last_key.is_none_or(quiet))
}

/// Returns the action that a digit means now: the card has been on the screen for a while in which no key came, so that
/// the digit is not the next character of a text. An action that was announced needs no such pause.
pub fn answer(screen: &Screen, digit: char, last_key: Option<Ms>) -> Option<Action> {
    let at = digit.to_digit(10)?.checked_sub(1)?;
    let (action, _) = card(screen)?.options.into_iter().nth(at as usize)?;
    is_quiet(screen, last_key, screen.view.leaving == Some(action)).then_some(action)
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
