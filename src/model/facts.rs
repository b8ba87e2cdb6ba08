//! The names that conditions and templates can ask for, by where they stand.
//!
//! `state` gives them their values. A name without a value at its place is an error before anybody speaks: `last` in a
//! `[[stop]]` would always be false, and nobody would know why.

/// The names in conditions on the whole conversation: `[[stop]]`, `until`, `after`, steering lines.
pub const OF_CONVERSATION: &[&str] = &[
    "agreement",
    "answers",
    "at_limit",
    "context",
    "ended",
    "fields",
    "history",
    "item",
    "paused",
    "pausing",
    "plan",
    "profile",
    "ranking",
    "round",
    "said",
    "seats",
    "speaking",
    "stage",
    "title",
    "topic",
    "turn_count",
    "utterances",
    "verdict",
    "vote",
    "waiting",
];

/// What rehearsed lines and templates see: the conversation as the seat that is called sees it.
pub const OF_CALL: &[&str] = &[
    "answers",
    "context",
    "correction",
    "dice",
    "fields",
    "item",
    "last",
    "limits",
    "me",
    "notes",
    "number",
    "operator",
    "options",
    "plan",
    "profile",
    "purpose",
    "question",
    "ranking",
    "requests",
    "round",
    "seats",
    "stage",
    "step",
    "topic",
    "turn_count",
];

/// What a `[ranking]` sees of an item of its catalogue.
pub const OF_ITEM: &[&str] = &["fields", "item", "profile", "stage"];

/// Returns what is wrong with a name that is not in `known`: it has a value elsewhere, or nowhere.
pub fn unknown(name: &str, known: &[&str]) -> String {
    let elsewhere = |list: &[&str]| list.contains(&name) && !known.contains(&name);
    if elsewhere(OF_CALL) {
        return format!(
            "`{name}` is known only to rehearsed lines and templates, where a participant is called"
        );
    }
    if elsewhere(OF_CONVERSATION) {
        return format!("`{name}` is known only to conditions over the whole conversation");
    }
    format!("unknown name `{name}`")
}

/// Returns what to write in place of such a name.
pub fn instead(name: &str, known: &[&str]) -> String {
    match name {
        "last" if known.contains(&"history") => {
            "history[-1] is what was said last, by anybody; it has .participant and .text".into()
        }
        _ => super::near::instead(name, known),
    }
}
