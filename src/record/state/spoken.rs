//! Ended turns that can be repeated, and the view of a turn that repeats one.

use super::{Conversation, Entry, Turn};
use crate::model::{CutWhy, SeatId, Seq, Text, ThreadId, TurnId, VoiceSpec};

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

    /// Returns the rehearsed line in which a seat was last cut in, before two thirds of it, and the byte offset of the
    /// sentence that was cut. The line is not used up: the seat says it from there on.
    pub fn line_cut(&self, seat: &SeatId) -> Option<(usize, usize)> {
        let version = self.entries.iter().rev().find(|e| e.seat() == Some(seat))?.version();
        let index = version.line?;
        let VoiceSpec::Lines { lines, .. } = &self.seat(seat)?.spec.voice else { return None };
        let line = &*lines.get(index)?.text;
        let said = version.text.trim_end();
        let ends = |at: &usize| line.get(..*at).is_some_and(|begun| said.ends_with(begun));
        let blanks = line.match_indices(char::is_whitespace).map(|(at, _)| at);
        let end = blanks.rev().find(ends).unwrap_or(0);
        let begun = line.get(..end)?;
        let begin = begun.rfind(['.', '!', '?']).map_or(0, |stop| stop + 1);
        let is_early = version.cut == Some(CutWhy::CutIn) && end * 3 < line.len() * 2;
        is_early.then_some((index, begin))
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

    pub(super) fn words_of(&self, turn: TurnId) -> Option<Text> {
        let by = |e: &&Entry| e.versions.iter().any(|v| v.turn == Some(turn));
        self.entries.iter().rev().find(by).map(|entry| entry.text().clone())
    }
}
