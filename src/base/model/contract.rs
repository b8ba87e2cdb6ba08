//! Required form of a reply, for a participant or for a purpose such as a vote.
//!
//! Parsing is up to `reply`, the description in words up to `prompt`; a server may enforce the JSON Schema.

use super::answer::{Aggregation, AnswerKind};

use super::ids::{SeatId, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Required form of a participant's replies, and the number of retries.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contract {
    /// The required form.
    pub form: Form,
    /// Maximum retries in the same turn, each with the fault of the previous reply.
    #[serde(default = "once")]
    pub again: u32,
    /// Source text for checked quotations; `None` if quotations are not checked.
    pub quotes: Option<Text>,
    /// Participants to whom its replies may whisper, or [`EVERYBODY`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<Text>,
    /// True if its facts are kept in the profile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
    /// The field of its data with these facts; `None` is [`PROFILE`], if the schema has it, else all of its data.
    pub facts: Option<Text>,
    /// The field of its data with the public text; `None` shows the data.
    pub says: Option<Text>,
}

/// The field of a reply with the facts for the profile, if its schema has one.
pub const PROFILE: &str = "profile";

/// Marker of a private paragraph in a reply, followed by the name of its only reader.
pub const WHISPER: &str = "WHISPER";
/// Stands for all other participants in the list of allowed whispers.
pub const EVERYBODY: &str = "all";

fn once() -> u32 {
    1
}

impl Default for Contract {
    fn default() -> Self {
        Contract {
            form: Form::Free,
            again: once(),
            quotes: None,
            to: vec![],
            keep: false,
            facts: None,
            says: None,
        }
    }
}

impl Contract {
    /// Returns whether any text is valid.
    pub fn is_free(&self) -> bool {
        self.form == Form::Free && self.quotes.is_none()
    }

    /// Returns the facts for the profile in a structured reply, if they are kept.
    pub fn facts_in(&self, data: &Value) -> Option<Map<String, Value>> {
        let Form::Schema(schema) = &self.form else { return None };
        if !self.keep {
            return None;
        }
        let field = self.facts_field(schema);
        let mut facts = field.map_or(data, |field| &data[field]).as_object().cloned()?;
        if let (None, Some(says)) = (field, &self.says) {
            facts.remove(&**says);
        }
        Some(facts)
    }

    /// Returns the field with the facts for the profile; `None` if they are the fields of the reply itself.
    pub fn facts_field<'a>(&'a self, schema: &Value) -> Option<&'a str> {
        let has_profile = || schema["properties"].get(PROFILE).map(|_| PROFILE);
        self.facts.as_deref().or_else(has_profile)
    }
}

/// A form of replies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Any text.
    #[default]
    Free,
    /// Any text with these markers; "pass" alone passes the turn.
    Markers(Vec<Text>),
    /// One of these choices, with a reason.
    Choice(Vec<Text>),
    /// JSON that matches this JSON Schema.
    Schema(Value),
    /// One of these choices with a reason, and the data for the ways of counting: confidence, ranking, scores.
    Ballot {
        /// The choices, as spelled in the ballot.
        options: Vec<Text>,
        /// Ways of counting the vote.
        count: Vec<Aggregation>,
    },
    /// Interest in speaking, from 0 to [`BID_MAX`], with a reason.
    Bid,
    /// A bid for each of these seats, by its id.
    Bids(Vec<Text>),
    /// The better one of these sides, a score from 0 to [`SCORE_MAX`] for each, and a reason.
    Judgement {
        /// The sides, as the judge knows them.
        sides: Vec<Text>,
        /// True if it also lists the unanswered points and the turns that decided the debate.
        points: bool,
    },
    /// Any text, with an answer of this kind in the last lines. An unreadable answer is an abstention, not a failure.
    Answer {
        /// Kind of the answer.
        of: AnswerKind,
        /// True if a confidence is required.
        #[serde(default)]
        confidence: bool,
        /// True if it is a JSON object, which servers can enforce.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        object: bool,
        /// Regular expression with one group, whose last match is the answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<Text>,
        /// True if the last number of a reply without a readable answer is the answer.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        last: bool,
    },
    /// Any text, with a ranking of these labels in the last line.
    Ranking {
        /// Number of ranked labels, best first; `None` for all.
        #[serde(default)]
        most: Option<u32>,
        /// Labels and their participants; filled in for each call.
        #[serde(default)]
        among: Vec<(Text, SeatId)>,
    },
    /// An answer, or a vote for one of these labels. Filled in for each call.
    Proposal {
        /// Labels of the answers that can be voted for, and their participants.
        among: Vec<(Text, SeatId)>,
        /// Names of these participants, for the screen.
        #[serde(default)]
        names: BTreeMap<SeatId, Text>,
        /// True if a new answer is allowed.
        answers: bool,
    },
    /// Any text, with a score from 0 to [`SCORE_MAX`] for each of these in the last lines.
    Scores(Vec<Text>),
    /// A plan. Filled in for each call.
    Plan {
        /// Steps that have begun; they stay, and new steps may wait for them.
        begun: Vec<u32>,
        /// Failed or cancelled steps; they are not assigned again.
        over: Vec<u32>,
        /// Maximum number of steps of a plan.
        most: u32,
    },
    /// A typed message between an executor and its planner. Filled in for each call.
    Message {
        /// True if the planner writes it.
        planner: bool,
        /// True if a partial result exists, so that "task complete" alone is enough.
        given: bool,
        /// The executors that it may write to.
        siblings: Vec<SeatId>,
        /// The other executors of the plan.
        #[serde(default)]
        away: Vec<SeatId>,
    },
}

