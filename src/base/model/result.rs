//! The result of a conversation, written by a scribe at its end.

use super::ids::{SeatId, Text, TurnId};
use super::reason::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// `result.given`: the result of the conversation, before its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultGiven {
    /// One sentence to act on.
    pub result: Text,
    /// Changes of position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<PositionChange>,
    /// Disputed points, with the evidence that would settle them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Text>,
    /// Figures and documents to check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub check: Vec<Text>,
    /// The participant whose voice wrote it.
    pub by: SeatId,
    /// The turn in which it was written.
    pub turn: TurnId,
}

/// A participant's change of position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PositionChange {
    /// Name of the participant.
    pub who: Text,
    /// Position before.
    pub from: Text,
    /// Position after.
    pub to: Text,
    /// Number of the turn that caused the change, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
}

/// The request for a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultTask {
    /// The end of the conversation that follows: its reason and its text.
    pub ends: (StopReason, Option<Text>),
    /// Index of the stop rule that causes this end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<u32>,
    /// True if the conversation waits at its limit instead, because an operator can raise it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
}

/// The part of a result that its scribe writes.
#[derive(Deserialize)]
struct WrittenResult {
    result: Text,
    #[serde(default)]
    moved: Vec<PositionChange>,
    #[serde(default)]
    open: Vec<Text>,
    #[serde(default)]
    check: Vec<Text>,
}

impl ResultGiven {
    /// Returns a result from a reply that has the form of [`schema`](Self::schema).
    pub fn from_reply(by: SeatId, turn: TurnId, reply: &Value) -> Option<ResultGiven> {
        let WrittenResult { result, moved, open, check } =
            WrittenResult::deserialize(reply).ok().filter(|w| !w.result.trim().is_empty())?;
        Some(ResultGiven { result, moved, open, check, by, turn })
    }

    /// Returns the JSON Schema of a scribe's reply.
    pub fn schema() -> Value {
        let text = json!({"type": "string"});
        let texts = json!({"type": "array", "items": text});
        let change = json!({
            "type": "object",
            "properties": {
                "who": text, "from": text, "to": text, "turn": {"type": ["integer", "null"], "minimum": 1},
            },
            "required": ["who", "from", "to"],
        });
        json!({
            "type": "object",
            "properties": {
                "result": text, "moved": {"type": "array", "items": change}, "open": texts, "check": texts,
            },
            "required": ["result", "moved", "open", "check"],
        })
    }
}
