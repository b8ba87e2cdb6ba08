//! Known facts about a person, and their consequences: stages and rankings.

use super::ids::{SeatId, Text, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `profile.updated`: a fact of the profile changed.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileUpdated {
    /// The participant whose reply changed it; absent after an edit or a hidden turn.
    pub participant: Option<SeatId>,
    /// The turn of the reply; absent if no reply changed it.
    pub turn: Option<TurnId>,
    /// The changed fields.
    pub changed: Vec<FactChanged>,
    /// All known facts, by field.
    pub profile: Map<String, Value>,
}

/// One changed field of a profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FactChanged {
    /// Path of the field, as in `home.size`.
    pub field: Text,
    /// Old value; null if unknown.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub from: Value,
    /// New value; null if unknown.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub to: Value,
}

/// `stage.entered`: the stage changed, or a reply claims a stage that does not apply.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageEntered {
    /// The first stage whose condition is true; absent if none exists.
    pub stage: Option<Text>,
    /// Number of known fields of the profile.
    pub known: u32,
    /// Number of all fields of the profile.
    pub of: u32,
    /// The stage that the last reply claimed, if different.
    pub claimed: Option<Text>,
}

/// `ranking.made`: the catalogue was ranked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankingMade {
    /// Reason for the ranking: condition or asked.
    pub because: RankedBecause,
    /// The best items, best first.
    pub items: Vec<RankedItem>,
    /// Number of excluded items, by the first hard filter that excludes them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub left_out: Map<String, Value>,
}

/// Reason for a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RankedBecause {
    /// Its condition is true.
    Condition,
    /// The person asked for it.
    Asked,
}

/// One item of a ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedItem {
    /// Key of the item in the catalogue.
    pub id: Text,
    /// Display name of the item.
    pub name: Text,
    /// Score from 0 to 100.
    pub score: f64,
    /// Points of each soft score, in the order of the file.
    pub parts: Vec<(Text, f64)>,
}

/// Treatment of fields that the profile does not list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnknownField {
    /// Kept like the others.
    #[default]
    Keep,
    /// Left out of the profile.
    Drop,
    /// The reply is invalid.
    Refuse,
}

/// Merges new facts into a profile, field by field: null deletes a fact, empty text is ignored, and other fields stay.
pub fn merge(profile: &mut Map<String, Value>, news: &Map<String, Value>) {
    for (field, value) in news {
        match value {
            Value::Null => {
                profile.remove(field);
            }
            Value::String(text) if text.trim().is_empty() => {}
            Value::Object(inner) => {
                let mut whole = match profile.get(field) {
                    Some(Value::Object(known)) => known.clone(),
                    Some(_) | None => Map::new(),
                };
                merge(&mut whole, inner);
                match (whole.is_empty(), profile.get(field)) {
                    // an empty table removes no other fact
                    (true, Some(known)) if !known.is_object() => {}
                    (true, _) => drop(profile.remove(field)),
                    (false, _) => drop(profile.insert(field.clone(), Value::Object(whole))),
                }
            }
            fact => {
                profile.insert(field.clone(), fact.clone());
            }
        }
    }
}

/// Returns the differences between two profiles, in the order of the fields.
pub fn changes(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<FactChanged> {
    let mut all = vec![];
    compare("", before, after, &mut all);
    all
}

fn compare(
    path: &str,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    all: &mut Vec<FactChanged>,
) {
    let gone = before.keys().filter(|field| !after.contains_key(*field));
    for field in after.keys().chain(gone) {
        let name = if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
        let value = |of: &Map<String, Value>| of.get(field).cloned().unwrap_or_default();
        match (value(before), value(after)) {
            (from, to) if from == to => {}
            (Value::Object(from), Value::Object(to)) => compare(&name, &from, &to, all),
            (from, to) => all.push(FactChanged { field: name.into(), from, to }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a_fact_stays_until_it_is_changed_or_deleted() {
        for (known, news, expected) in [
            (json!({"a": 1}), json!({"b": 2}), json!({"a": 1, "b": 2})),
            (json!({"a": 1}), json!({"a": null}), json!({})),
            (json!({"a": "x"}), json!({"a": "  "}), json!({"a": "x"})),
            (
                json!({}),
                json!({"a": false, "b": "none", "c": []}),
                json!({"a": false, "b": "none", "c": []}),
            ),
            (
                json!({"home": {"size": 40, "rooms": ["bath"]}}),
                json!({"home": {"garden": true, "size": null}}),
                json!({"home": {"rooms": ["bath"], "garden": true}}),
            ),
            (json!({"home": {"size": 40}}), json!({"home": {"size": null}}), json!({})),
            (json!({"home": "flat"}), json!({"home": {"size": 40}}), json!({"home": {"size": 40}})),
            (json!({"home": "flat"}), json!({"home": {}}), json!({"home": "flat"})),
            (json!({"home": {"size": 40}}), json!({"home": {}}), json!({"home": {"size": 40}})),
            (json!({"a": [1, 2]}), json!({"a": [3]}), json!({"a": [3]})),
        ] {
            let mut profile = map(known.clone());
            merge(&mut profile, &map(news.clone()));
            assert_eq!(Value::Object(profile), expected, "{known} and {news}");
        }
    }

    #[test]
    fn changes_name_the_field_that_changed() {
        let before = map(json!({"a": 1, "home": {"size": 40, "garden": false}, "gone": "x"}));
        let after = map(json!({"a": 1, "home": {"size": 60, "garden": false}, "new": "none"}));
        let changed: Vec<String> = changes(&before, &after)
            .iter()
            .map(|c| format!("{}: {} to {}", c.field, c.from, c.to))
            .collect();
        assert_eq!(
            changed,
            ["home.size: 40 to 60", "new: null to \"none\"", "gone: \"x\" to null"]
        );
    }
}