impl Form {
    /// Returns whether the reply is text rather than data.
    pub fn is_words(&self) -> bool {
        match self {
            Form::Free
            | Form::Markers(_)
            | Form::Answer { object: false, .. }
            | Form::Ranking { .. }
            | Form::Proposal { .. }
            | Form::Message { .. }
            | Form::Scores(_) => true,
            Form::Answer { object: true, .. }
            | Form::Schema(_)
            | Form::Choice(_)
            | Form::Ballot { .. }
            | Form::Bid
            | Form::Bids(_)
            | Form::Plan { .. }
            | Form::Judgement { .. } => false,
        }
    }

    /// Returns the JSON Schema of a reply in this form, for servers that enforce one; `None` for text.
    ///
    /// It is stricter than needed, so that a small model finishes: integers, and a short reason.
    pub fn schema(&self) -> Option<Value> {
        let why = json!({"type": "string", "minLength": WHY_MIN, "maxLength": WHY_MAX});
        let upto = |most: f64| json!({"type": "integer", "minimum": 0, "maximum": most as u64});
        let object = |properties: Value| {
            let all: Vec<&String> =
                properties.as_object().into_iter().flat_map(Map::keys).collect();
            json!({"type": "object", "required": all, "properties": properties, "additionalProperties": false})
        };
        match self {
            Form::Answer { of, confidence, object: true, .. } => {
                let answer = match of {
                    AnswerKind::Number => json!({"type": "number"}),
                    AnswerKind::Letter => json!({"type": "string", "pattern": "^[A-Z]$"}),
                    AnswerKind::Text => json!({"type": "string", "maxLength": WHY_MAX}),
                    AnswerKind::Json => json!({}),
                };
                // the reason comes first, so that it is not written to justify the answer
                let mut all = json!({"why": why, "answer": answer});
                if *confidence {
                    all["confidence"] = upto(100.0);
                }
                Some(object(all))
            }
            Form::Schema(schema) => Some(bounded(schema)),
            Form::Choice(options) => {
                Some(object(json!({"choice": {"type": "string", "enum": options}, "why": why})))
            }
            Form::Ballot { options, count } => {
                let mut all = json!({"choice": {"type": "string", "enum": options}});
                if count.contains(&Aggregation::Confidence) {
                    all["confidence"] = upto(100.0);
                }
                if count.contains(&Aggregation::Borda) {
                    let each = json!({"type": "string", "enum": options});
                    let n = options.len();
                    all["ranking"] =
                        json!({"type": "array", "items": each, "minItems": n, "maxItems": n});
                }
                if count.contains(&Aggregation::Mean) {
                    let scores: Map<String, Value> =
                        options.iter().map(|o| (o.to_string(), upto(SCORE_MAX))).collect();
                    all["scores"] = object(Value::Object(scores));
                }
                all["why"] = why;
                Some(object(all))
            }
            Form::Bid => Some(object(json!({"bid": upto(BID_MAX), "why": why}))),
            Form::Bids(seats) => {
                let bid = object(json!({"bid": upto(BID_MAX), "why": why}));
                let all = seats.iter().map(|seat| (seat.to_string(), bid.clone()));
                Some(object(Value::Object(all.collect())))
            }
            Form::Plan { begun, over, most } => {
                let known = begun.len() + over.len();
                let most = most.saturating_sub(known as u32).clamp(1, STEPS_MAX);
                let least = u32::from(known == 0);
                let text = json!({"type": "string", "maxLength": WHY_MAX});
                let filled = json!({"type": "string", "minLength": 3, "maxLength": WHY_MAX});
                // small models start at any number
                let highest = if known == 0 { most } else { 999 };
                let number = json!({"type": "integer", "minimum": 1, "maximum": highest});
                let step = object(json!({
                    "number": number, "description": filled, "goal": filled,
                    "executor": {"type": "boolean"},
                    "after": {"type": "array", "items": number, "maxItems": most},
                }));
                let steps =
                    json!({"type": "array", "items": step, "minItems": least, "maxItems": most});
                Some(object(json!({"analysis": text, "steps": steps})))
            }
            Form::Judgement { sides, points } => {
                let scores: Map<String, Value> =
                    sides.iter().map(|side| (side.to_string(), upto(SCORE_MAX))).collect();
                let winners: Vec<&str> = sides.iter().map(|side| &**side).chain([TIE]).collect();
                let winner = json!({"type": "string", "enum": winners});
                let scores = object(Value::Object(scores));
                let mut all = json!({});
                if *points {
                    let each = sides.iter().map(|side| (side.to_string(), why.clone()));
                    all["unanswered"] = object(Value::Object(each.collect()));
                    let turn = json!({"type": "integer", "minimum": 1});
                    all["decided_by"] =
                        json!({"type": "array", "items": turn, "maxItems": DECIDING_MAX});
                }
                all["why"] = why;
                all["scores"] = scores;
                all["winner"] = winner;
                Some(object(all))
            }
            _ => None,
        }
    }
}

