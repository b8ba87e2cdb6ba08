//! The JSON Schema of a scenario, made from the table of keys that the walker uses, so that they cannot drift.
//!
//! It says forms, not what several keys mean together: `check` says that.

use super::PolicyRow;
use super::check::policy_keys;
use super::keys::{CAST_LINES, Key, Kind, TOP};
use super::tree::Node;
use serde_json::{Map, Value, json};

/// Returns the JSON Schema of a scenario; `rows` are the policies that this program has.
pub fn schema(rows: &[PolicyRow]) -> Value {
    let mut schema = table(TOP, rows);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "A colloquium scenario".into();
    schema
}

fn table(keys: &[Key], rows: &[PolicyRow]) -> Value {
    let keys = || keys.iter().filter(|k| !matches!(k.kind, Kind::Later));
    let properties: Map<String, Value> =
        keys().map(|k| (k.name.to_owned(), property(k, rows))).collect();
    let required: Vec<&str> = keys().filter(|k| k.needed).map(|k| k.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(key: &Key, rows: &[PolicyRow]) -> Value {
    let mut schema = kind(&key.kind, rows);
    schema["description"] = key.meaning.into();
    if let Ok(example) = Node::parse_value(key.example) {
        schema["examples"] = json!([example.to_json()]);
    }
    schema
}

fn kind(k: &Kind, rows: &[PolicyRow]) -> Value {
    match k {
        Kind::Text | Kind::Template | Kind::Condition => {
            json!({"type": "string", "pattern": "\\S"})
        }
        Kind::Line => json!({"type": "string", "pattern": "^[^\\n]*\\S[^\\n]*$"}),
        Kind::Id => json!({"type": "string", "pattern": "^[a-z0-9-]+$"}),
        Kind::Model => json!({"type": "string", "pattern": "^[^:\\s]+:\\S+$"}),
        Kind::Duration => json!({"type": ["number", "string"], "exclusiveMinimum": 0}),
        Kind::True => json!({"const": true}),
        Kind::Count { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Kind::Number { least, most } => {
            json!({"type": "number", "minimum": least, "maximum": most})
        }
        Kind::OneOf { words, .. } => json!({"enum": words}),
        Kind::List(item) => {
            json!({"type": "array", "items": kind(item, rows), "minItems": 1})
        }
        Kind::Table(keys) => table(keys, rows),
        Kind::AnyOf(kinds) => {
            let kinds: Vec<Value> = kinds.iter().map(|k| kind(k, rows)).collect();
            json!({ "anyOf": kinds })
        }
        Kind::Cast(keys) => {
            let mut cast = table(keys, rows);
            cast["additionalProperties"] = kind(&CAST_LINES, rows);
            cast
        }
        Kind::Policy => policy(rows),
        Kind::Order => {
            let names = rows.iter().map(|r| r.name).filter(|n| *n != "phases");
            let orders: Vec<&str> = ["sequential", "shuffled"].into_iter().chain(names).collect();
            json!({ "enum": orders })
        }
        Kind::Later => json!(false),
    }
}

fn policy(rows: &[PolicyRow]) -> Value {
    let names: Vec<&str> = rows.iter().map(|r| r.name).collect();
    let tables = rows.iter().map(|row| {
        let mut schema = table(&policy_keys(row), rows);
        schema["properties"]["name"] = json!({"const": row.name, "description": row.meaning});
        schema
    });
    let any: Vec<Value> = std::iter::once(json!({ "enum": names })).chain(tables).collect();
    json!({ "anyOf": any })
}
