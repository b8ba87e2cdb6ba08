//! The form that a reply must have: what a seat promises for its words, and what other purposes ask for.
//!
//! It deliberately reads no reply: `reply` does, `prompt` says it in words, and a server may hold a model to its schema.

use super::answer::{Aggregation, AnswerKind};

use super::ids::{SeatId, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a seat's replies must be, and how often it may try again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contract {
    /// The form that a reply must have.
    pub form: Form,
    /// Further calls of the same turn, each with what was wrong with the reply before it.
    #[serde(default = "once")]
    pub again: u32,
    /// The text that quotations in the reply are checked against and marked by; none where nothing is checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quotes: Option<Text>,
    /// The participants to whom its replies may whisper, or [`EVERYBODY`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<Text>,
    /// True if its facts are kept as the profile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
    /// The field of its data with the text for everybody; none shows the data themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<Text>,
}

/// The field of a reply with the facts for the profile, where its schema has one.
pub const PROFILE: &str = "profile";

/// The word that begins a paragraph of private words in a reply, before the name of the one who alone reads it.
pub const WHISPER: &str = "WHISPER";
/// The name for everybody else, in the list of those to whom a reply may whisper.
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
            says: None,
        }
    }
}

impl Contract {
    /// Returns whether any words will do.
    pub fn is_free(&self) -> bool {
        self.form == Form::Free && self.quotes.is_none()
    }

    /// Returns the facts for the profile in a reply as data, where they are kept.
    pub fn facts_in(&self, data: &Value) -> Option<Map<String, Value>> {
        let Form::Schema(schema) = &self.form else { return None };
        if !self.keep {
            return None;
        }
        let inside = schema["properties"].get(PROFILE).is_some();
        let mut facts = if inside { &data[PROFILE] } else { data }.as_object().cloned()?;
        if let Some(says) = self.says.as_ref().filter(|_| !inside) {
            facts.remove(&**says);
        }
        Some(facts)
    }
}

/// A form of replies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Any text, without a form.
    #[default]
    Free,
    /// Any words, in which these signs mean something; one that says "pass" alone lets the turn go.
    Markers(Vec<Text>),
    /// One of these answers, and why.
    Choice(Vec<Text>),
    /// JSON that fits this JSON Schema.
    Schema(Value),
    /// One of these choices and why, and what these ways of counting need besides: a confidence, a ranking, scores.
    Ballot {
        /// The choices of the vote, as spelled in the ballot.
        options: Vec<Text>,
        /// How the vote is counted.
        count: Vec<Aggregation>,
    },
    /// How much a seat wants to speak, from 0 to [`BID_MAX`], and why.
    Bid,
    /// Which of these sides is better, what each scores from 0 to [`SCORE_MAX`], and why.
    Judgement(Vec<Text>),
    /// Any words, and an answer of this kind in the last lines. One that cannot be read is an abstention, not a failure.
    Answer {
        /// The kind of answer that is read.
        of: AnswerKind,
        /// True if the speaker also states its confidence.
        #[serde(default)]
        confidence: bool,
        /// True if it is asked for as a JSON object, which servers can enforce.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        object: bool,
    },
    /// Any words, and a ranking of these in the last line: the label under which each is shown, and its seat.
    Ranking {
        /// How many are named, best first; all of them if none.
        #[serde(default)]
        most: Option<u32>,
        /// Those who are ranked; filled in for each call.
        #[serde(default)]
        among: Vec<(Text, SeatId)>,
    },
    /// An answer, or a vote for one of these: the label under which each is shown, and its seat. Filled in for each call.
    Proposal {
        /// The answers that can be voted for.
        among: Vec<(Text, SeatId)>,
        /// The names of their seats, for those who watch.
        #[serde(default)]
        names: BTreeMap<SeatId, Text>,
        /// True if it may be an answer.
        answers: bool,
    },
    /// Any words, and a score from 0 to [`SCORE_MAX`] for each of these in the last lines.
    Scores(Vec<Text>),
    /// A plan. Filled in for each call.
    Plan {
        /// The steps that have begun: they stay, and others may wait for them.
        begun: Vec<u32>,
        /// The steps that were given up: they are not given out again.
        over: Vec<u32>,
        /// How many steps a plan may have in all.
        most: u32,
    },
    /// A typed message of an executor to its planner, or of the planner to an executor. Filled in for each call.
    Message {
        /// True if it is the planner's.
        planner: bool,
        /// True if a part of the result exists, so that "task complete" alone is enough.
        given: bool,
        /// The other executors to whom it may write.
        siblings: Vec<SeatId>,
    },
}

