//! What the host tells the table: what came of votes and verdicts, at its place in the log.

use super::{Conversation, State, Turn};
use crate::model::*;

/// What came of something that everybody is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Announcement {
    /// A vote.
    Vote(VoteClosed),
    /// A verdict.
    Verdict(VerdictGiven),
}

/// What everybody is told, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Its place in the log.
    pub seq: Seq,
    /// In which thread.
    pub thread: ThreadId,
    /// What.
    pub what: Announcement,
}

impl Conversation {
    /// Takes in what everybody is told; judges who only look whether a side has won already tell nobody.
    pub(super) fn tell(&mut self, seq: Seq, thread: ThreadId, what: Announcement) {
        if !matches!(&what, Announcement::Verdict(verdict) if verdict.interim) {
            self.news.push(Told { seq, thread, what });
        }
    }
}

impl State {
    /// Returns the role of a turn's seat: that of the round, where roles change, else its own.
    pub fn role_of(&self, turn: &Turn) -> Option<&Text> {
        let seat = &self.seat(&turn.seat)?.spec;
        let round = self.threads.get(&turn.thread).map_or(1, |t| t.round.max(1)) as usize;
        match seat.roles.len() {
            0 => seat.role.as_ref(),
            n => seat.roles.get((round - 1) % n),
        }
    }
}

impl Turn {
    /// Returns the place up to which it sums up, if it does.
    pub fn summarises_upto(&self) -> Option<Seq> {
        self.summarises.as_ref().map(|task| task.upto)
    }
}
