//! Columns of the results: their JSON Schema, and their dictionary in the help.

use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Widest name of a column, with the gap behind it, in the dictionary.
const NAME_WIDTH: usize = 16;
/// Maximum characters of a row of the dictionary.
const ROW_WIDTH: usize = 78;

/// Last column with one value for tables; the first is behind the version.
const LAST_FLAT: &str = "session";

/// Column: its name, its kind, and its meaning. A kind with a question mark may be null.
type Column = (&'static str, &'static str, &'static str);

/// Columns in the order of a line.
const COLUMNS: [Column; 45] = [
    ("version", "count", "version of the format, 2"),
    ("arm", "text", "name of the arm: the protocol and, in brackets, what differs in this batch"),
    ("protocol", "text", "name of the protocol"),
    ("model", "text?", "models of the arm, in the order of their first seat"),
    ("item", "text", "the item's id, or the beginning of the digest of its content"),
    ("repeat", "count", "number of the repetition of the item, from 1"),
    ("seed", "count?", "seed of the batch"),
    ("shard", "text?", "part of the items, as in 1/4; null for all"),
    (
        "outcome",
        "text",
        "`ended`, or `failed`: then its answer may differ from that of a complete run",
    ),
    ("key", "text or list?", "right answer in canonical form, a list if several are right"),
    ("answer", "text?", "answer in canonical form; null in a tie, or if none was found"),
    (
        "correct",
        "flag?",
        "answer is right; false in a tie and without an answer; null without a key and after a failure",
    ),
    ("tie", "flag", "several answers had the most votes"),
    ("unread", "flag", "it ended without a readable answer and without a tie"),
    ("scored", "flag", "it ended with a key and with an answer or a tie"),
    ("calls_total", "count", "calls for all purposes"),
    ("input", "count", "input tokens"),
    ("output", "count", "output tokens"),
    ("usd", "number?", "cost in dollars; null if a model has no known price"),
    ("ms", "count", "duration in milliseconds"),
    ("cut", "count", "replies that ended at max_tokens"),
    ("truncated", "count", "calls whose prompt left out a part of the conversation"),
    (LAST_FLAT, "text", "file of the session, relative to the results"),
    ("group", "text?", "field `group` of the item: such items count as one in intervals and tests"),
    ("line", "count", "line of the item in its file"),
    ("content", "text", "digest of the item's fields and its right answer"),
    ("fingerprint", "text", "digest of prompts, models and judges"),
    ("judge", "text?", "digest of the judge alone"),
    ("reason", "text?", "reason for the end of the conversation"),
    ("error", "text?", "first failure"),
    ("adapted", "list", "settings that a model's server refused, so that they were not sent"),
    ("answered", "object?", "answer with the outcome of each way of counting the same replies"),
    ("calls", "object", "calls by purpose; retries of calls without a reply are left out"),
    ("retries", "count", "retries after failures and malformed replies"),
    ("disagrees", "count", "replies whose box and `ANSWER:` differ; the box counts"),
    ("planned", "list?", "minimum and maximum calls by the formula"),
    ("rounds", "list", "answers, majority and agreement after each round"),
    ("first_correct", "count?", "first round with a right majority, from 1"),
    ("flips", "count", "changed answers"),
    (
        "rescued",
        "list",
        "changes from a wrong answer to the right one, and whose answer each adopted",
    ),
    ("bullied", "list", "changes from the right answer to a wrong one"),
    ("sure", "list", "last answers with a stated confidence"),
    ("held", "object", "answers that were kept or lost from one round to the next"),
    ("judgements", "object", "judgements of the verdict"),
    ("models", "object", "calls by model, retries included"),
];

/// Returns the names of the columns with one value for tables, in the order of a line.
pub fn flat() -> impl Iterator<Item = &'static str> {
    let end = COLUMNS.iter().position(|(name, ..)| *name == LAST_FLAT).unwrap_or(COLUMNS.len());
    COLUMNS.iter().map(|(name, ..)| *name).take(end + 1).skip(1)
}

/// Returns the JSON Schema of a result line.
pub fn schema() -> Value {
    let property = |(name, kind, about): Column| {
        let base = kind.trim_end_matches('?');
        let typed = match base {
            "count" => "integer",
            "flag" => "boolean",
            "text" => "string",
            "list" => "array",
            other => other,
        };
        let mut property = Map::new();
        match base {
            "text or list" => {}
            _ if kind.ends_with('?') => {
                property.insert("type".into(), json!([typed, "null"]));
            }
            _ => {
                property.insert("type".into(), typed.into());
            }
        }
        if base == "count" {
            property.insert("minimum".into(), 0.into());
        }
        property.extend(parts(name).unwrap_or_default());
        property.insert("description".into(), about.into());
        (name.to_owned(), Value::from(property))
    };
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A result line of a colloquium batch",
        "description": "One conversation; the last line of an item and arm counts.",
        "type": "object",
        "required": COLUMNS.map(|(name, ..)| name).to_vec(),
        "properties": COLUMNS.into_iter().map(property).collect::<Map<String, Value>>(),
        "additionalProperties": false,
    })
}

