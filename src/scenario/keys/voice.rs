//! Keys of voices: rehearsed lines, people, stand-ins, failure rules.

use super::value::{Key, NAMES, PACE_RANGE, SECONDS_RANGE, ValueKind, key, needed};
use crate::model::facts::OF_CALL;

/// Rehearsed lines: each is a text or a table.
pub(super) const LINES: ValueKind =
    ValueKind::List(&ValueKind::AnyOf(&[ValueKind::Template, ValueKind::Table(LINE)]));

/// The keys of a rehearsed line that is a table.
static LINE: &[Key] = &[
    needed("text", ValueKind::Template, r#""You asked: {{ operator.said }}""#, "The text."),
    key(
        "when",
        ValueKind::Condition(OF_CALL),
        r#""'?' in operator.said""#,
        "The line is used when this condition holds, before lines without a condition.",
    ),
    key(
        "instead",
        ValueKind::Flag,
        "true",
        "The line takes the place of the next line without a condition, which is left out.",
    ),
    key(
        "leads",
        ValueKind::Flag,
        "true",
        "The next line without a condition follows in the same turn.",
    ),
    key(
        "for",
        ValueKind::OneOf(&["speak", "pick", "bid", "vote", "judge", "summarise", "result"]),
        r#""vote""#,
        "The purpose of the line (default speak).",
    ),
];

/// The keys of a participant's `any_topic`.
pub(super) static ANY_TOPIC: &[Key] = &[
    key("role", ValueKind::Line, r#""would lose by a yes""#, "The role."),
    key("persona", ValueKind::Template, r#""You are Ada.""#, "The persona."),
];

pub(super) static HUMAN: &[Key] = &[
    needed("seconds", SECONDS_RANGE, "60", "How long to wait for the person."),
    key(
        "then",
        ValueKind::OneOf(&["pass", "wait"]),
        r#""pass""#,
        "What to do when that time is up (default pass).",
    ),
];

pub(super) static STAND_IN: &[Key] = &[
    key("lines", LINES, r#"["I pass."]"#, "Rehearsed lines."),
    key("model", ValueKind::Model, r#""ollama:llama3""#, "A language model."),
    key("script", NAMES, r#"["./reply.sh"]"#, "A program and its arguments."),
];

pub(super) static ON_FAILURE: &[Key] = &[
    key(
        "retry",
        ValueKind::Count { least: 0, most: 10 },
        "1",
        "Further calls within the same turn, up to `retries` in the settings.",
    ),
    key(
        "then",
        ValueKind::OneOf(&["skip", "pause", "replace", "stop"]),
        r#""skip""#,
        "What to do after the last retry (default skip, or replace if there are fallbacks).",
    ),
];

/// The keys of `[rehearsed]` besides the lines.
pub(super) static CAST: &[Key] = &[key("pace", PACE_RANGE, "70", "Milliseconds per word.")];

/// The lines of a cast.
pub(in crate::scenario) const CAST_LINES: ValueKind = LINES;
