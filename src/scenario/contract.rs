//! `reply` of a seat: the form that its words must have.

use super::check::{Walk, join};
use super::seat::{count, texts};
use super::tree::{Node, Value as Tree};
use crate::model::contract::{Contract, Form};
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// Bytes that a schema may have, written as JSON.
const SCHEMA_MAX: usize = 64 * 1024;
/// Bytes that a compiled pattern of a schema may take.
const PATTERN_MAX: usize = 1 << 20;
/// The keys of which `reply` has exactly one.
const FORMS: [&str; 3] = ["markers", "choice", "schema"];

/// Compiles a JSON Schema. Nothing outside it is ever looked at, and no pattern takes more than linear time.
///
/// # Errors
/// What is wrong with it.
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
        Tree::Text(text) => serde_json::from_str(text).map_err(|e| format!("is no JSON: {e}")),
        Tree::Table(_) => Ok(node.to_json()),
        Tree::Whole(_) | Tree::Number(_) | Tree::Flag(_) | Tree::List(_) | Tree::Other(_) => {
            Err(format!("takes a table, or JSON as text, not {}", node.quoted()))
        }
    }
}

/// Sees to it that a `reply` asks for one form.
pub(super) fn one_form(walk: &mut Walk<'_>, node: &Node, path: &str) {
    let mut forms = node.entries().iter().filter(|e| FORMS.contains(&e.key.as_str()));
    match (forms.next(), forms.next()) {
        (Some(first), Some(second)) => {
            let message = format!("is a second form beside `{}`", first.key);
            walk.fault(&second.key_span, &join(path, &second.key), message, "keep one of them");
        }
        (None, _) if node.text().is_none() => {
            let fix = r#"as in reply = { choice = ["yes", "no"] }"#;
            walk.fault(&node.span, path, "has no markers, choice or schema", fix);
        }
        (Some(_), None) | (None, _) => {}
    }
}

/// Resolves a checked `reply`.
pub(super) fn contract(node: &Node) -> Contract {
    let list = |key: &str| node.get(key).map(texts);
    let form = list("markers")
        .map(Form::Markers)
        .or_else(|| list("choice").map(Form::Choice))
        .or_else(|| node.get("schema").and_then(|n| schema(n).ok()).map(Form::Schema));
    let again = count(node, "again").unwrap_or(Contract::default().again);
    Contract { form: form.unwrap_or_default(), again }
}
