//! `stance.recorded`: a position that a participant stated, in structured data or on the scale of two poles.

use super::ids::{SeatId, Seq, Text, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The position of the first pole; the second pole is its negative.
pub const POLE_MAX: i8 = 2;

/// `stance.recorded`: a participant stated a new position.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StanceRecorded")]
pub struct PositionRecorded {
    /// The participant.
    pub participant: SeatId,
    /// The turn of the reply.
    pub turn: TurnId,
    /// Turn number, from 1; absent for votes, verdicts and summaries.
    pub number: Option<u32>,
    /// The position, as the reply states it.
    #[serde(rename = "stance")]
    pub words: Text,
    /// Confidence on the scale of the reply, if stated.
    pub confidence: Option<f64>,
    /// Place between the poles of the scenario, from -2 (the second pole) to 2 (the first); absent without poles.
    #[schemars(range(min = -2, max = 2))]
    pub at: Option<i8>,
    /// Number of the turn that moved the participant, as the reply states it.
    pub moved_by: Option<u32>,
    /// `seq` of the host's message that moved the participant, as the reply states it.
    pub moved_by_message: Option<Seq>,
    /// Words of the turn or message that moved the participant, at most 12; only words that its prompt contained.
    pub quote: Option<Text>,
}

impl PositionRecorded {
    /// Returns whether both say the same.
    pub fn says_as(&self, other: &PositionRecorded) -> bool {
        (&self.words, self.confidence, self.at) == (&other.words, other.confidence, other.at)
    }

    /// Returns whether it is the position of another version of the same turn.
    pub fn replaces(&self, other: &PositionRecorded) -> bool {
        self.number.is_some() && self.number == other.number && self.turn != other.turn
    }
}
