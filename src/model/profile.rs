//! What is known of a person, and what follows from it: facts, stages, rankings.

use super::ids::{SeatId, Text, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `profile.updated`: the profile has other facts than before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfileUpdated {
    /// The seat whose reply changed it; none where an edit or a hidden turn did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant: Option<SeatId>,
    /// The turn whose reply changed it; none where no reply did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// The changes, field by field.
    pub changed: Vec<FactChanged>,
    /// All facts as of this event, by field.
    pub profile: Map<String, Value>,
}

/// One field of a profile that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactChanged {
    /// The field; a field of a field is `home.size`.
    pub field: Text,
    /// The value before; null is unknown.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub from: Value,
    /// The value now; null is unknown.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub to: Value,
}

/// `stage.entered`: another stage is reached, or a reply claims a stage that is not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageEntered {
    /// The first stage whose condition is true; none where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Text>,
    /// How many of the profile's fields are known.
    pub known: u32,
    /// How many fields the profile has.
    pub of: u32,
    /// The stage that the last reply claimed, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Text>,
}

/// `ranking.made`: the items of the catalogue that fit best what is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankingMade {
    /// Why the ranking is offered.
    pub because: RankedBecause,
    /// The best of them, best first.
    pub items: Vec<RankedItem>,
    /// How many items the hard filters left out, by the name of the first filter that excluded them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub left_out: Map<String, Value>,
}

/// Why a ranking is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RankedBecause {
    /// Its condition is true.
    Condition,
    /// The person asked for it.
    Asked,
}

/// One item of a ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedItem {
    /// Its key in the catalogue.
    pub id: Text,
    /// The item's name on the screen.
    pub name: Text,
    /// Its score, from 0 to 100.
    pub score: f64,
    /// The points of each soft score, in the order of the file.
    pub parts: Vec<(Text, f64)>,
}

/// The treatment of fields that the profile does not list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnknownField {
    /// They are kept like the others.
    #[default]
    Keep,
    /// They are left out of the profile.
    Drop,
    /// The reply that has them does not fit.
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
                    // a table that says nothing takes no other fact away
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

/// Returns what differs between two profiles, in the order of the fields.
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
