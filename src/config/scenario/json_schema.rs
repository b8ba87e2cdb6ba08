//! JSON Schemas inside a scenario.

use super::tree::{Node, Value as Tree};
use crate::model::sentence::sentence_error;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

sentence_error! {
    /// Fault of a JSON Schema.
    pub struct SchemaFault;
}

/// Maximum size of a schema as JSON, in bytes.
const SCHEMA_MAX: usize = 64 * 1024;

/// Maximum size of a compiled pattern, in bytes.
const PATTERN_MAX: usize = 1 << 20;

/// Compiles a JSON Schema. External references are never followed, and every pattern runs in linear time.
pub fn validator(schema: &Value) -> Result<Validator, SchemaFault> {
    if schema.to_string().len() > SCHEMA_MAX {
        return Err(format!("has more than {SCHEMA_MAX} bytes").into());
    }
    let patterns = PatternOptions::regex().size_limit(PATTERN_MAX).dfa_size_limit(PATTERN_MAX);
    let built = jsonschema::options().with_pattern_options(patterns).build(schema);
    built.map_err(|e| match e.instance_path().as_str() {
        "" => e.to_string().into(),
        path => format!("at {path}: {e}").into(),
    })
}

/// Returns the JSON of a schema: a table, or the text of one.
pub(super) fn schema(node: &Node) -> Result<Value, SchemaFault> {
    match &node.value {
        Tree::Text(text) => {
            serde_json::from_str(text).map_err(|e| format!("is not JSON: {e}").into())
        }
        Tree::Table(_) => Ok(node.to_json()),
        Tree::Whole(_) | Tree::Number(_) | Tree::Flag(_) | Tree::List(_) | Tree::Other(_) => {
            Err(format!("takes a table, or JSON as text, not {}", node.quoted()).into())
        }
    }
}
