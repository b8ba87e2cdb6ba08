//! The keys of `[[tool]]` and `[[server]]`.

use super::value::{ValueKind, key, keys, needed};
use crate::model::Text;

keys! {
    /// The keys of `[[tool]]`.
    pub(super) static TOOL as RawTool;
    name: Option<Text> = needed(ValueKind::Line, r#""weather""#,
        "Name of letters, digits, hyphens and underscores.");
    about: Option<Text> = needed(ValueKind::Text, r#""The weather of a town.""#, "Description for models.");
    script: Vec<Text> = needed(ValueKind::List(&ValueKind::Line), r#"["./weather.py"]"#,
        "A program and its arguments: one JSON request in, the result out.");
    parameters = key(ValueKind::Schema, r#"{ type = "object", properties = { town = { type = "string" } } }"#,
        "JSON Schema of its arguments (default: no arguments).");
    read_only: bool = key(ValueKind::Flag, "true",
        "Whether the tool only reads; if not, you are asked before it runs.");
    timeout = key(ValueKind::Duration, r#""30s""#, "Timeout (default 30 s).");
}

keys! {
    /// The keys of `[[server]]`.
    pub(super) static SERVER as RawServer;
    name: Option<Text> = needed(ValueKind::Line, r#""files""#,
        "Name of letters, digits and hyphens; the names of its tools begin with it.");
    command: Option<Vec<Text>> = key(ValueKind::List(&ValueKind::Line),
        r#"["npx", "-y", "@modelcontextprotocol/server-filesystem", "."]"#,
        "A program that speaks the Model Context Protocol on stdin and stdout, with its arguments.");
    url: Option<Text> = key(ValueKind::Line, r#""http://127.0.0.1:8000/mcp""#,
        "Or the address of one over HTTP.");
    read_only: Vec<Text> = key(ValueKind::List(&ValueKind::Line), r#"["read_text_file", "list_directory"]"#,
        "Its tools that only read; you are asked before any other runs.");
    timeout = key(ValueKind::Duration, r#""30s""#, "Timeout of a tool (default 30 s).");
}
