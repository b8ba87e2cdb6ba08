//! The JSON Schemas that a scenario may hold.

use super::tree::{Node, Value as Tree};
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// Bytes that a schema may have, written as JSON.
const SCHEMA_MAX: usize = 64 * 1024;

/// Bytes that a compiled pattern of a schema may take.
const PATTERN_MAX: usize = 1 << 20;

/// Compiles a JSON Schema. References outside it are never followed, and every pattern runs in linear time.
///
/// # Errors
/// Why the schema is invalid.
pub fn validator(schema: &Value) -> Result<Validator, String> {
    if schema.to_string().len() > SCHEMA_MAX {
        return Err(format!("has more than {SCHEMA_MAX} bytes"));
    }
    let patterns = PatternOptions::regex().size_limit(PATTERN_MAX).dfa_size_limit(PATTERN_MAX);
    let built = jsonschema::options().with_pattern_options(patterns).build(schema);
    built.map_err(|e| match e.instance_path().as_str() {
        "" => e.to_string(),
        path => format!("at {path}: {e}"),
    })
}

/// Returns the JSON of a schema: a table, or the text of one.
pub(super) fn schema(node: &Node) -> Result<Value, String> {
    match &node.value {
        Tree::Text(text) => serde_json::from_str(text).map_err(|e| format!("is not JSON: {e}")),
        Tree::Table(_) => Ok(node.to_json()),
        Tree::Whole(_) | Tree::Number(_) | Tree::Flag(_) | Tree::List(_) | Tree::Other(_) => {
            Err(format!("takes a table, or JSON as text, not {}", node.quoted()))
        }
    }
}
