//! The keys of `[profile]`, `[[stage]]` and `[ranking]`.

use super::value::{NAMES, ValueKind, key, keys, needed};
use crate::model::facts::{OF_CONVERSATION, OF_ITEM};
use crate::model::{Text, UnknownField};
use serde_json::Value;

keys! {
    /// The keys of `[profile]`.
    pub(super) static PROFILE as RawProfile;
    fields: Vec<Text> = key(NAMES, r#"["living_space", "allergies"]"#,
        "The fields that a complete profile has; conditions find them as `fields`, as in count(profile, fields).");
    unknown: UnknownField = key(ValueKind::OneOf(&["keep", "drop", "refuse"]), r#""refuse""#,
        "What becomes of other fields in a reply: kept (default), dropped, or refused, so that the reply is \
         asked for again.");
    known: Option<Value> = key(ValueKind::Free, r#"{ living_space = "a flat" }"#,
        "What is known from the beginning; `run --state FILE` puts it in.");
}

keys! {
    /// The keys of a `[[stage]]`.
    pub(super) static STAGE;
    name = needed(ValueKind::Line, r#""gathering""#,
        "Its name; conditions and templates find it as `stage`.");
    when = key(ValueKind::Condition(OF_CONVERSATION), r#""count(profile, fields) < 4""#,
        "Condition of the stage; the first stage with a true condition applies, whatever a reply claims. \
         Without one it always applies.");
}

keys! {
    /// The keys of `[ranking]`.
    pub(super) static RANKING as RawRanking;
    top: Option<u32> = key(ValueKind::Count { least: 1, most: 100 }, "5",
        "How many items are offered (default 5).");
    when: Option<Text> = key(ValueKind::Condition(OF_CONVERSATION), r#""stage != 'gathering'""#,
        "When the ranking is offered; without `when` and `asked`, as soon as anything is known.");
    asked: Option<Text> = key(ValueKind::Condition(OF_CONVERSATION), r#""'recommend' in said""#,
        "Condition for a request by the person: the ranking is then offered even if `when` is false. `said` is \
         the person's last message in lower case.");
    filter: Vec<RawFilter> = key(ValueKind::List(&ValueKind::Table(FILTER)),
        r#"[{ name = "allergies", when = "item.low_shedding" }]"#,
        "Hard filters: an item for which one does not hold is left out.");
    score: Vec<RawScore> = key(ValueKind::List(&ValueKind::Table(SCORE)),
        r#"[{ name = "activity", weight = 20, when = "item.energy == profile.activity" }]"#,
        "Soft scores: they are added up and held between 0 and 100.");
    catalogue = needed(ValueKind::Free, r#"{ beagle = { name = "Beagle", energy = 4 } }"#,
        "The items by their ids, each a table: `item` in filters and scores. Equal scores keep the order of the \
         file.");
}

keys! {
    static FILTER as RawFilter;
    name: Text = needed(ValueKind::Line, r#""allergies""#, "Its name.");
    when: Text = needed(ValueKind::Condition(OF_ITEM), r#""not profile.allergies or item.low_shedding""#,
        "Must hold for an item to be offered.");
}

keys! {
    static SCORE as RawScore;
    name: Text = needed(ValueKind::Line, r#""activity""#, "Its name.");
    weight: f64 = needed(ValueKind::Number { least: -100.0, most: 100.0 }, "20",
        "What it gives where its condition holds.");
    when: Text = needed(ValueKind::Condition(OF_ITEM), r#""item.energy == profile.activity""#,
        "Whether it counts: true in full, false not at all, a number from 0 to 1 as that share.");
}
