//! What was said, with every version of it.

use crate::model::*;
use sha2::Digest as _;
use std::collections::BTreeMap;

/// Labels that replace the names of seats; empty where names are shown.
pub type Labels = BTreeMap<SeatId, Text>;

/// A SHA-256 digest of words.
pub type Digest = [u8; 32];

/// Returns the SHA-256 of some words.
pub fn digest(words: &str) -> Digest {
    sha2::Sha256::digest(words.as_bytes()).into()
}

/// The author of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// A participant's.
    Seat(SeatId),
    /// The person at the keyboard.
    Operator,
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its place in the log.
    pub seq: Seq,
    /// The thread in which it was said.
    pub thread: ThreadId,
    /// The author of the words.
    pub who: Who,
    /// The utterance's number; the operator's words have none.
    pub number: Option<u32>,
    /// Every version, oldest first.
    pub versions: Vec<Version>,
    /// The index of the version that counts, from 0.
    pub chosen: usize,
    /// The text that replaced it for later prompts, and since when.
    pub edited: Option<(Seq, Text)>,
    /// Since when it is hidden.
    pub hidden: Option<Seq>,
    /// Since when it reads otherwise than before: by an edit, an alternative, or hidden.
    pub changed: Option<Seq>,
    /// The seats that may read it; empty is everybody.
    pub to: Box<[SeatId]>,
    /// The command it came from, for the operator's words.
    pub of: Option<Key>,
    /// The seat that these words gave the floor: to be named in them is no second grant.
    pub granted: Option<SeatId>,
    /// The seats it names with `@`.
    pub mentions: Box<[SeatId]>,
}

/// One version of an utterance.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Since when it is there.
    pub seq: Seq,
    /// The turn that spoke it; none for the operator's words.
    pub turn: Option<TurnId>,
    /// The text of this version.
    pub text: Text,
    /// SHA-256 of the words: prompts are digested once per utterance, not once per turn.
    pub digest: Digest,
    /// Who really spoke, as `call.started` says; empty where no call did.
    pub model: Text,
    /// The answer that it gives as data.
    pub answer: Option<Text>,
    /// Whether it was cut, and why.
    pub cut: Option<CutWhy>,
    /// Whether it ends at its token limit.
    pub capped: bool,
    /// Whether it began to repeat itself and was cut there.
    pub repeats: bool,
    /// Whispers that came with it.
    pub whispers: Box<[payload::Whisper]>,
    /// What it saw of its peers when it was spoken.
    pub horizon: Seq,
    /// The labels that it saw instead of their names.
    pub labels: Labels,
}

impl Entry {
    /// Returns the version that counts now.
    pub fn version(&self) -> &Version {
        &self.versions[self.chosen.min(self.versions.len() - 1)]
    }

    /// Returns the words as later prompts show them.
    pub fn text(&self) -> &Text {
        self.edited.as_ref().map_or(&self.version().text, |(_, text)| text)
    }

    /// Returns the words as a prompt built at a place in the log shows them; none once hidden.
    pub fn text_at(&self, place: Seq) -> Option<&Text> {
        match (&self.hidden, &self.edited) {
            (Some(since), _) if *since < place => None,
            (_, Some((since, text))) if *since < place => Some(text),
            _ => Some(&self.version().text),
        }
    }

    /// Returns the SHA-256 of the words that [`text_at`](Entry::text_at) shows.
    pub fn digest_at(&self, place: Seq) -> Option<Digest> {
        match &self.edited {
            Some((since, text)) if *since < place => self.text_at(place).map(|_| digest(text)),
            _ => self.text_at(place).map(|_| self.version().digest),
        }
    }

    /// Returns whether who spoke this, if they were shown other words, read them as they were before they changed.
    pub fn reads_earlier(&self, other: &Entry) -> bool {
        let turn = self.version().turn;
        turn.is_some_and(|turn| other.changed.is_some_and(|since| since.0 > turn.0))
    }

    /// Returns whether it is a whisper.
    pub fn is_whisper(&self) -> bool {
        !self.to.is_empty()
    }

    /// Returns whether the operator spoke these words as a participant.
    pub fn is_spoken_as(&self) -> bool {
        self.of.is_some() && self.who != Who::Operator
    }

    /// Returns the seat whose words these are.
    pub fn seat(&self) -> Option<&SeatId> {
        match &self.who {
            Who::Seat(seat) => Some(seat),
            Who::Operator => None,
        }
    }
}
