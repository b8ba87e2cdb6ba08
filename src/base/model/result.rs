//! The result of a conversation, written by a scribe at its end.

use super::ids::{SeatId, Text, TurnId};
use super::reason::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Maximum number of agreed actions.
const ACTIONS_MAX: usize = 4;

/// `result.given`: the result of the conversation, before its end.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultGiven {
    /// One sentence to act on.
    pub result: Text,
    /// Agreed actions.
    #[serde(rename = "do", default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<AgreedAction>,
    /// Participants who did not agree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<Objection>,
    /// Evidence that would show that the result was wrong.
    pub undo: Option<Text>,
    /// Changes of position, in a conversation without poles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<PositionChange>,
    /// Disputed points, with the evidence that would settle them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Text>,
    /// Figures and documents to check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub check: Vec<Text>,
    /// Turns in the prompt of the scribe; absent if it had all of them.
    pub read: Option<TurnsRead>,
    /// The participant whose voice wrote it.
    pub by: SeatId,
    /// The turn in which it was written.
    pub turn: TurnId,
}

/// An action that was agreed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgreedAction {
    /// Name of the person or body that acts.
    pub who: Text,
    /// The action itself.
    pub what: Text,
    /// A date or an event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Text>,
}

/// A participant's disagreement with the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Objection {
    /// Name of the participant.
    pub who: Text,
    /// The reason; empty without one.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub why: Text,
}

/// Number of turns that a scribe had in its prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnsRead {
    /// Turns in the prompt, whole.
    pub turns: u32,
    /// Turns of the conversation.
    pub of: u32,
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
    /// Number of the operator's message to all that caused the change, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<u32>,
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

impl ResultGiven {
    /// Returns a result from a reply with the keys of [`schema`](Self::schema). Parts of another kind are left out; an item
    /// counts only if `keeps` accepts each of its texts besides names.
    pub fn from_reply(
        by: SeatId,
        turn: TurnId,
        reply: &Value,
        keeps: impl Fn(&str) -> bool,
    ) -> Option<ResultGiven> {
        let text = |value: &Value| -> Option<Text> {
            let text = value.as_str()?.trim();
            (!text.is_empty() && keeps(text)).then(|| text.into())
        };
        // a name can be a word of the request
        let name = |value: &Value| -> Option<Text> {
            let name = value.as_str()?.trim();
            name.contains(char::is_alphabetic).then(|| name.into())
        };
        let items = |key: &str| reply[key].as_array().into_iter().flatten();
        let action = |item: &Value| {
            let by = text(&item["by"]);
            Some(AgreedAction { who: name(&item["who"])?, what: text(&item["what"])?, by })
        };
        let objection = |item: &Value| {
            let why = text(&item["why"]).unwrap_or_default();
            Some(Objection { who: name(&item["who"])?, why })
        };
        let change = |item: &Value| {
            let turn = item["turn"].as_u64().and_then(|turn| u32::try_from(turn).ok());
            let host = item["turn"].as_str().map(|h| h.trim_start_matches('#'));
            let message = host.and_then(|h| h.strip_prefix('h')?.parse().ok());
            let [from, to] = ["from", "to"].map(|key| text(&item[key]));
            Some(PositionChange { who: name(&item["who"])?, from: from?, to: to?, turn, message })
        };
        Some(ResultGiven {
            result: text(&reply["result"])?,
            actions: items("do").filter_map(action).take(ACTIONS_MAX).collect(),
            against: items("against").filter_map(objection).collect(),
            undo: text(&reply["undo"]),
            moved: items("moved").filter_map(change).collect(),
            open: items("open").filter_map(text).collect(),
            check: items("check").filter_map(text).collect(),
            read: None,
            by,
            turn,
        })
    }

    /// Returns a result that is one sentence.
    pub fn from_sentence(by: SeatId, turn: TurnId, sentence: Text) -> ResultGiven {
        ResultGiven { result: sentence, by, turn, ..ResultGiven::default() }
    }

    /// Returns the JSON Schema of a scribe's reply; `moved` is true if it also says who changed position.
    pub fn schema(moved: bool) -> Value {
        let text = json!({"type": "string"});
        let texts = json!({"type": "array", "items": text});
        let items = |properties: Value, required: &[&str]| {
            let item = json!({"type": "object", "properties": properties, "required": required});
            json!({"type": "array", "items": item})
        };
        let mut properties = json!({
            "result": text,
            "do": items(json!({"who": text, "what": text, "by": text}), &["who", "what"]),
            "against": items(json!({"who": text, "why": text}), &["who"]),
            "undo": text,
            "open": texts,
            "check": texts,
        });
        if moved {
            let turn = json!({"type": ["integer", "string", "null"], "minimum": 1});
            let change = json!({"who": text, "from": text, "to": text, "turn": turn});
            properties["moved"] = items(change, &["who", "from", "to"]);
        }
        json!({"type": "object", "properties": properties, "required": ["result"]})
    }
}
