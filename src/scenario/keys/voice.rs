//! Keys of voices: rehearsed lines, people, stand-ins, failure rules.

use super::value::{NAMES, PACE_RANGE, SECONDS_RANGE, ValueKind, key, keys, needed};
use crate::model::facts::OF_CALL;
use crate::model::{Text, Then};

/// Rehearsed lines: each is a text or a table.
pub(super) const LINES: ValueKind =
    ValueKind::List(&ValueKind::AnyOf(&[ValueKind::Template, ValueKind::Table(LINE)]));

keys! {
    /// The keys of a rehearsed line that is a table.
    static LINE;
    text = needed(ValueKind::Template, r#""You asked: {{ operator.said }}""#, "The text.");
    when = key(ValueKind::Condition(OF_CALL), r#""'?' in operator.said""#,
        "The line is used when this condition holds, before lines without a condition.");
    instead = key(ValueKind::Flag, "true",
        "The line takes the place of the next line without a condition, which is left out.");
    leads = key(ValueKind::Flag, "true", "The next line without a condition follows in the same turn.");
    r#for = key(ValueKind::OneOf(&["speak", "pick", "bid", "vote", "judge", "summarise", "result"]),
        r#""vote""#,
        "The purpose of the line (default speak).");
}

keys! {
    /// The keys of a participant's `any_topic`.
    pub(super) static ANY_TOPIC;
    role = key(ValueKind::Line, r#""would lose by a yes""#, "The role.");
    persona = key(ValueKind::Template, r#""You are Ada.""#, "The persona.");
}

keys! {
    pub(super) static HUMAN as RawHuman;
    seconds: Option<u64> = needed(SECONDS_RANGE, "60", "How long to wait for the person.");
    then: Option<Text> = key(ValueKind::OneOf(&["pass", "wait"]), r#""pass""#,
        "What to do when that time is up (default pass).");
}

keys! {
    pub(super) static STAND_IN;
    lines = key(LINES, r#"["I pass."]"#, "Rehearsed lines.");
    model = key(ValueKind::Model, r#""ollama:llama3""#, "A language model.");
    script = key(NAMES, r#"["./reply.sh"]"#, "A program and its arguments.");
}

keys! {
    pub(super) static ON_FAILURE as RawFailureRule;
    retry: Option<u32> = key(ValueKind::Count { least: 0, most: 10 }, "1",
        "Further calls within the same turn, up to `retries` in the settings.");
    then: Option<Then> = key(ValueKind::OneOf(&["skip", "pause", "replace", "stop"]), r#""skip""#,
        "What to do after the last retry (default skip, or replace if there are fallbacks).");
}

keys! {
    /// The keys of `[rehearsed]` besides the lines.
    pub(super) static CAST;
    pace = key(PACE_RANGE, "70", "Milliseconds per word.");
}

/// The lines of a cast.
pub(in crate::scenario) const CAST_LINES: ValueKind = LINES;
