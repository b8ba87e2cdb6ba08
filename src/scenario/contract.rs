//! `reply` of a seat: the form that its words must have.

use super::check::{Walk, join};
use super::json_schema::schema;
use super::tree::{Node, count, texts};
use crate::model::contract::{Contract, Form};

/// The keys of which `reply` has exactly one.
const FORMS: [&str; 3] = ["markers", "choice", "schema"];

/// Sees to it that a `reply` asks for one form.
pub(super) fn one_form(walk: &mut Walk<'_>, node: &Node, path: &str) {
    let mut forms = node.entries().iter().filter(|e| FORMS.contains(&e.key.as_str()));
    match (forms.next(), forms.next()) {
        (Some(first), Some(second)) => {
            let message = format!("conflicts with `{}`", first.key);
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