/// Returns a schema with bounded strings: a small model does not always end a free one.
fn bounded(schema: &Value) -> Value {
    const BOUNDS: [&str; 6] = ["maxLength", "enum", "const", "format", "pattern", "$ref"];
    match schema {
        Value::Object(map) => {
            let mut all: Map<String, Value> =
                map.iter().map(|(key, value)| (key.clone(), bounded(value))).collect();
            if map.get("type").is_some_and(|t| t == "string")
                && !BOUNDS.iter().any(|bound| map.contains_key(*bound))
            {
                all.insert("maxLength".into(), STRING_MAX.into());
            }
            Value::Object(all)
        }
        Value::Array(items) => Value::Array(items.iter().map(bounded).collect()),
        other => other.clone(),
    }
}

/// Maximum characters of a string without a bound of its own.
const STRING_MAX: u32 = 1_200;
/// Maximum steps of a plan in an enforced JSON Schema.
const STEPS_MAX: u32 = 20;
/// Minimum characters of an enforced reason.
const WHY_MIN: u32 = 10;
/// Maximum characters of an enforced reason.
const WHY_MAX: u32 = 200;
/// The highest bid; the lowest is 0.
pub const BID_MAX: f64 = 10.0;
/// The highest score of a side.
pub const SCORE_MAX: f64 = 10.0;
/// Maximum number of turns that a judge lists as deciding.
pub const DECIDING_MAX: usize = 4;
/// A judge's answer if no side is better.
pub const TIE: &str = "tie";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_has_a_schema_and_words_have_none() {
        assert_eq!(Form::Free.schema(), None);
        assert_eq!(Form::Markers(vec!["[PASS]".into()]).schema(), None);
        let own = json!({"type": "array"});
        assert_eq!(Form::Schema(own.clone()).schema(), Some(own));
        let free = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string", "enum": ["x"]}}});
        let held = Form::Schema(free).schema().unwrap();
        assert_eq!(held["properties"]["a"]["maxLength"], json!(1_200));
        assert!(held["properties"]["b"]["maxLength"].is_null());
        let choice = Form::Choice(vec!["ada".into(), "bo".into()]).schema().unwrap();
        assert_eq!(choice["properties"]["choice"]["enum"], json!(["ada", "bo"]));
        assert_eq!(choice["required"], json!(["choice", "why"]));
        let judged = Form::Judgement { sides: vec!["pro".into(), "con".into()], points: true };
        let judged = judged.schema().unwrap();
        assert_eq!(judged["properties"]["scores"]["required"], json!(["pro", "con"]));
        assert_eq!(judged["properties"]["winner"]["enum"], json!(["pro", "con", "tie"]));
        assert_eq!(judged["properties"]["unanswered"]["required"], json!(["pro", "con"]));
        let number = |object| Form::Answer {
            of: AnswerKind::Number,
            confidence: true,
            object,
            pattern: None,
            last: false,
        };
        let answer = number(true).schema();
        assert_eq!(answer.unwrap()["required"], json!(["why", "answer", "confidence"]));
        let words = number(false);
        assert_eq!(words.schema(), None);
        assert_eq!(Form::Bid.schema().unwrap()["properties"]["bid"]["maximum"], json!(10));
    }
}
