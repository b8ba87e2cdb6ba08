//! Use of tools by participants: calls, failures, duration.

use super::{Analysis, Cell, Table, name};

/// Returns the table; empty if no tool was used.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "tools",
        "Tools",
        "requests for tools, by participant; an agent's own tools by kind",
        2,
        &[
            ("participant", "participant"),
            ("tool", "tool"),
            ("requests", "requests"),
            ("failed", "failed"),
            ("refused", "refused"),
            ("time", "time"),
        ],
    );
    for ((seat, tool), uses) in analysis.turn_log.tools() {
        let took = if uses.ms == 0 { Cell::None } else { Cell::Took(uses.ms) };
        table.rows.push(vec![
            Cell::text(&name(analysis.state, seat)),
            Cell::text(tool),
            Cell::Count(uses.asked),
            Cell::Count(uses.failed),
            Cell::Count(uses.refused),
            took,
        ]);
    }
    table
}
