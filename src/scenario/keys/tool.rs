//! The keys of `[[tool]]` and `[[server]]`.

use super::value::{Key, ValueKind, key, needed};

/// The keys of `[[tool]]`.
pub(super) static TOOL: &[Key] = &[
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

/// The keys of `[[server]]`.
pub(super) static SERVER: &[Key] = &[
    needed(
        "name",
        ValueKind::Line,
        r#""files""#,
        "Name of letters, digits and hyphens; the names of its tools begin with it.",
    ),
    key(
        "command",
        ValueKind::List(&ValueKind::Line),
        r#"["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]"#,
        "A program that speaks the Model Context Protocol on stdin and stdout, with its arguments.",
    ),
    key(
        "url",
        ValueKind::Line,
        r#""http://127.0.0.1:8000/mcp""#,
        "Or the address of one over HTTP.",
    ),
    key(
        "read_only",
        ValueKind::List(&ValueKind::Line),
        r#"["read_text_file", "list_directory"]"#,
        "Its tools that only read; you are asked before any other runs.",
    ),
    key("timeout", ValueKind::Duration, r#""30s""#, "Timeout of a tool (default 30 s)."),
];