impl Form {
    /// Returns whether the reply is words, as opposed to data alone.
    pub fn is_words(&self) -> bool {
        match self {
            Form::Free
            | Form::Markers(_)
            | Form::Answer { object: false, .. }
            | Form::Ranking { .. }
            | Form::Proposal { .. }
            | Form::Message { .. }
            | Form::Scores(_) => true,
            Form::Choice(_)
            | Form::Schema(_)
            | Form::Ballot { .. }
            | Form::Bid
            | Form::Plan { .. }
            | Form::Answer { object: true, .. }
            | Form::Judgement(_) => false,
        }
    }

    /// Returns the JSON Schema of a reply in this form, for servers that enforce one; none where words will do.
    ///
    /// It is stricter than needed, so that a small model finishes: whole numbers, and a short reason.
    pub fn schema(&self) -> Option<Value> {
        let why = json!({"type": "string", "minLength": WHY_MIN, "maxLength": WHY_MAX});
        let upto = |most: f64| json!({"type": "integer", "minimum": 0, "maximum": most as u64});
        let object = |properties: Value| {
            let all: Vec<&String> =
                properties.as_object().into_iter().flat_map(Map::keys).collect();
            json!({"type": "object", "required": all, "properties": properties, "additionalProperties": false})
        };
        match self {
            Form::Free
            | Form::Markers(_)
            | Form::Answer { object: false, .. }
            | Form::Ranking { .. }
            | Form::Proposal { .. }
            | Form::Message { .. }
            | Form::Scores(_) => None,
            Form::Answer { of, confidence, object: true } => {
                let answer = match of {
                    AnswerKind::Number => json!({"type": "number"}),
                    AnswerKind::Letter => json!({"type": "string", "pattern": "^[A-Z]$"}),
                    AnswerKind::Text => json!({"type": "string", "maxLength": WHY_MAX}),
                    AnswerKind::Json => json!({}),
                };
                // the reason comes first: what is written first cannot follow from it
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
            Form::Plan { begun, over, most } => {
                let known = begun.len() + over.len();
                let most = most.saturating_sub(known as u32).clamp(1, STEPS_MAX);
                let least = u32::from(known == 0);
                let text = json!({"type": "string", "maxLength": WHY_MAX});
                let filled = json!({"type": "string", "minLength": 3, "maxLength": WHY_MAX});
                // small models count from anywhere
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
            Form::Judgement(sides) => {
                let scores: Map<String, Value> =
                    sides.iter().map(|side| (side.to_string(), upto(SCORE_MAX))).collect();
                let winners: Vec<&str> = sides.iter().map(|side| &**side).chain([TIE]).collect();
                let winner = json!({"type": "string", "enum": winners});
                let scores = object(Value::Object(scores));
                Some(object(json!({"why": why, "scores": scores, "winner": winner})))
            }
        }
    }
}

/// Returns a schema whose free strings have an end: a small model that is held to one does not always find it.
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

/// Characters of a string of a schema that bounds it itself in no way.
const STRING_MAX: u32 = 1_200;
/// How many steps a plan may have at most in the JSON Schema that a server enforces.
const STEPS_MAX: u32 = 20;
/// Characters of why that a model held to a form gives at least: a reason, and no empty text.
const WHY_MIN: u32 = 10;
/// Characters of why that a model held to a form may give.
const WHY_MAX: u32 = 200;
/// The highest bid; the lowest is 0.
pub const BID_MAX: f64 = 10.0;
/// The highest score of a side.
pub const SCORE_MAX: f64 = 10.0;
/// What a judge answers who finds no side better.
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
        let judged = Form::Judgement(vec!["pro".into(), "con".into()]).schema().unwrap();
        assert_eq!(judged["properties"]["scores"]["required"], json!(["pro", "con"]));
        assert_eq!(judged["properties"]["winner"]["enum"], json!(["pro", "con", "tie"]));
        let answer =
            Form::Answer { of: AnswerKind::Number, confidence: true, object: true }.schema();
        assert_eq!(answer.unwrap()["required"], json!(["why", "answer", "confidence"]));
        let words = Form::Answer { of: AnswerKind::Number, confidence: true, object: false };
        assert_eq!(words.schema(), None);
        assert_eq!(Form::Bid.schema().unwrap()["properties"]["bid"]["maximum"], json!(10));
    }
}
