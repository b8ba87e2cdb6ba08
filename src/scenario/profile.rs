//! Resolves `[profile]`, `[[stage]]` and `[ranking]`.

use super::check::{Walk, join};
use super::tree::{Node, Value as Tree, count, texts};
use crate::model::{Participant, Text, UnknownField};
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
    /// The name of the stage.
    pub name: Text,
    /// Its condition; `None` is always true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Text>,
}

/// Rules of a ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankingSpec {
    /// Number of offered items, best first.
    pub top: u32,
    /// Condition of the offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Text>,
    /// Condition of a request by the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
pub(super) fn profile(walk: &mut Walk<'_>, root: &Node) -> ProfileSpec {
    let Some(node) = root.get("profile") else { return ProfileSpec::default() };
    let known = node.get("known").map(Node::to_json);
    let known = match known {
        Some(Value::Object(known)) => known,
        None => Map::new(),
        Some(_) => {
            let span = node.get("known").map_or(&None, |n| &n.span);
            walk.fault(
                span,
                "profile.known",
                "takes a table",
                r#"as in known = { allergies = "none" }"#,
            );
            Map::new()
        }
    };
    ProfileSpec {
        fields: node.get("fields").map(texts).unwrap_or_default(),
        unknown: match node.get("unknown").and_then(Node::text) {
            Some("drop") => UnknownField::Drop,
            Some("refuse") => UnknownField::Refuse,
            Some(_) | None => UnknownField::Keep,
        },
        known,
    }
}

/// Resolves `[[stage]]`.
pub(super) fn stages(walk: &mut Walk<'_>, root: &Node) -> Vec<StageSpec> {
    let mut all: Vec<StageSpec> = vec![];
    let nodes = root.get("stage").map(Node::items).unwrap_or_default();
    for (i, node) in nodes.iter().enumerate() {
        let path = format!("stage[{}]", i + 1);
        let name: Text = node.get("name").and_then(Node::text).unwrap_or_default().into();
        let span = node.get("name").map_or(&node.span, |n| &n.span);
        if all.iter().any(|stage| stage.name == name) {
            let fix = "give it another name";
            walk.fault(span, &join(&path, "name"), "is the name of another stage", fix);
        }
        if all.last().is_some_and(|before| before.when.is_none()) {
            let fix = "give the stage before it a `when`";
            walk.warn(span, &path, "never holds: the stage before it always does", fix);
        }
        all.push(StageSpec { name, when: node.get("when").and_then(Node::text).map(Into::into) });
    }
    all
}

/// Resolves `[ranking]`.
pub(super) fn ranking(walk: &mut Walk<'_>, root: &Node) -> Option<RankingSpec> {
    let node = root.get("ranking")?;
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::text).map(Text::from);
    let parts = |key: &str| node.get(key).map(Node::items).unwrap_or_default();
    let filters = parts("filter").iter();
    let scores = parts("score").iter();
    let weight = |node: &Node| node.get("weight").and_then(Node::number);
    Some(RankingSpec {
        top: count(node, "top").unwrap_or(TOP),
        when: text(node, "when"),
        asked: text(node, "asked"),
        filters: filters.filter_map(|f| Some((text(f, "name")?, text(f, "when")?))).collect(),
        scores: scores
            .filter_map(|s| Some((text(s, "name")?, weight(s)?, text(s, "when")?)))
            .collect(),
        items: items(walk, node.get("catalogue")?),
    })
}

/// Resolves the items of a catalogue.
fn items(walk: &mut Walk<'_>, node: &Node) -> Vec<(Text, Text, Value)> {
    let path = "ranking.catalogue";
    let fix = r#"as in [ranking.catalogue.beagle] with name = "Beagle""#;
    if !matches!(node.value, Tree::Table(_)) || node.entries().is_empty() {
        walk.fault(&node.span, path, "takes a table of items", fix);
    }
    if node.entries().len() > ITEMS_MAX {
        walk.fault(&node.span, path, format!("has more than {ITEMS_MAX} items"), "leave some out");
    }
    let mut all = vec![];
    for entry in node.entries() {
        let Tree::Table(_) = entry.node.value else {
            let message = format!("takes a table, not {}", entry.node.quoted());
            walk.fault(&entry.node.span, &join(path, &entry.key), message, fix);
            continue;
        };
        let mut item = entry.node.to_json();
        let name = item["name"].as_str().unwrap_or(&entry.key).to_owned();
        item["id"] = entry.key.as_str().into();
        all.push((entry.key.as_str().into(), name.into(), item));
    }
    all
}

/// Checks that some participant keeps facts if the profile is used.
pub(super) fn keeper(walk: &mut Walk<'_>, root: &Node, seats: &[Participant]) {
    let phases = root.get("phase").map(Node::items).unwrap_or_default();
    let by_phase = phases.iter().any(|p| p.get("reply").and_then(|r| r.get("keep")).is_some());
    if by_phase || seats.iter().any(|s| s.reply.keep) {
        return;
    }
    for key in ["profile", "stage", "ranking"] {
        if let Some(node) = root.get(key) {
            let span = node.items().first().map_or(&node.span, |first| &first.span);
            let fix = r#"add keep = "profile" to the reply of a participant"#;
            walk.warn(span, key, "has no profile to look at", fix);
        }
    }
}