/// Returns the parts of a nested column.
fn parts(name: &str) -> Option<Map<String, Value>> {
    let count = json!({"type": "integer", "minimum": 0});
    let text = json!({"type": "string"});
    let share = json!({"type": "number", "minimum": 0, "maximum": 1});
    let flag = json!({"type": "boolean"});
    let maybe = |kind: &str| json!({"type": [kind, "null"]});
    let parts = match name {
        "answered" => json!({"properties": {
            "answer": maybe("string"),
            "by": {"enum": crate::model::Aggregation::ALL.map(crate::model::Aggregation::name)},
            "of": count, "abstained": count,
            "ways": {"type": "array", "description": "the result of each way of counting, from the same replies"},
        }}),
        "version" => json!({"const": super::VERSION}),
        "adapted" => json!({"items": {"type": "object", "properties": {
            "turn": count, "call": count, "model": text, "loses": flag,
            "did": {"type": "string", "description": "as in `leave out temperature`"},
            "because": {"type": "string", "description": "the refusal, in the server's words"},
        }}}),
        "outcome" => json!({"enum": ["ended", "failed"]}),
        "calls" => json!({"additionalProperties": count}),
        "planned" => json!({"items": count}),
        "rounds" => json!({"items": {"type": "object", "properties": {
            "answers": {"type": "object", "additionalProperties": maybe("string")},
            "majority": maybe("string"), "correct": maybe("boolean"), "agreement": share,
            "effective": {"type": "number", "description": "effective number of answers"},
            "novelty": share,
        }}}),
        "rescued" | "bullied" => {
            json!({"items": {"type": "object", "required": ["seat", "round", "after"], "properties": {
                "seat": text, "round": count,
                "after": {"type": "array", "items": text, "description": "the participant whose answer it adopted, of those it was shown"},
            }}})
        }
        "sure" => {
            json!({"items": {"type": "object", "required": ["seat", "confidence", "correct"], "properties": {
                "seat": text, "confidence": share, "correct": flag,
            }}})
        }
        "held" => json!({"properties": {
            "minority": {"type": "integer", "minimum": 0, "description": "differed from the majority"},
            "adopted": {"type": "integer", "minimum": 0, "description": "of these, became the majority's"},
            "right": count,
            "broken": {"type": "integer", "minimum": 0, "description": "of the right ones, became wrong"},
            "found": {"type": "boolean", "description": "some participant gave the right answer"},
        }}),
        "judgements" => json!({"properties": {
            "read": count,
            "unread": {"type": "integer", "minimum": 0, "description": "without a readable winner"},
            "right": maybe("integer"),
            "won": {"type": "object", "additionalProperties": count, "description": "by side"},
            "first_side": {"type": "integer", "minimum": 0, "description": "won by the side shown first"},
            "both_ways": {"type": "integer", "minimum": 0, "description": "readable in both orders"},
            "labels_only": {"type": "integer", "minimum": 0, "description": "of these, with labels swapped and speeches in the same order"},
            "swap_flips": {"type": "integer", "minimum": 0, "description": "of these, changed with the order"},
            "pairs": {"type": "integer", "minimum": 0, "description": "pairs of judges in the same verdict"},
            "agreed": count,
        }}),
        "models" => json!({"additionalProperties": {
            "type": "object", "properties": {"calls": count, "unanswered": count},
        }}),
        _ => return None,
    };
    parts.as_object().cloned()
}

/// Returns the dictionary of the columns for the help, a row or more for each.
pub fn dictionary() -> String {
    let mut out = String::new();
    for (name, kind, about) in COLUMNS {
        let kind = match kind.strip_suffix('?') {
            Some(kind) => format!("{kind} or null"),
            None => kind.to_owned(),
        };
        let mut row = format!("    {name:NAME_WIDTH$}{kind};");
        for word in about.split(' ') {
            if row.chars().count() + 1 + word.chars().count() > ROW_WIDTH {
                // writing to a `String` cannot fail
                let _ = writeln!(out, "{row}");
                row = " ".repeat(NAME_WIDTH + 3);
            }
            row.push(' ');
            row.push_str(word);
        }
        let _ = writeln!(out, "{row}");
    }
    out
}
