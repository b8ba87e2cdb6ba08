//! Timed changes: the list of keys after the prefix appears after a short time, and the offer to undo disappears. The
//! drawing loop asks for the time until the next change; nothing here wakes it.

use crate::model::{Command, Ms, SeatId};
use crate::state::RunState;
use crate::ui::action::Action;
use crate::ui::screen::{Screen, ViewState};
use crate::ui::view::confirming::WAITS_MS;
use crate::ui::view::floor::next;
use crate::ui::view::undo::Undo;

/// Milliseconds for which an action can be undone.
const UNDO_MS: u64 = 5_000;

/// Milliseconds for which a notice takes the place of the hints.
const NOTICE_MS: u64 = 5_000;

/// Milliseconds within which a second press confirms an action.
const LEAVING_MS: u64 = 2_000;

/// Advances time; returns the milliseconds until the next change, and whether anything changed.
pub fn pass(view: &mut ViewState, now: Ms) -> (Option<u64>, bool) {
    let mut changed = false;
    let mut next: Option<u64> = None;
    if let Some(leaving) = &mut view.leaving {
        let since = *leaving.since.get_or_insert(now);
        if is_due(since, LEAVING_MS, now, &mut next) {
            view.notice.take_if(|notice| *notice == leaving.told);
            view.leaving = None;
            changed = true;
        }
    }
    if let Some(confirming) = &view.confirming
        && is_due(confirming.since, WAITS_MS, now, &mut next)
    {
        view.confirming = None;
        changed = true;
    }
    if let Some(undo) = view.undo.as_mut().filter(|undo| !undo.lasts) {
        let since = *undo.since.get_or_insert(now);
        if is_due(since, UNDO_MS, now, &mut next) {
            view.notice.take_if(|notice| *notice == undo.told);
            view.undo = None;
            changed = true;
        }
    }
    let typed = view.vim.as_ref().is_some_and(|vim| vim.colon.is_some());
    match view.notice.clone() {
        Some(notice) if !typed => {
            if view.notice_since.as_ref().is_none_or(|(_, of)| *of != notice) {
                view.notice_since = Some((now, notice));
            }
            let since = view.notice_since.as_ref().map_or(now, |(since, _)| *since);
            if is_due(since, NOTICE_MS, now, &mut next) {
                view.notice = None;
                changed = true;
            }
        }
        _ => view.notice_since = None,
    }
    (next, changed)
}

/// Returns true if something has lasted its time; otherwise `next` is at most the milliseconds that are left.
fn is_due(since: Ms, lasts_ms: u64, now: Ms, next: &mut Option<u64>) -> bool {
    let left = lasts_ms.saturating_sub(now.since(since));
    if left > 0 {
        *next = Some(next.map_or(left, |next| next.min(left)));
    }
    left == 0
}

/// Reports a command as done, and offers to undo it.
pub fn offer(screen: &mut Screen, WayBack { done, by, command }: WayBack) {
    let key = screen.keymap.way(Action::Undo, screen.view.steering());
    let told = format!("{done} ({key}: {by})");
    screen.view.notice = Some(told.clone());
    screen.view.changed = None;
    screen.view.undo = Some(Undo { command, told, lasts: false, since: None });
}

/// A command that can be undone: its effect, and the command that reverts it.
pub struct WayBack {
    done: String,
    by: &'static str,
    command: Command,
}

/// Returns the offer to undo a command that is about to be sent; `None` if it cannot be undone.
pub fn way_back(screen: &Screen, command: &Command) -> Option<WayBack> {
    let transcript = &screen.transcript;
    let state = screen.transcript.state();
    let going = matches!(state.run, RunState::Going | RunState::Stepping(_));
    let name = |seat: &SeatId| transcript.name(seat);
    let undo = |done: String, command| Some(WayBack { done, by: "undo", command });
    match command {
        Command::Pause {} if going => {
            let when = transcript.speaker().map(|name| format!("pausing when {name} finishes"));
            undo(when.unwrap_or("paused".into()), Command::Resume {})
        }
        Command::PauseNow {} if going => {
            let stopped = transcript.speaker().map(|name| format!("{name} stopped, paused"));
            let done = stopped.unwrap_or("paused".into());
            Some(WayBack { done, by: "resume", command: Command::Resume {} })
        }
        Command::Floor { to } => {
            let when = match (state.run, transcript.speaker()) {
                (RunState::Paused, _) => {
                    format!(
                        " after {}",
                        screen.keymap.way(Action::TogglePause, screen.view.steering())
                    )
                }
                (_, Some(speaker)) => format!(" when {speaker} finishes"),
                (_, None) => String::new(),
            };
            let of = screen.next_key().0;
            undo(format!("{} speaks next{when}", name(to)), Command::DropQueued { of })
        }
        Command::Skip {} => {
            let (who, what) = match transcript.speaking().next() {
                Some(turn) => (turn.seat.clone(), "stopped"),
                None => (next(transcript).0.into_iter().next()?, "skipped"),
            };
            undo(format!("{} {what}", name(&who)), Command::Floor { to: who })
        }
        Command::Pass { who } => undo("turn passed".into(), Command::Floor { to: who.clone() }),
        Command::Mute { who } => {
            undo(format!("{} muted", name(who)), Command::Unmute { who: who.clone() })
        }
        Command::Unmute { who } => {
            undo(format!("{} unmuted", name(who)), Command::Mute { who: who.clone() })
        }
        Command::Hide { utterance, .. } => {
            undo(format!("{utterance} hidden"), Command::Unhide { utterance: *utterance })
        }
        Command::DropQueued { of } => {
            let waits = state.pending.values().find(|waits| waits.given.key.0 == *of)?;
            undo("dropped".into(), waits.given.line.command.clone())
        }
        _ => None,
    }
}
