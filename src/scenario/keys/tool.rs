//! The keys of `[[tool]]`.

use super::value::{Key, ValueKind, key, needed};

/// One tool.
pub(super) const TOOL: &[Key] = &[
    needed(
        "name",
        ValueKind::Line,
        r#""weather""#,
        "Its name, in letters, digits, hyphens and underscores.",
    ),
    needed("about", ValueKind::Text, r#""The weather of a town.""#, "What it does, for models."),
    needed(
        "script",
        ValueKind::List(&ValueKind::Line),
        r#"["./weather.py"]"#,
        "A program and its arguments: one JSON request in, the result out.",
    ),
    key(
        "parameters",
        ValueKind::Schema,
        r#"{ type = "object", properties = { town = { type = "string" } } }"#,
        "JSON Schema of its arguments; without it, it takes none.",
    ),
    key(
        "read_only",
        ValueKind::Flag,
        "true",
        "Whether it changes nothing; else you are asked before it runs.",
    ),
    key(
        "timeout",
        ValueKind::Duration,
        r#""30s""#,
        "How long it may take; 30 s, unless it says so.",
    ),
];
