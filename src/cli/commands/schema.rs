//! `schema`: what files and lines look like, as JSON, made from the tables that the program itself uses.

use crate::batch;
use crate::cli::commands::schema_event::KINDS;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::config;
use crate::model::command::{COMMANDS, CommandRow};
use crate::policy;
use crate::scenario;
use crate::testing;
use crate::ui::theme;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

/// Print a JSON Schema
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// What to describe
    #[arg(value_enum)]
    of: Of,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Of {
    /// A scenario's file
    Scenario,
    /// A test's file
    Test,
    /// A steering line
    Steer,
    /// A line of a session
    Event,
    /// A line of the results of a batch
    Results,
    /// A theme's file
    Theme,
    /// The settings, config.toml
    Config,
}

impl SchemaArgs {
    /// Prints the JSON Schema.
    pub fn run(self) -> Result<Exit, Failure> {
        let schema = match self.of {
            Of::Scenario => scenario::schema(&policy::rows()),
            Of::Test => test(),
            Of::Steer => steer(),
            Of::Event => event(),
            Of::Results => batch::schema(),
            Of::Theme => theme::schema(),
            Of::Config => config::schema(),
        };
        output::data(format!("{schema:#}\n").as_bytes())?;
        Ok(Exit::Done)
    }
}

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A test's file, its commands spelled as steering lines.
fn test() -> Value {
    let mut schema = testing::schema(&policy::rows());
    let forms = steer()["oneOf"].take();
    schema["properties"]["steer"]["items"] = json!({ "oneOf": forms });
    schema
}

/// A steering line: one form a command, with the events by which it shows.
fn steer() -> Value {
    json!({
        "$schema": DIALECT,
        "title": "A colloquium steering line",
        "description": "At most one trigger; without one, the line acts immediately.",
        "oneOf": COMMANDS.iter().map(command).collect::<Vec<_>>(),
    })
}

fn command(row: &CommandRow) -> Value {
    let mut properties = Map::new();
    properties.insert("do".into(), json!({ "const": row.name }));
    for key in row.needs.iter().chain(row.takes) {
        properties.insert((*key).into(), value(row.name, key));
    }
    properties.extend(triggers());
    let required: Vec<&str> = std::iter::once("do").chain(row.needs.iter().copied()).collect();
    let events: Vec<&&str> = ["command.given", "receipt"].iter().chain(row.events).collect();
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

/// Returns the form of a key's value in a command.
fn value(command: &str, key: &str) -> Value {
    let whole = json!({"type": "integer", "minimum": 1});
    let text = json!({"type": "string"});
    match (command, key) {
        (_, "n" | "utterance" | "alternative") => whole,
        (_, "final_round" | "yes" | "once") => json!({"type": "boolean"}),
        (_, "participant") => json!({"type": "object", "description": "as [[participant]]"}),
        ("limit", "set") => json!({
            "type": "object",
            "properties": {
                "utterances": whole, "rounds": whole, "seconds": whole, "batches": whole,
                "per_seat": whole, "tokens": whole, "usd": {"type": "number", "exclusiveMinimum": 0},
            },
            "additionalProperties": false,
        }),
        (_, "set") => json!({"type": "object", "description": "keys as in [[participant]]"}),
        (_, "for") => json!({"enum": ["utterance", "round", "standing"]}),
        ("note", "to") => json!({"anyOf": [text, {"type": "array", "items": text}]}),
        (_, "tie") => json!({"enum": ["none", "first", "random"]}),
        (_, "count") => json!({
            "type": "array",
            "items": {"enum": ["majority", "confidence", "borda", "mean"]},
        }),
        (_, "options") => json!({"type": "array", "items": text}),
        (_, _) => text,
    }
}

/// The keys that every line may have: when it acts, where, and what its receipt echoes.
fn triggers() -> [(String, Value); 7] {
    let whole = |least: u32| json!({"type": "integer", "minimum": least});
    let table = |keys: Value, required: &[&str]| {
        json!({
            "type": "object",
            "properties": keys,
            "required": required,
            "additionalProperties": false,
        })
    };
    [
        (
            "after".into(),
            json!({
                "description": "a turn number, or any turn of a participant",
                "oneOf": [
                    table(json!({"utterance": whole(1)}), &["utterance"]),
                    table(json!({"participant": {"type": "string"}}), &["participant"]),
                ],
            }),
        ),
        ("during".into(), table(json!({"utterance": whole(1), "words": whole(0)}), &["utterance"])),
        ("at".into(), json!({"type": "string", "examples": ["5s", "250ms", "2m"]})),
        ("when".into(), json!({"type": "string", "description": "an expression"})),
        (
            "every".into(),
            json!({
                "type": "boolean",
                "description": "with `when`, or `after` a participant: acts each time that becomes true",
            }),
        ),
        ("in".into(), json!({"type": "integer", "description": "the thread's number"})),
        ("id".into(), json!({"type": "string", "description": "echoed in the receipt"})),
    ]
}

/// A line of a session: one form a kind, its keys in words.
fn event() -> Value {
    let kinds = KINDS.iter().map(|(kind, meaning, keys)| {
        let keys: Map<String, Value> = keys
            .iter()
            .map(|(key, says)| ((*key).into(), json!({ "description": says })))
            .collect();
        json!({
            "title": kind,
            "description": meaning,
            "properties": {
                "kind": {"const": kind},
                "data": {"type": "object", "properties": keys},
            },
        })
    });
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
            "kind": {"type": "string", "description": "what happened"},
            "data": {"type": "object", "description": "the data for that kind"},
            "crc": {"type": "string", "description": "CRC-32C of the bytes before ,\"crc\":"},
        },
        "required": ["seq", "at", "ms", "by", "kind", "data", "crc"],
        "additionalProperties": false,
        "oneOf": kinds.collect::<Vec<_>>(),
    })
}
