//! Cache of prompt digests: earlier messages are not hashed again for every turn of a seat, and the prompt whose digest
//! goes into the log is not built again for the call. It also caches the data and the result of comparing turns for
//! repetition.
//!
//! The cache decides nothing, may be dropped at any time, and is ignored when states are compared. Every change to the
//! text, author or visibility of earlier messages clears it.

use super::{Conversation, Digest, Turn};
use crate::model::payload::TurnEnded;
use crate::model::{Command, Event, Kind, Message, Prompt, Purpose, SeatId, Seq, Text, ThreadId};
use crate::text::Trigrams;
use parking_lot::Mutex;
use sha2::Sha256;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

/// Digest state after the beginning of a prompt.
#[derive(Clone)]
pub struct Rolled {
    /// SHA-256 of the prompt's parts around the conversation.
    pub frame: Digest,
    /// Number of transcript entries in the hash.
    pub entries: usize,
    /// The hash so far.
    pub hash: Sha256,
}

/// A prompt and its messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BuiltPrompt {
    pub prompt: Arc<Prompt>,
    /// The messages for a model; empty for other voices.
    pub messages: Vec<Message>,
}

type Key = (ThreadId, SeatId, Purpose);

/// Digest states of the prompts of each seat, the prompt that was built last, and the three-word sequences of the last
/// texts.
#[derive(Default)]
pub struct Rolls {
    rolled: Mutex<HashMap<Key, Rolled>>,
    built: Mutex<Option<(Text, BuiltPrompt)>>,
    /// Text of the request that was checked last, with its turn and the length of the conversation.
    request: Mutex<Option<(Turn, Seq, Text)>>,
    /// The last texts, with their three-word sequences.
    trigrams: Mutex<VecDeque<(Text, Arc<Trigrams>)>>,
    /// Number of turns that go in circles, with the key for which it was counted.
    circle: Mutex<Option<(Circled, usize)>>,
}

/// Number of entries, number of participants, and `seq` of the first entry that counts.
type Circled = (usize, usize, Seq);

/// Maximum number of texts with cached sequences, enough for a few rounds with many seats.
const TEXTS_KEPT: usize = 256;

impl Rolls {
    /// Returns the digest state of earlier prompts of the same seat, in the same thread and for the same purpose.
    pub fn get(&self, turn: &Turn) -> Option<Rolled> {
        self.rolled.lock().get(&key(turn)).cloned()
    }

    /// Stores the digest state after this turn's prompt.
    pub fn keep(&self, turn: &Turn, rolled: Rolled) {
        self.rolled.lock().insert(key(turn), rolled);
    }

    /// Removes the digest states with entries from an index on: another entry takes their place.
    pub fn forget_from(&self, entry: usize) {
        self.rolled.lock().retain(|_, rolled| rolled.entries <= entry);
    }

    /// Returns the three-word sequences of a text, cached since many turns are compared with it.
    pub fn trigrams(&self, text: &Text) -> Arc<Trigrams> {
        let mut known = self.trigrams.lock();
        if let Some((_, trigrams)) = known.iter().rev().find(|(of, _)| Arc::ptr_eq(of, text)) {
            return trigrams.clone();
        }
        let trigrams = Arc::new(Trigrams::new(text));
        if known.len() == TEXTS_KEPT {
            known.pop_front();
        }
        known.push_back((text.clone(), trigrams.clone()));
        trigrams
    }

    /// Returns the number of turns that go in circles, counted only once for the same key.
    pub fn circle(&self, of: Circled, count: impl FnOnce() -> usize) -> usize {
        let known = self.circle.lock().filter(|(counted, _)| *counted == of);
        let circle = known.map_or_else(count, |(_, circle)| circle);
        *self.circle.lock() = Some((of, circle));
        circle
    }

    /// Stores the text of a turn's request in a conversation of this length.
    pub fn keep_request(&self, turn: &Turn, length: Seq, text: Text) {
        *self.request.lock() = Some((turn.clone(), length, text));
    }

    /// Returns the stored text if it belongs to the same turn in a conversation of the same length.
    pub fn request(&self, turn: &Turn, length: Seq) -> Option<Text> {
        let kept = self.request.lock();
        let (_, _, text) = kept.as_ref().filter(|(of, at, _)| *at == length && of == turn)?;
        Some(text.clone())
    }

    /// Stores the last built prompt under its digest.
    pub fn keep_prompt(&self, digest: &Text, built: BuiltPrompt) {
        *self.built.lock() = Some((digest.clone(), built));
    }

    /// Removes the last built prompt, and returns it if it has this digest.
    pub fn take_prompt(&self, digest: &Text) -> Option<BuiltPrompt> {
        self.built.lock().take().filter(|(of, _)| of == digest).map(|(_, built)| built)
    }
}

fn key(turn: &Turn) -> Key {
    (turn.thread, turn.seat.clone(), turn.purpose)
}

/// A clone starts with an empty cache.
impl Clone for Rolls {
    fn clone(&self) -> Rolls {
        Rolls::default()
    }
}

/// The cache is ignored when states are compared.
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
    /// Returns whether an event that is about to be applied may change the text, author or visibility of earlier
    /// messages.
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
    use crate::model::{Ms, Role};

    #[test]
    fn a_request_is_kept_for_its_turn_and_length() {
        let rolls = Rolls::default();
        let turn = |at| Turn::granted(Seq(at), Ms(0), ThreadId::ROOT, "a".into(), Purpose::Speak);
        rolls.keep_request(&turn(1), Seq(5), "x".into());
        assert_eq!(rolls.request(&turn(1), Seq(5)), Some("x".into()));
        assert_eq!(rolls.request(&turn(1), Seq(6)), None);
        assert_eq!(rolls.request(&turn(2), Seq(5)), None);
    }

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
