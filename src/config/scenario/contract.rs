//! Resolves `reply` of a participant or a phase: the required form of a text.

use super::answer::filled;
use super::check::Walk;
use super::json_schema::schema;
use super::keys::RawReply;
use super::tree::{At, texts};
use super::who::{NamedSeat, who_of};
use crate::model::Text;
use crate::model::contract::{Contract, EVERYBODY, Form};
use serde_json::{Map, Value};

/// Keys of `reply` that exclude each other.
const FORMS: [&str; 6] = ["markers", "choice", "schema", "answer", "rank", "score"];

/// Checks that a `reply` has one form.
pub(super) fn one_form(walk: &mut Walk<'_>, at: &At<'_>) {
    let has = |key: &str| at.node.get(key).is_some();
    let mut forms = at.among(&FORMS);
    match (forms.next(), forms.next()) {
        (Some((first, _)), Some((_, second))) => {
            walk.fault(&second, format!("conflicts with `{first}`"), "keep one of them");
        }
        (None, _) if at.node.text().is_none() && !has("quotes") && !has("to") => {
            let message = "has no markers, choice, schema, answer, rank, score, quotes or to";
            walk.fault(at, message, r#"as in reply = { choice = ["yes", "no"] }"#);
        }
        (Some((form @ ("choice" | "schema"), _)), None) => {
            if let Some(to) = at.get("to") {
                let message = format!("is for text replies, but `{form}` asks for data");
                walk.fault(&to, message, "keep one of them");
            }
        }
        (Some(_), None) | (None, _) => {}
    }
    for key in ["keep", "says"] {
        if let (Some(value), false) = (at.get(key), has("schema")) {
            let fix = r#"add schema = { type = "object", ... }"#;
            walk.fault(&value, "is for replies as data", fix);
        }
    }
    let schema = at.node.get("schema").and_then(|n| schema(n).ok()).unwrap_or_default();
    let facts = at.get("keep").and_then(|keep| keep.get("profile"));
    for named in at.get("says").into_iter().chain(facts) {
        if let Some(fields) = schema["properties"].as_object()
            && named.node.text().is_some_and(|name| !fields.contains_key(name))
        {
            let all: Vec<&str> = fields.keys().map(String::as_str).collect();
            let fix = format!("the fields are {}", all.join(", "));
            walk.fault(&named, "is no field of the schema", fix);
        }
    }
}

/// Resolves the recipients of whispers of one participant: roles into ids.
pub(super) fn whispers(
    walk: &mut Walk<'_>,
    at: &At<'_>,
    id: &str,
    members: &[NamedSeat],
) -> Vec<Text> {
    if texts(at.node).iter().any(|name| **name == *EVERYBODY) {
        return texts(at.node);
    }
    let all = who_of(walk, at, members);
    let others: Vec<Text> = all.iter().filter(|name| ***name != *id).cloned().collect();
    if others.is_empty() && !all.is_empty() {
        walk.fault(at, "names nobody else", "name another participant");
    }
    others
}

/// Resolves a `reply`; `item` fills in its source of quotations.
pub(super) fn contract(
    walk: &mut Walk<'_>,
    at: &At<'_>,
    item: Option<&Map<String, Value>>,
) -> Contract {
    let raw: RawReply = at.node.read();
    let answer =
        |of| Form::Answer { of, confidence: false, object: false, pattern: None, last: false };
    let most = |rank: Value| rank.as_u64().and_then(|n| u32::try_from(n).ok());
    let ranking = |rank| Form::Ranking { most: most(rank), among: vec![] };
    let form = raw
        .markers
        .map(Form::Markers)
        .or(raw.choice.map(Form::Choice))
        .or(at.node.get("schema").and_then(|n| schema(n).ok()).map(Form::Schema))
        .or(raw.answer.map(answer))
        .or(raw.rank.map(ranking))
        .or(raw.score.map(Form::Scores));
    let quotes = at.get("quotes").and_then(|quotes| match item {
        Some(item) => filled(walk, &quotes, item),
        None => quotes.node.text().map(Text::from),
    });
    Contract {
        form: form.unwrap_or_default(),
        again: raw.again.unwrap_or(Contract::default().again),
        quotes,
        to: at.node.get("to").map(texts).unwrap_or_default(),
        keep: at.node.get("keep").is_some(),
        facts: at.get("keep").and_then(|keep| keep.node.get("profile")?.text().map(Text::from)),
        says: raw.says,
    }
}
