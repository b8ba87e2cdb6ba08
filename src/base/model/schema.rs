//! JSON Schemas of session lines and steering lines, derived from the types that the program reads.
//!
//! The doc comments of those types are the descriptions in the schemas, so they are written for users as well.

use super::command::{COMMANDS, Command, CommandRow};
use super::event::{Kind, KindSchema};
use super::steering::SteerLine;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The JSON Schema version of every schema that the program prints.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Returns the schema of a session line: an event with its place in the log.
pub fn event() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let kinds: Vec<Value> = Kind::schemas(&mut generator).into_iter().map(kind).collect();
    json!({
        "$schema": DIALECT,
        "title": "A line of a colloquium session",
        "type": "object",
        "properties": {
            "seq": {"type": "integer", "description": "sequence number, from 0, without gaps"},
            "at": {"type": "string", "description": "wall-clock time, for information"},
            "ms": {"type": "integer", "description": "monotonic milliseconds of the session"},
            "in": {"type": "integer", "description": "the thread; absent for the root"},
            "by": {"type": "string", "description": "a participant's id, operator, or engine"},
            "cause": {"type": "string", "description": "the key of the command that caused it"},
            "kind": {"type": "string", "description": "the kind of the event"},
            "data": {"type": "object", "description": "the data of that kind"},
            "crc": {"type": "string", "description": "CRC-32C of the bytes before ,\"crc\":"},
        },
        "required": ["seq", "at", "ms", "by", "kind", "data", "crc"],
        "additionalProperties": false,
        "oneOf": kinds,
        "$defs": generator.take_definitions(true),
    })
}

fn kind(kind: KindSchema) -> Value {
    let mut data = kind.data.to_value();
    if let Some(data) = data.as_object_mut() {
        // the kind has both already
        data.retain(|key, _| !matches!(key.as_str(), "title" | "description"));
    }
    json!({
        "title": kind.name,
        "description": kind.meaning.trim(),
        "properties": {"kind": {"const": kind.name}, "data": data},
    })
}

/// Returns the schema of a steering line: one form for each command, with the events that it causes.
pub fn steering_line() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let commands = Command::json_schema(&mut generator).to_value();
    let triggers = SteerLine::json_schema(&mut generator).to_value();
    let forms: Vec<Value> =
        COMMANDS.iter().map(|row| command(row, &commands, &triggers["properties"])).collect();
    json!({
        "$schema": DIALECT,
        "title": "A colloquium steering line",
        "description": "At most one trigger; without one, the line acts immediately.",
        "oneOf": forms,
        "$defs": generator.take_definitions(true),
    })
}

fn command(row: &CommandRow, commands: &Value, triggers: &Value) -> Value {
    let mut properties = Map::new();
    let is_row = |form: &&Value| form["properties"]["do"]["const"] == row.name;
    let form = commands["oneOf"].as_array().and_then(|forms| forms.iter().find(is_row));
    for properties_of in form.map(|form| &form["properties"]).into_iter().chain([triggers]) {
        let entries = properties_of.as_object().into_iter().flatten();
        for (key, value) in entries {
            if !properties.contains_key(key) {
                properties.insert(key.clone(), value.clone());
            }
        }
    }
    let required: Vec<&str> = std::iter::once("do").chain(row.needs.iter().copied()).collect();
    let events: Vec<&str> =
        ["command.given", "receipt"].iter().chain(row.events).copied().collect();
    json!({
        "title": row.name,
        "description": row.meaning,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
        "events": events,
    })
}

/// The keys that every line may have; those of its command are in [`Command`].
impl JsonSchema for SteerLine {
    fn schema_name() -> Cow<'static, str> {
        "SteerLine".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = COMMANDS.iter().map(|row| row.name).collect();
        let number = json!({"type": "integer", "minimum": 1, "description": "a turn number"});
        json_schema!({
            "type": "object",
            "properties": {
                "do": {"enum": names, "description": "the command; `schema steer` describes its other keys"},
                "after": {
                    "description": "the end of a turn: its number, or any turn of a participant",
                    "oneOf": [
                        {
                            "type": "object",
                            "properties": {"utterance": number},
                            "required": ["utterance"],
                            "additionalProperties": false,
                        },
                        {
                            "type": "object",
                            "properties": {"participant": {"type": "string", "description": "a participant's id"}},
                            "required": ["participant"],
                            "additionalProperties": false,
                        },
                    ],
                },
                "during": {
                    "description": "the middle of a turn, after so many words (default 0)",
                    "type": "object",
                    "properties": {"utterance": number, "words": {"type": "integer", "minimum": 0}},
                    "required": ["utterance"],
                    "additionalProperties": false,
                },
                "at": {
                    "type": "string",
                    "description": "a time of the session's clock",
                    "examples": ["5s", "250ms", "2m"],
                },
                "when": {"type": "string", "description": "an expression that becomes true"},
                "every": {
                    "type": "boolean",
                    "description": "with `when`, or `after` a participant: acts each time that becomes true",
                },
                "in": {"type": "integer", "description": "the number of the thread"},
                "id": {"type": "string", "description": "any text; the receipt repeats it"},
            },
            "required": ["do"],
        })
    }
}
