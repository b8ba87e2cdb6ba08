//! Resolves `[profile]`, `[[stage]]` and `[ranking]`.

use super::check::Walk;
use super::contract::contract;
use super::keys::{RawProfile, RawRanking};
use super::tree::At;
use crate::model::{Contract, Form, Participant, Text, UnknownField};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Default number of offered items.
const TOP: u32 = 5;
/// Maximum number of items in a catalogue.
const ITEMS_MAX: usize = 1_000;

/// The profile of a person: its fields and its rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileSpec {
    /// Fields of a complete profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Text>,
    /// Treatment of unknown fields.
    #[serde(default)]
    pub unknown: UnknownField,
    /// Initial facts.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub known: Map<String, Value>,
}

/// A stage of the conversation; the first one whose condition is true counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageSpec {
    pub name: Text,
    /// Its condition; `None` is always true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Text>,
}

/// Rules of a ranking.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankingSpec {
    /// Number of offered items, best first.
    pub top: u32,
    /// Condition of the offer.
    pub when: Option<Text>,
    /// Condition of a request by the person.
    pub asked: Option<Text>,
    /// Hard filters as (name, condition).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<(Text, Text)>,
    /// Soft scores as (name, weight, condition).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<(Text, f64, Text)>,
    /// Items in the order of the file: id, name, table.
    pub items: Vec<(Text, Text, Value)>,
}

/// Resolves `[profile]`.
pub(super) fn profile(walk: &mut Walk<'_>, root: &At<'_>) -> ProfileSpec {
    let Some(at) = root.get("profile") else { return ProfileSpec::default() };
    let RawProfile { fields, unknown, known } = at.node.read();
    let known = match known {
        Some(Value::Object(known)) => known,
        None => Map::new(),
        Some(_) => {
            let fix = r#"as in known = { allergies = "none" }"#;
            walk.fault(&at.place("known"), "takes a table", fix);
            Map::new()
        }
    };
    ProfileSpec { fields, unknown, known }
}

/// Resolves `[[stage]]`.
pub(super) fn stages(walk: &mut Walk<'_>, root: &At<'_>) -> Vec<StageSpec> {
    let mut all: Vec<StageSpec> = vec![];
    for at in root.list("stage") {
        let Some(stage) = at.node.read::<Option<StageSpec>>() else { continue };
        if all.iter().any(|other| other.name == stage.name) {
            walk.fault(&at.place("name"), "is the name of another stage", "give it another name");
        }
        if all.last().is_some_and(|before| before.when.is_none()) {
            let fix = "give the stage before it a `when`";
            let name = At { path: at.path.clone(), ..at.place("name") };
            walk.warn(&name, "never holds: the stage before it always does", fix);
        }
        all.push(stage);
    }
    all
}

/// Resolves `[ranking]`.
pub(super) fn ranking(walk: &mut Walk<'_>, root: &At<'_>) -> Option<RankingSpec> {
    let at = root.get("ranking")?;
    let raw: RawRanking = at.node.read();
    Some(RankingSpec {
        top: raw.top.unwrap_or(TOP),
        when: raw.when,
        asked: raw.asked,
        filters: raw.filter.into_iter().map(|f| (f.name, f.when)).collect(),
        scores: raw.score.into_iter().map(|s| (s.name, s.weight, s.when)).collect(),
        items: items(walk, &at.get("catalogue")?),
    })
}

/// Resolves the items of a catalogue.
fn items(walk: &mut Walk<'_>, at: &At<'_>) -> Vec<(Text, Text, Value)> {
    let fix = r#"as in [ranking.catalogue.beagle] with name = "Beagle""#;
    if at.node.entries().is_empty() {
        walk.fault(at, "takes a table of items", fix);
    }
    if at.node.entries().len() > ITEMS_MAX {
        walk.fault(at, format!("has more than {ITEMS_MAX} items"), "leave some out");
    }
    let mut all = vec![];
    for (id, at) in at.values() {
        let mut item = at.node.to_json();
        if !item.is_object() {
            walk.fault(&at, format!("takes a table, not {}", at.node.quoted()), fix);
            continue;
        }
        let name = item["name"].as_str().unwrap_or(id).into();
        item["id"] = id.into();
        all.push((id.into(), name, item));
    }
    all
}

/// Checks that some participant keeps facts if the profile is used, and that its facts can be fields of the profile.
pub(super) fn keeper(walk: &mut Walk<'_>, root: &At<'_>, seats: &[Participant]) {
    let mut keepers: Vec<Contract> = seats.iter().map(|seat| seat.reply.clone()).collect();
    for at in root.list("phase").filter_map(|phase| phase.get("reply")) {
        keepers.push(contract(walk, &at, None));
    }
    keepers.retain(|reply| reply.keep);
    if !keepers.is_empty() {
        return can_be_known(walk, root, &keepers);
    }
    for at in ["profile", "stage", "ranking"].into_iter().filter_map(|key| root.get(key)) {
        let first = At { span: at.node.items().first().map_or(at.span, |first| &first.span), ..at };
        let fix = r#"add keep = "profile" to the reply of a participant"#;
        walk.warn(&first, "has no profile to look at", fix);
    }
}

/// Refuses a profile none of whose fields is in a reply that is kept.
fn can_be_known(walk: &mut Walk<'_>, root: &At<'_>, keepers: &[Contract]) {
    let Some(at) = root.get("profile") else { return };
    let RawProfile { fields, known, .. } = at.node.read();
    let listed = |schema: &Value| {
        let own = schema["properties"].as_object();
        own.is_none_or(|own| fields.iter().any(|field| own.contains_key(&**field)))
    };
    let mut near = vec![];
    for reply in keepers {
        let Form::Schema(schema) = &reply.form else { return };
        if listed(reply.facts_field(schema).map_or(schema, |field| &schema["properties"][field])) {
            return;
        }
        let all = schema["properties"].as_object().into_iter().flatten();
        near.extend(all.filter(|(_, field)| field["type"] == "object" && listed(field)));
    }
    if fields.is_empty()
        || fields
            .iter()
            .any(|field| known.as_ref().is_some_and(|known| known.get(&**field).is_some()))
    {
        return;
    }
    let fix = match near.first() {
        Some((name, _)) => format!("write keep = {{ profile = \"{name}\" }} in that reply"),
        None => "add them to the schema of that reply".to_owned(),
    };
    walk.fault(&at.place("fields"), "has no field that is in a reply with `keep`", fix);
}
