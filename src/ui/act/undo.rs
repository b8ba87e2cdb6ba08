//! What comes and goes by itself: the list of keys behind the prefix comes a moment after it, and the offer to take a
//! deed back goes. Whoever draws asks how long to sleep; nothing here wakes anybody.

use crate::model::{Command, Ms};
use crate::ui::Screen;
use crate::ui::act::intents;
use crate::ui::act::update::{Request, View};
use crate::ui::action::Action;
use crate::ui::keymap::Focus;

/// Milliseconds after the prefix until its keys are listed.
const KEYS_MS: u64 = 400;
/// Milliseconds for which a deed can be taken back.
const UNDO_MS: u64 = 5_000;

/// A deed that can be taken back for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    /// What takes it back.
    command: Command,
    /// What was said of it.
    told: String,
    since: Option<Ms>,
}

impl ViewState {
    /// Lets time pass; returns the milliseconds until something comes or goes, and whether anything did.
    pub fn pass(&mut self, now: Ms) -> (Option<u64>, bool) {
        let mut changed = false;
        let mut next: Option<u64> = None;
        if self.prefixed && !self.keys_listed {
            let since = *self.prefixed_since.get_or_insert(now);
            match KEYS_MS.saturating_sub(now.since(since)) {
                0 => (self.keys_listed, changed) = (true, true),
                left => next = Some(left),
            }
        } else if !self.prefixed {
            (self.prefixed_since, self.keys_listed) = (None, false);
        }
        if let Some(undo) = &mut self.undo {
            let since = *undo.since.get_or_insert(now);
            match UNDO_MS.saturating_sub(now.since(since)) {
                0 => {
                    self.notice.take_if(|notice| *notice == undo.told);
                    (self.undo, changed) = (None, true);
                }
                left => next = Some(next.map_or(left, |next| next.min(left))),
            }
        }
        (next, changed)
    }
}

/// Says what was done, and offers to take it back.
pub fn offer(screen: &mut Screen, done: &str, command: Command) {
    let key = screen.keymap.way(Action::Undo, Focus::Read);
    let told = format!("{done}: {key} takes it back");
    screen.view.notice = Some(told.clone());
    screen.view.undo = Some(Undo { command, told, since: None });
}

/// Takes back what was done last, as long as that is offered.
pub fn undo(screen: &mut Screen) -> Option<Request> {
    match screen.view.undo.take() {
        Some(undo) => intents::ask(screen, undo.command),
        None => {
            screen.view.notice = Some("there is nothing to take back".into());
            None
        }
    }
}
