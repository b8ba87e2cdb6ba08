//! Moves of turns under `consensus`.

use crate::model::{Ms, SeatId, Seq, Text, TurnId};

/// The move of one turn under `consensus`.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerMove {
    /// The seat of the turn.
    pub seat: SeatId,
    /// The turn itself.
    pub turn: TurnId,
    /// `seq` of its end.
    pub seq: Seq,
    /// `seq` up to which it saw the other seats.
    pub horizon: Seq,
    /// Time of its end.
    pub ms: Ms,
    /// The round, from 1.
    pub round: u32,
    /// Text of a turn that a new answer stopped; empty otherwise.
    pub draft: Text,
    pub did: MoveKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// Gave an answer, its first or another one.
    Answered,
    /// Voted for the answer of a seat.
    Voted {
        /// Author of that answer.
        whose: SeatId,
        /// Reason for the vote; empty without one.
        why: Text,
    },
    /// Failed, passed, or was cut, and left the round.
    Left,
    /// Gave a reply that was refused, also on the retry; it can only vote in this exchange from now on.
    Refused,
    /// Gave a reply that stayed unclear: text without a label, a name or data. Its earlier answer and vote stand.
    Remarked,
    /// Was stopped because of a new answer, and restarts.
    Restarted,
    /// Presented the winning answer.
    Presented,
}
