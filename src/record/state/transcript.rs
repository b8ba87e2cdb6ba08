//! The transcript: all messages, with every version of them.

use crate::model::*;
use sha2::Digest as _;
use std::collections::BTreeMap;

/// Labels in place of the names of seats; empty if names are shown.
pub type Labels = BTreeMap<SeatId, Text>;

/// A SHA-256 digest of a text.
pub type Digest = [u8; 32];

/// Returns the SHA-256 of a text.
pub fn digest(words: &str) -> Digest {
    sha2::Sha256::digest(words.as_bytes()).into()
}

/// The author of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Who {
    /// A participant.
    Seat(SeatId),
    #[default]
    Operator,
}

/// One message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Position in the log.
    pub seq: Seq,
    /// Thread of the message.
    pub thread: ThreadId,
    /// Author of the message.
    pub who: Who,
    /// Number of the utterance; `None` for operator messages.
    pub number: Option<u32>,
    /// All versions, oldest first.
    pub versions: Vec<Version>,
    /// Index of the version that counts.
    pub chosen: usize,
    /// Text that replaces it in later prompts, with the `seq` of the edit.
    pub edited: Option<(Seq, Text)>,
    /// `seq` of the command that hid it.
    pub hidden: Option<Seq>,
    /// `seq` of the last change: an edit, another version, or hiding.
    pub changed: Option<Seq>,
    /// Seats that may read it; empty for all.
    pub to: Box<[SeatId]>,
    /// Key of the command of an operator message.
    pub of: Option<Key>,
    /// Name of the file that the message is; `None` for other messages.
    pub material: Option<Text>,
    /// The seat that the message gave the floor; a mention of it is not a second grant.
    pub granted: Option<SeatId>,
    /// Seats that it mentions with `@`.
    pub mentions: Box<[SeatId]>,
}

/// One version of an utterance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Version {
    /// `seq` of the version.
    pub seq: Seq,
    /// The turn that produced it; `None` for operator messages.
    pub turn: Option<TurnId>,
    pub text: Text,
    /// SHA-256 of the text: prompts hash it once per utterance, not once per turn.
    pub digest: Digest,
    /// Model that spoke, as in `call.started`; empty without a call.
    pub model: Text,
    /// The line of data that its reply ended with, as written.
    pub closing_line: Option<Text>,
    /// Answer in its data.
    pub answer: Option<Text>,
    /// Index of its rehearsed line.
    pub line: Option<usize>,
    /// Reason for which it was cut, if it was.
    pub cut: Option<CutWhy>,
    /// True if it ended at its token limit.
    pub capped: bool,
    /// True if it was cut because it began to repeat itself.
    pub repeats: bool,
    /// Whispers in the same reply.
    pub whispers: Box<[payload::Whisper]>,
    /// `seq` up to which its author saw other seats.
    pub horizon: Seq,
    /// `seq` up to which its author saw operator messages.
    pub heard: Seq,
    /// Act that its turn was asked for.
    pub act: Option<TurnAct>,
    /// Labels that its author saw instead of names.
    pub labels: Labels,
    /// Role of its author in that round; `None` without one.
    pub role: Option<Text>,
}

impl Entry {
    /// Returns the version that counts now.
    pub fn version(&self) -> &Version {
        &self.versions[self.chosen.min(self.versions.len() - 1)]
    }

    /// Returns the text as later prompts show it.
    pub fn text(&self) -> &Text {
        self.edited.as_ref().map_or(&self.version().text, |(_, text)| text)
    }

    /// Returns the text in a prompt built at a log position; `None` if hidden by then.
    pub fn text_at(&self, place: Seq) -> Option<&Text> {
        match (&self.hidden, &self.edited) {
            (Some(since), _) if *since < place => None,
            (_, Some((since, text))) if *since < place => Some(text),
            _ => Some(&self.version().text),
        }
    }

    /// Returns the SHA-256 of the text that [`text_at`](Entry::text_at) shows.
    pub fn digest_at(&self, place: Seq) -> Option<Digest> {
        match &self.edited {
            Some((since, text)) if *since < place => self.text_at(place).map(|_| digest(text)),
            _ => self.text_at(place).map(|_| self.version().digest),
        }
    }

    /// Returns whether the author of this message, if shown `other`, read it before a change.
    pub fn reads_earlier(&self, other: &Entry) -> bool {
        let turn = self.version().turn;
        turn.is_some_and(|turn| other.changed.is_some_and(|since| since.0 > turn.0))
    }

    /// Returns whether both are messages of the same simultaneous round.
    pub fn is_beside(&self, other: &Entry) -> bool {
        let numbered = self.number.is_some() && other.number.is_some();
        let horizons = [self, other].map(|entry| entry.version().horizon);
        numbered && self.thread == other.thread && horizons[0] == horizons[1]
    }

    pub fn is_whisper(&self) -> bool {
        !self.to.is_empty()
    }

    /// Returns whether the operator said it to all; a file under review is not said.
    pub fn is_by_host(&self) -> bool {
        self.who == Who::Operator && self.to.is_empty() && self.material.is_none()
    }

    /// Returns whether the operator wrote this message as a participant.
    pub fn is_spoken_as(&self) -> bool {
        self.of.is_some() && self.who != Who::Operator
    }

    /// Returns the seat of the author; `None` for the operator.
    pub fn seat(&self) -> Option<&SeatId> {
        match &self.who {
            Who::Seat(seat) => Some(seat),
            Who::Operator => None,
        }
    }
}
