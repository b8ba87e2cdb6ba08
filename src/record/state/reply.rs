//! Results of turns.

use crate::model::{Ms, Outcome, SeatId, Text, TurnId};
use serde_json::Value;

/// Result of a turn, for the policy that asked for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// `seq` of its `floor.granted`.
    pub turn: TurnId,
    /// The seat that had the floor.
    pub seat: SeatId,
    /// Said, cut, failed or passed.
    pub outcome: Outcome,
    /// Text of the reply; empty without one.
    pub text: Text,
    /// Data of the reply; null if the contract asks for none.
    pub structured: Value,
    /// Number of tokens in the reply, if the voice reported it.
    pub tokens: Option<u64>,
}

/// An ended turn, with its times.
#[derive(Clone, Debug, PartialEq)]
pub struct PastTurn {
    /// Number of the batch in its thread, from 1.
    pub batch: u32,
    /// Outcome and text.
    pub reply: Reply,
    /// Error text, if it failed.
    pub error: Option<Text>,
    /// Time of the grant, on the session's clock.
    pub started: Ms,
    /// Milliseconds from the grant to its end.
    pub took_ms: u64,
}
