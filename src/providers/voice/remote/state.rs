//! Data of a server that has to come back with the results of tools: signatures, encrypted or plain reasoning, unknown
//! keys of a request.
//!
//! It is opaque, bounded, and only sent to the model that it came from.

use super::content::{Call, keys};
use super::known::KNOWN;
use crate::model::tool::ToolRound;
use serde_json::{Value, json};

/// Maximum bytes of the data of one round; more is dropped as a whole, because a part of a signature is of no use.
pub(super) const STATE_MAX: usize = 64 << 10;
/// Adds a part of the data to the rest: texts of some keys are joined, elements of a list by their index.
pub(super) fn merge(whole: &mut Value, part: &Value) {
    match (&mut *whole, part) {
        (_, Value::Null) => {}
        (Value::Object(whole), Value::Object(part)) => {
            for (key, value) in part {
                match (whole.get_mut(key), value) {
                    (Some(Value::String(text)), Value::String(more))
                        if KNOWN.keys.in_pieces.contains(key) =>
                    {
                        text.push_str(more);
                    }
                    (Some(known), value) => merge(known, value),
                    (None, value) => {
                        whole.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(whole), Value::Array(part)) => {
            for value in part {
                let index = &value["index"];
                let same = |known: &&mut Value| index.is_number() && known["index"] == *index;
                match whole.iter_mut().find(same) {
                    Some(known) => merge(known, value),
                    None => whole.push(value.clone()),
                }
            }
        }
        (whole, part) => *whole = part.clone(),
    }
}

/// Returns the reasoning of a frame in OpenAI's format.
pub(super) fn reasoning(delta: &Value) -> Value {
    keys(delta, |key, value| {
        KNOWN.keys.reasoning.iter().any(|known| known == key) && !value.is_null() && value != ""
    })
}

/// Returns a part of a reasoning block in Anthropic's format.
pub(super) fn block(frame: &Value, part: &Value) -> Value {
    let mut part = part.clone();
    part["index"] = frame["index"].clone();
    json!({"blocks": [part]})
}

/// Returns the data of a round as it is logged; null without any, or with too much.
pub(super) fn logged(identity: &str, turn: Value, calls: Vec<Value>) -> Value {
    if turn.is_null() && calls.iter().all(Value::is_null) {
        return Value::Null;
    }
    let state = json!({"of": identity, "turn": turn, "calls": calls});
    if state.to_string().len() > STATE_MAX { Value::Null } else { state }
}

/// Returns the data of a round; null for another model.
pub(super) fn own<'a>(round: &'a ToolRound, call: &Call) -> &'a Value {
    if round.state["of"] == call.identity { &round.state } else { &Value::Null }
}

/// Returns the data of a round that belongs to no single request; null for another model.
pub(super) fn of_turn<'a>(round: &'a ToolRound, call: &Call) -> &'a Value {
    &own(round, call)["turn"]
}

/// Adds data of a server to its place, under keys that it does not have.
pub(super) fn with(mut place: Value, state: &Value) -> Value {
    for (key, value) in state.as_object().into_iter().flatten() {
        if place[key].is_null() {
            place[key] = value.clone();
        }
    }
    place
}

/// Returns the reasoning blocks of a round in Anthropic's format.
pub(super) fn blocks(round: &ToolRound, call: &Call) -> Vec<Value> {
    let blocks = of_turn(round, call)["blocks"].as_array().cloned().unwrap_or_default();
    let without_index = |mut block: Value| {
        block.as_object_mut().map(|keys| keys.shift_remove("index"));
        block
    };
    blocks.into_iter().map(without_index).collect()
}
