//! Prompts as far as their digests have been rolled: what a seat has seen before is not hashed anew for every turn.
//!
//! It stands beside the log. Nothing is decided by it, it may be lost at any moment, and a state that has it equals one
//! that has not. Whatever changes how earlier words read, whose they are or who may see them lets it go.

use super::{Digest, State, Turn};
use crate::model::payload::TurnEnded;
use crate::model::{Command, Event, Kind, Purpose, SeatId, ThreadId};
use sha2::Sha256;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A digest that has taken in the beginning of a prompt.
#[derive(Clone)]
pub struct Rolled {
    /// SHA-256 of what surrounds the talk.
    pub frame: Digest,
    /// How many entries of the transcript it has looked at.
    pub entries: usize,
    /// What it has come to.
    pub hash: Sha256,
}

type Key = (ThreadId, SeatId, Purpose);

/// How far the prompts of each seat have come.
#[derive(Default)]
pub struct Rolls(Mutex<HashMap<Key, Rolled>>);

impl Rolls {
    /// Returns how far the prompts of turns like this one have come: of the same seat, in the same thread, for the same
    /// purpose.
    pub fn of(&self, turn: &Turn) -> Option<Rolled> {
        self.lock().get(&key(turn)).cloned()
    }

    /// Keeps how far they have come with this one.
    pub fn keep(&self, turn: &Turn, rolled: Rolled) {
        self.lock().insert(key(turn), rolled);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Rolled>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(turn: &Turn) -> Key {
    (turn.thread, turn.seat.clone(), turn.purpose)
}

/// A copy begins anew.
impl Clone for Rolls {
    fn clone(&self) -> Rolls {
        Rolls::default()
    }
}

/// What is only remembered makes no difference.
impl PartialEq for Rolls {
    fn eq(&self, _: &Rolls) -> bool {
        true
    }
}

impl fmt::Debug for Rolls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rolls")
    }
}

impl State {
    /// Returns whether an event that is about to be applied may change how earlier words read, whose they are, or who may
    /// see them.
    pub(super) fn is_rewritten_by(&self, event: &Event) -> bool {
        let kind = &event.kind;
        let anew = |e: &TurnEnded| self.turns.get(&e.turn).is_some_and(|t| t.replaces.is_some());
        matches!(kind, Kind::ThreadClosed(_))
            || matches!(kind, Kind::TurnEnded(e) if anew(e))
            || matches!(kind, Kind::CommandGiven(given) if rewrites(&given.line.command))
    }
}

fn rewrites(command: &Command) -> bool {
    let words = matches!(
        command,
        Command::Edit { .. }
            | Command::Hide { .. }
            | Command::Unhide { .. }
            | Command::Choose { .. }
    );
    words || matches!(command, Command::Join { .. } | Command::Change { .. })
}
