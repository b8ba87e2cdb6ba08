//! Prompts as far as their digests have been rolled: what a seat has seen before is not hashed again for every turn, and
//! the prompt whose digest goes into the log is not built again for the call. What later turns are compared with for
//! repetition is kept as well, and what came of it.
//!
//! It is a cache beside the log: it decides nothing, may be dropped at any time, and a state with it equals one
//! without. Every change to how earlier words read, whose they are or who may see them clears it.

use super::{Conversation, Digest, Turn};
use crate::model::payload::TurnEnded;
use crate::model::{Command, Event, Kind, Message, Prompt, Purpose, SeatId, Seq, Text, ThreadId};
use crate::text::Trigrams;
use sha2::Sha256;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A digest that has taken in the beginning of a prompt.
#[derive(Clone)]
pub struct Rolled {
    /// SHA-256 of the prompt's parts around the conversation.
    pub frame: Digest,
    /// How many entries of the transcript are in it.
    pub entries: usize,
    /// The hash so far.
    pub hash: Sha256,
}

/// A prompt that was built, and the same as messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BuiltPrompt {
    /// The prompt.
    pub prompt: Arc<Prompt>,
    /// The messages that a model reads; none where it is for another voice.
    pub messages: Vec<Message>,
}

type Key = (ThreadId, SeatId, Purpose);

/// How far the prompts of each seat have come, the prompt that was built last, and the three-word sequences of the last
/// texts.
#[derive(Default)]
pub struct Rolls {
    rolled: Mutex<HashMap<Key, Rolled>>,
    built: Mutex<Option<(Text, BuiltPrompt)>>,
    /// The last texts, with their sequences of three words.
    trigrams: Mutex<VecDeque<(Text, Arc<Trigrams>)>>,
    /// How many turns go in circles, and for which entries, participants and beginning that was counted.
    circle: Mutex<Option<(Circled, usize)>>,
}

/// The number of entries, that of participants, and the first entry that counts.
type Circled = (usize, usize, Seq);

/// Texts whose sequences are kept: as many as a few rounds of a large table have.
const TEXTS_KEPT: usize = 256;

impl Rolls {
    /// Returns how far the prompts of turns like this one have come: of the same seat, in the same thread, for the same
    /// purpose.
    pub fn of(&self, turn: &Turn) -> Option<Rolled> {
        lock(&self.rolled).get(&key(turn)).cloned()
    }

    /// Keeps how far they have come with this one.
    pub fn keep(&self, turn: &Turn, rolled: Rolled) {
        lock(&self.rolled).insert(key(turn), rolled);
    }

    /// Returns the three-word sequences of a text. They are kept, since turn after turn is compared with it.
    pub fn trigrams(&self, text: &Text) -> Arc<Trigrams> {
        let mut known = lock(&self.trigrams);
        if let Some((_, trigrams)) = known.iter().rev().find(|(of, _)| Arc::ptr_eq(of, text)) {
            return trigrams.clone();
        }
        let trigrams = Arc::new(Trigrams::of(text));
        if known.len() == TEXTS_KEPT {
            known.pop_front();
        }
        known.push_back((text.clone(), trigrams.clone()));
        trigrams
    }

    /// Returns how many turns go in circles; it is counted once for the same entries, participants and beginning.
    pub fn circle(&self, of: Circled, count: impl FnOnce() -> usize) -> usize {
        let known = lock(&self.circle).filter(|(counted, _)| *counted == of);
        let circle = known.map_or_else(count, |(_, circle)| circle);
        *lock(&self.circle) = Some((of, circle));
        circle
    }

    /// Keeps a prompt that was built, by its digest.
    pub fn keep_prompt(&self, digest: &Text, built: BuiltPrompt) {
        *lock(&self.built) = Some((digest.clone(), built));
    }

    /// Returns the prompt that was built last, if it is the one of a digest; it is kept no longer.
    pub fn take_prompt(&self, digest: &Text) -> Option<BuiltPrompt> {
        lock(&self.built).take().filter(|(of, _)| of == digest).map(|(_, built)| built)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn key(turn: &Turn) -> Key {
    (turn.thread, turn.seat.clone(), turn.purpose)
}

/// A copy starts empty.
impl Clone for Rolls {
    fn clone(&self) -> Rolls {
        Rolls::default()
    }
}

/// A cache makes no difference between two states.
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

impl Conversation {
    /// Returns whether an event that is about to be applied may change how earlier words read, whose they are, or who may
    /// see them.
    pub(super) fn is_rewritten_by(&self, event: &Event) -> bool {
        let kind = &event.kind;
        let is_new_version =
            |e: &TurnEnded| self.turns.get(&e.turn).is_some_and(|t| t.replaces.is_some());
        matches!(kind, Kind::ThreadClosed(_))
            || matches!(kind, Kind::TurnEnded(e) if is_new_version(e))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Role;

    #[test]
    fn a_prompt_is_handed_on_once_and_only_under_its_digest() {
        let rolls = Rolls::default();
        let prompt = Arc::new(Prompt { system: "x".into(), ..Prompt::default() });
        let built = BuiltPrompt { prompt, messages: vec![Message::new(Role::User, "x")] };
        rolls.keep_prompt(&"a".into(), built.clone());
        assert_eq!(rolls.take_prompt(&"b".into()), None);
        rolls.keep_prompt(&"a".into(), built.clone());
        assert_eq!(rolls.take_prompt(&"a".into()), Some(built));
        assert_eq!(rolls.take_prompt(&"a".into()), None);
    }
}
