//! `reply` of a seat: the form that its words must have.

use super::check::{Walk, join};
use super::json_schema::schema;
use super::tree::{Node, count, texts};
use crate::model::AnswerKind;
use crate::model::contract::{Contract, Form};

/// The keys of which `reply` has exactly one.
const FORMS: [&str; 6] = ["markers", "choice", "schema", "answer", "rank", "score"];

/// Sees to it that a `reply` asks for one form.
pub(super) fn one_form(walk: &mut Walk<'_>, node: &Node, path: &str) {
    let mut forms = node.entries().iter().filter(|e| FORMS.contains(&e.key.as_str()));
    match (forms.next(), forms.next()) {
        (Some(first), Some(second)) => {
            let message = format!("conflicts with `{}`", first.key);
            walk.fault(&second.key_span, &join(path, &second.key), message, "keep one of them");
        }
        (None, _) if node.text().is_none() && node.get("quotes").is_none() => {
            let fix = r#"as in reply = { choice = ["yes", "no"] }"#;
            walk.fault(
                &node.span,
                path,
                "has no markers, choice, schema, answer, rank, score or quotes",
                fix,
            );
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
        .or_else(|| node.get("schema").and_then(|n| schema(n).ok()).map(Form::Schema))
        .or_else(|| {
            let of = AnswerKind::named(node.get("answer")?.text()?)?;
            Some(Form::Answer { of, confidence: false })
        })
        .or_else(|| {
            node.get("rank").map(|_| Form::Ranking { most: count(node, "rank"), among: vec![] })
        })
        .or_else(|| list("score").map(Form::Scores));
    let again = count(node, "again").unwrap_or(Contract::default().again);
    let quotes = node.get("quotes").and_then(Node::text).map(Into::into);
    Contract { form: form.unwrap_or_default(), again, quotes }
}
