//! The results as a table with one row per conversation, for programs that do not read JSON lines.

use super::gathered::Report;
use super::schema::flat;
use crate::analysis::{Cell, Table};
use serde_json::Value;

/// Name of the table. It is not part of the report.
pub const CONVERSATIONS: &str = "conversations";

/// Returns the table with one row per conversation, and the flat columns of the results.
pub fn conversations(report: &Report) -> Table {
    let columns: Vec<&str> = flat().collect();
    let about = "one row per conversation, with the flat columns of results.jsonl";
    let mut table = Table::new(CONVERSATIONS, "Conversations", about, 4, &columns.join(" | "));
    for protocol in &report.protocols {
        for line in report.all(protocol) {
            // a result is serialised elsewhere in the same way
            let value = serde_json::to_value(line).unwrap_or_default();
            table.rows.push(
                flat().map(|name| cell(name, value.get(name).unwrap_or(&Value::Null))).collect(),
            );
        }
    }
    table
}

fn cell(column: &str, value: &Value) -> Cell {
    match value {
        Value::Null => Cell::None,
        Value::Number(n) => match (n.as_u64(), n.as_f64()) {
            (Some(count), _) => Cell::Count(count),
            (None, Some(usd)) if column == "usd" => Cell::Dollars(usd),
            (None, _) => Cell::text(&n.to_string()),
        },
        Value::String(text) => Cell::text(text),
        other => Cell::text(&other.to_string()),
    }
}
