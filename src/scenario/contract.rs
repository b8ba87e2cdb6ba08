//! Resolves `reply` of a participant: the required form of its text.

use super::check::{Walk, join};
use super::json_schema::schema;
use super::tree::{Node, count, texts};
use super::who::who_of;
use crate::model::contract::{Contract, EVERYBODY, Form};
use crate::model::{AnswerKind, Participant, Text};

/// Keys of `reply` that exclude each other.
const FORMS: [&str; 6] = ["markers", "choice", "schema", "answer", "rank", "score"];

/// Checks that a `reply` has one form.
pub(super) fn one_form(walk: &mut Walk<'_>, node: &Node, path: &str) {
    let mut forms = node.entries().iter().filter(|e| FORMS.contains(&e.key.as_str()));
    match (forms.next(), forms.next()) {
        (Some(first), Some(second)) => {
            let message = format!("conflicts with `{}`", first.key);
            walk.fault(&second.key_span, &join(path, &second.key), message, "keep one of them");
        }
        (None, _)
            if node.text().is_none()
                && node.get("quotes").is_none()
                && node.get("to").is_none() =>
        {
            let fix = r#"as in reply = { choice = ["yes", "no"] }"#;
            walk.fault(
                &node.span,
                path,
                "has no markers, choice, schema, answer, rank, score, quotes or to",
                fix,
            );
        }
        (Some(form), None) if ["choice", "schema"].contains(&form.key.as_str()) => {
            if let Some(to) = node.get("to") {
                let message = format!("is for text replies, but `{}` asks for data", form.key);
                walk.fault(&to.span, &join(path, "to"), message, "keep one of them");
            }
        }
        (Some(_), None) | (None, _) => {}
    }
    data_keys(walk, node, path);
}

/// Checks that `keep` and `says` name fields of data.
fn data_keys(walk: &mut Walk<'_>, node: &Node, path: &str) {
    for key in ["keep", "says"] {
        if let (Some(value), None) = (node.get(key), node.get("schema")) {
            let fix = r#"add schema = { type = "object", ... }"#;
            walk.fault(&value.span, &join(path, key), "is for replies as data", fix);
        }
    }
    let schema = node.get("schema").and_then(|n| schema(n).ok()).unwrap_or_default();
    let says = node.get("says").and_then(|n| Some((n, n.text()?)));
    if let (Some((value, says)), Some(fields)) = (says, schema["properties"].as_object())
        && !fields.contains_key(says)
    {
        let all: Vec<&str> = fields.keys().map(String::as_str).collect();
        let fix = format!("the fields are {}", all.join(", "));
        walk.fault(&value.span, &join(path, "says"), "is no field of the schema", fix);
    }
}

/// Resolves the recipients of whispers in replies: roles into ids.
pub(super) fn whispers(walk: &mut Walk<'_>, root: &Node, seats: &mut [Participant]) {
    let nodes = root.get("participant").map(Node::items).unwrap_or_default();
    for (i, node) in nodes.iter().enumerate() {
        let Some(to) = node.get("reply").and_then(|reply| reply.get("to")) else { continue };
        let id = node.get("id").and_then(Node::text).unwrap_or_default();
        if texts(to).iter().any(|name| **name == *EVERYBODY) {
            continue;
        }
        let path = format!("participant[{}].reply.to", i + 1);
        let named = who_of(walk, to, seats, &path);
        let others: Vec<Text> = named.iter().filter(|name| ***name != *id).cloned().collect();
        if others.is_empty() && !named.is_empty() {
            walk.fault(&to.span, &path, "names nobody else", "name another participant");
        }
        if let Some(seat) = seats.iter_mut().find(|s| *s.id.0 == *id) {
            seat.reply.to = others;
        }
    }
}

/// Resolves a checked table `reply`.
pub(super) fn contract(node: &Node) -> Contract {
    let list = |key: &str| node.get(key).map(texts);
    let form = list("markers")
        .map(Form::Markers)
        .or_else(|| list("choice").map(Form::Choice))
        .or_else(|| node.get("schema").and_then(|n| schema(n).ok()).map(Form::Schema))
        .or_else(|| {
            let of = AnswerKind::by_name(node.get("answer")?.text()?)?;
            Some(Form::Answer { of, confidence: false, object: false, pattern: None })
        })
        .or_else(|| {
            node.get("rank").map(|_| Form::Ranking { most: count(node, "rank"), among: vec![] })
        })
        .or_else(|| list("score").map(Form::Scores));
    let again = count(node, "again").unwrap_or(Contract::default().again);
    let quotes = node.get("quotes").and_then(Node::text).map(Into::into);
    let to = list("to").unwrap_or_default();
    let keep = node.get("keep").is_some();
    let says = node.get("says").and_then(Node::text).map(Into::into);
    Contract { form: form.unwrap_or_default(), again, quotes, to, keep, says }
}
