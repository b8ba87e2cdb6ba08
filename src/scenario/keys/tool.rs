//! The keys of `[[tool]]`.

use super::value::{Key, ValueKind, key, needed};

/// The keys of a tool's table.
pub(super) const TOOL: &[Key] = &[
    needed(
        "name",
        ValueKind::Line,
        r#""weather""#,
        "Name of letters, digits, hyphens and underscores.",
    ),
    needed("about", ValueKind::Text, r#""The weather of a town.""#, "Description for models."),
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
        "JSON Schema of its arguments (default: no arguments).",
    ),
    key(
        "read_only",
        ValueKind::Flag,
        "true",
        "Whether the tool only reads; if not, you are asked before it runs.",
    ),
    key("timeout", ValueKind::Duration, r#""30s""#, "Timeout (default 30 s)."),
];
