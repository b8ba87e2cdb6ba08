//! The likeliest next step of a state, which Enter takes on the empty line.

use crate::state::Who;
use crate::state::leave::asks_leave;
use crate::ui::action::Action;
use crate::ui::screen::Screen;
use crate::ui::view::extension::{more, way_on};
use crate::ui::view::floor::Status;
use crate::ui::view::moment::{failed, may_be_paid};
use crate::ui::view::transcript::Transcript;

/// Minimum milliseconds between a message and the Enter that cuts in with it, so that a bouncing key cuts nobody off.
pub const BOUNCE_MS: u64 = 250;

/// Returns the action of the offer, and its description; `None` if Enter does nothing. No offer answers a request for a
/// permission, or calls a participant who costs money.
pub fn offer(screen: &Screen) -> Option<(Action, String)> {
    let (transcript, view) = (&screen.transcript, &screen.view);
    let state = transcript.state();
    if view.is_recording() || view.is_read_only() || asks_leave(state).is_some() {
        return None;
    }
    if transcript.human_turn().is_some() {
        return None;
    }
    let speaker = transcript.speaker();
    if let (Some(name), Some(_)) = (speaker, transcript.queued_for_all()) {
        return Some((Action::CutIn, format!("now, stops {name}")));
    }
    // Enter never spends: the choices of a card do, and the key that goes on
    if may_be_paid(state) {
        return None;
    }
    if failed(transcript).is_some() {
        return Some((Action::Retry, "retry".into()));
    }
    if let Some(to) = screen.chosen() {
        return Some((Action::GiveFloor, format!("{} next", transcript.name(&to))));
    }
    match Status::from_state(state) {
        // nobody has a turn left
        Status::Paused if state.limit.is_some() => Some((Action::MoreRound, asking(transcript))),
        Status::Paused => {
            let next = transcript.next_speakers().first().map(|next| transcript.name(next));
            let turn = next.map_or("one turn".into(), |next| format!("one turn ({next})"));
            Some((Action::Step, turn))
        }
        Status::Reached => Some((Action::MoreRound, asking(transcript))),
        Status::Done | Status::Error if !view.unsaved => Some((Action::MoreRound, more(state))),
        _ => None,
    }
}

/// Describes the way on after a limit: it asks those whom the operator's last message addresses.
pub fn asking(transcript: &Transcript) -> String {
    let state = transcript.state();
    let words = way_on(state);
    match state.entries.last().filter(|entry| entry.who == Who::Operator) {
        Some(entry) if entry.mentions.is_empty() => format!("{words} answers"),
        Some(entry) => format!("{words} asks {}", transcript.names(&entry.mentions)),
        None => words,
    }
}

/// Returns whether Enter follows a message so soon that it may be the same press.
pub fn bounces(screen: &Screen) -> bool {
    screen.view.keys.sent.is_some_and(|at| screen.clock.now().since(at) < BOUNCE_MS)
}
