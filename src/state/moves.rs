//! What turns do at a table that looks for one answer.

use crate::model::{Ms, SeatId, Seq, Text, TurnId};

/// What one turn of a table that looks for one answer was.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerMove {
    /// The seat that answered or voted.
    pub seat: SeatId,
    /// The turn in which it did.
    pub turn: TurnId,
    /// The place of its end.
    pub seq: Seq,
    /// What it saw: up to here.
    pub horizon: Seq,
    /// When it ended.
    pub ms: Ms,
    /// The round, from 1.
    pub round: u32,
    /// What it did.
    pub did: MoveKind,
}

/// What a turn did at such a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// It gave an answer, its first or another one.
    Answered,
    /// It voted for the answer of a seat.
    Voted {
        /// The seat whose answer it voted for.
        whose: SeatId,
        /// The reason that it gave; empty if none.
        why: Text,
    },
    /// It failed, passed, or was cut, and left the round.
    Left,
    /// It was stopped because a new answer had come, and began again.
    Restarted,
    /// It presented the answer that won.
    Presented,
}
