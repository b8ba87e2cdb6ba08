//! `turn.ended`: text, data, usage and outcome of a turn.

use super::act::TurnAct;
use super::agent::AgentContext;
use super::failure::CallError;
use super::ids::{CallId, SeatId, Text, TurnId};
use super::money::Usd;
use super::turn::{CutWhy, Outcome, Purpose, ReadBy, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A private message of one participant to another, sent with a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Whisper {
    /// The only reader.
    pub to: SeatId,
    /// Text without the marker.
    pub text: Text,
    /// True if the addressee had left, so that only the operator reads it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left: bool,
}

/// `turn.ended`: a turn is over.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnEnded {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// Its last call (the `seq` of its `call.started`); absent for a human.
    pub call: Option<CallId>,
    /// Purpose of the turn.
    pub purpose: Purpose,
    /// Turn number, from 1; absent for votes, verdicts and summaries.
    pub number: Option<u32>,
    /// Outcome: said, cut, failed or passed.
    pub outcome: Outcome,
    /// Text of the turn; for a cut turn, the part that was shown.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub text: Text,
    /// Private messages to other participants, not part of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whispers: Vec<Whisper>,
    /// The original text, if a repair changed it.
    pub raw: Option<Text>,
    /// The model's reasoning.
    pub think: Option<Text>,
    /// The act that its prompt asked for.
    pub act: Option<TurnAct>,
    /// The position that the reply ended with, as written; not part of the text.
    #[serde(rename = "stance")]
    pub closing_line: Option<Text>,
    /// Message type, if the reply contract has types.
    pub message: Option<Text>,
    /// The structured reply; null for plain text.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub structured: Value,
    /// The way in which the reply was read; left out for one in the form that was asked for.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub read: ReadBy,
    /// Participants mentioned with `@`, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<SeatId>,
    /// The cause of a cut.
    pub why: Option<CutWhy>,
    /// Class and text of a failure.
    pub error: Option<CallError>,
    /// Finish reason reported by the voice.
    pub finish: Option<Text>,
    /// Number of unreadable parts of the reply that were skipped.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub skipped: u32,
    /// The session of the agent that spoke.
    pub agent: Option<AgentContext>,
    /// The model, as the program that spoke reports it.
    pub model: Option<Text>,
    /// Tokens used by all its calls.
    pub usage: Option<Usage>,
    /// Cost of all its calls in dollars; null if not priced.
    #[serde(default)]
    #[serialize_always]
    pub cost: Option<Usd>,
    /// Milliseconds from the start of the last call to its first piece of text.
    pub first_piece_ms: Option<u64>,
    /// Duration of the last call in milliseconds; for a human, of the whole turn.
    #[serde(default)]
    pub took_ms: u64,
}

impl TurnEnded {
    /// Returns whether the turn has text or whispers.
    pub fn has_words(&self) -> bool {
        !self.text.trim().is_empty() || !self.whispers.is_empty()
    }
}
