//! Announcements of the host: the results of votes and verdicts, with their positions in the log.

use super::{Conversation, State, Turn};
use crate::model::*;

/// A result that is announced to every seat.
#[derive(Clone, Debug, PartialEq)]
pub enum Announcement {
    /// The result of a vote.
    Vote(VoteClosed),
    /// The verdict of the judges.
    Verdict(VerdictGiven),
}

/// An announcement with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Position in the log.
    pub seq: Seq,
    /// Thread whose seats see it.
    pub thread: ThreadId,
    /// The result itself.
    pub what: Announcement,
}

impl Conversation {
    /// Adds an announcement; interim judgements are not announced.
    pub(super) fn announce(&mut self, seq: Seq, thread: ThreadId, what: Announcement) {
        if !matches!(&what, Announcement::Verdict(verdict) if verdict.interim) {
            self.news.push(Told { seq, thread, what });
        }
    }
}

impl State {
    /// Returns the role of a turn's seat: the current round's if roles rotate, else its own.
    pub fn role_of(&self, turn: &Turn) -> Option<&Text> {
        self.role_in(&turn.seat, turn.thread)
    }
}
