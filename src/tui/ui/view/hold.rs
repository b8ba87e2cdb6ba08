//! The raised hand: while the person writes, the next turn does not start.
//!
//! The drawing loop asks for the command to send and for the time of the next change; nothing here wakes it.

use crate::model::{Command, Ms};
use crate::ui::screen::Screen;
use crate::ui::view::floor::Status;

/// Minimum characters of a draft that raises the hand.
const CHARS: usize = 3;
/// Milliseconds after which a hold is renewed, before the engine ends it.
const RENEW_MS: u64 = 45_000;
/// Milliseconds between two frames while the seconds are counted.
const TICK_MS: u64 = 1_000;

/// Returns the command that raises or lowers the hand, if that is due.
pub fn command(screen: &mut Screen, now: Ms) -> Option<Command> {
    let wants = wants(screen) && screen.view.hand.left(now) > 0;
    let ended = screen.transcript.state().ended.is_some();
    let hand = &mut screen.view.hand;
    match hand.held {
        Some(at) if wants && now.since(at) < RENEW_MS => None,
        _ if wants => {
            hand.held = Some(now);
            Some(Command::Hold { on: true })
        }
        Some(_) => {
            hand.held = None;
            (!ended).then_some(Command::Hold { on: false })
        }
        None => None,
    }
}

/// Returns the milliseconds until the hand or the seconds on the screen change.
pub fn wake(screen: &Screen, now: Ms) -> Option<u64> {
    let hand = &screen.view.hand;
    let renew = RENEW_MS.saturating_sub(now.since(hand.held?));
    let left = hand.left(now);
    let counts = screen.transcript.state().turns.is_empty();
    let tick = if counts { left.saturating_sub(1) % TICK_MS + 1 } else { left };
    Some(left.min(renew).min(tick))
}

/// Returns the seconds for which the others still wait for the message; `None` if nobody waits.
pub fn seconds(screen: &Screen, now: Ms) -> Option<u64> {
    let hand = &screen.view.hand;
    let state = screen.transcript.state();
    let held = hand.held.is_some() && state.holds().next().is_some();
    let waits = held && state.turns.is_empty();
    waits.then(|| hand.left(now).div_ceil(1_000))
}

/// Returns whether the draft is a message for which the floor should wait: neither a command nor a whisper.
fn wants(screen: &Screen) -> bool {
    let view = &screen.view;
    let steers = view.writing && view.steers();
    let status = Status::from_state(screen.transcript.state());
    let goes_on = matches!(status, Status::Running | Status::Stepping | Status::Waiting);
    if !steers || !goes_on || view.hand.patience == 0 || screen.transcript.human_turn().is_some() {
        return false;
    }
    let lines = view.composer.area.lines();
    let first = lines.first().map_or("", String::as_str);
    let chars: usize = lines.iter().map(|line| line.trim().chars().count()).sum();
    chars >= CHARS && !["/", "?", "@@"].iter().any(|sign| first.starts_with(sign))
}
