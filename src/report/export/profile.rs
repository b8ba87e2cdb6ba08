//! Facts about a person, stages and rankings as text.

use super::narrated::{Narrated, note};
use crate::model::{FactChanged, ProfileUpdated, RankedBecause, RankingMade, StageEntered};
use crate::text;
use serde_json::Value;

/// Returns the value of a fact as text.
pub fn fact(value: &Value) -> String {
    match value {
        Value::String(text) => text::label(text).into_owned(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Null => "unknown".into(),
        Value::Array(list) if list.is_empty() => "none".into(),
        Value::Array(list) => list.iter().map(fact).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            let fields = map.iter().map(|(field, value)| format!("{field} {}", fact(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        Value::Number(number) => number.to_string(),
    }
}

/// Returns the name of a field as text.
pub fn field(field: &str) -> String {
    text::label(field).replace('_', " ").replace('.', ", ")
}

/// Returns a changed fact as text.
pub fn change(changed: &FactChanged) -> String {
    let field = field(&changed.field);
    match (&changed.from, &changed.to) {
        (Value::Null, now) => format!("{field}: {}", fact(now)),
        (before, Value::Null) => format!("{field}: deleted, was {}", fact(before)),
        (before, now) => format!("{field}: {}, was {}", fact(now), fact(before)),
    }
}

pub(super) fn updated(updated: &ProfileUpdated) -> Vec<Narrated> {
    let changed: Vec<String> = updated.changed.iter().map(change).collect();
    note(format!("profile: {}", changed.join("; ")))
}

pub(super) fn stage(entered: &StageEntered) -> Vec<Narrated> {
    let stage = entered.stage.as_deref().unwrap_or("none");
    let known = match entered.of {
        0 => String::new(),
        of => format!(" ({} of {of} known)", entered.known),
    };
    let claimed = entered.claimed.as_ref().map(|claimed| format!("; the reply claimed {claimed}"));
    note(format!("stage: {stage}{known}{}", claimed.unwrap_or_default()))
}

pub(super) fn ranking(made: &RankingMade) -> Vec<Narrated> {
    let items = made.items.iter().zip(1..);
    let items: Vec<String> =
        items.map(|(item, n)| format!("{n}. {} {}", item.name, item.score)).collect();
    let items = if items.is_empty() { "nothing fits".to_owned() } else { items.join(", ") };
    let asked = if made.because == RankedBecause::Asked { ", as asked" } else { "" };
    note(format!("ranking{asked}: {items}"))
}
