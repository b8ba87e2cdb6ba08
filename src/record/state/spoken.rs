//! Ended turns that can be repeated, and the view of a turn that repeats one.

use super::{Conversation, Entry, Turn};
use crate::model::{SeatId, Seq, Text, ThreadId, TurnId};

/// An ended turn that spoke.
#[derive(Clone, Debug, PartialEq)]
pub struct Spoken {
    /// The thread of the turn.
    pub thread: ThreadId,
    /// The seat that spoke.
    pub seat: SeatId,
    /// Number of the utterance, from 1.
    pub number: Option<u32>,
    /// `seq` up to which it saw the other seats.
    pub horizon: Seq,
    /// `seq` of its entry, if others have spoken since: a retry sees nothing from there on.
    pub before: Option<Seq>,
}

impl Conversation {
    /// Returns the rehearsed line of the turn that a turn says again; `None` if it continues that turn.
    pub fn line_again(&self, turn: &Turn) -> Option<usize> {
        if turn.part.is_some() {
            return None;
        }
        let replaces = turn.replaces?;
        let versions = self.entries.iter().rev().flat_map(|entry| &entry.versions);
        versions.filter(|version| version.turn == Some(replaces)).find_map(|version| version.line)
    }

    /// Returns an ended speaking turn, if it has text or was the last one.
    pub fn spoken(&self, turn: TurnId) -> Option<Spoken> {
        let by = |e: &&Entry| e.versions.iter().any(|v| v.turn == Some(turn));
        let last = self.last.as_ref().filter(|last| last.turn == turn);
        let Some(entry) = self.entries.iter().rev().find(by) else {
            return last.map(|last| Spoken {
                thread: last.thread,
                seat: last.seat.clone(),
                number: last.number,
                horizon: last.horizon,
                before: None,
            });
        };
        let version = entry.versions.iter().find(|v| v.turn == Some(turn))?;
        let latest = self.last.as_ref().is_none_or(|last| last.number == entry.number);
        Some(Spoken {
            thread: entry.thread,
            seat: entry.seat()?.clone(),
            number: entry.number,
            horizon: version.horizon,
            before: (!latest).then_some(entry.seq),
        })
    }

    /// Returns the current text of a turn.
    pub(super) fn words_of(&self, turn: TurnId) -> Option<Text> {
        let by = |e: &&Entry| e.versions.iter().any(|v| v.turn == Some(turn));
        self.entries.iter().rev().find(by).map(|entry| entry.text().clone())
    }
}
