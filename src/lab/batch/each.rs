//! The results as a table with one row per conversation, for programs that do not read JSON lines.

use super::gathered::Report;
use crate::analysis::{Cell, Table};

/// Name of the table. It is not part of the report.
pub const CONVERSATIONS: &str = "conversations";

/// Returns the table with one row per conversation.
pub fn conversations(report: &Report) -> Table {
    let mut table = Table::new(
        CONVERSATIONS,
        "Conversations",
        "one row per conversation; correct is empty if there is no key or no answer",
        2,
        &[
            ("protocol", "protocol"),
            ("item", "item"),
            ("line", "line"),
            ("outcome", "outcome"),
            ("answer", "answer"),
            ("correct", "correct"),
            ("abstained", "abstained"),
            ("calls", "calls"),
            ("tokens", "tokens"),
            ("usd", "money"),
            ("took_ms", "took"),
            ("first_correct", "right at first"),
            ("flips", "changes"),
            ("rescued", "rescued"),
            ("bullied", "bullied"),
            ("session", "session"),
        ],
    );
    for protocol in &report.protocols {
        for line in report.all(protocol) {
            let answered = line.answered.as_ref();
            let of = &line.measured;
            let answer = answered.and_then(|a| a.answer.as_deref());
            let word = |yes: bool| Cell::text(if yes { "yes" } else { "no" });
            table.rows.push(vec![
                Cell::text(protocol),
                Cell::text(&line.item),
                Cell::Count(line.line),
                Cell::text(if line.error.is_some() { "failed" } else { "ended" }),
                answer.map_or(Cell::None, Cell::text),
                line.correct.map_or(Cell::None, word),
                answered.map_or(Cell::None, |a| Cell::Count(u64::from(a.abstained))),
                Cell::Count(of.calls.values().sum()),
                Cell::Count(of.input + of.output),
                of.usd.map_or(Cell::NotPriced, Cell::Dollars),
                Cell::Took(of.ms),
                of.first_correct.map_or(Cell::None, |n| Cell::Count(u64::from(n))),
                Cell::Count(u64::from(of.flips)),
                Cell::Count(of.rescued.len() as u64),
                Cell::Count(of.bullied.len() as u64),
                Cell::text(&line.session),
            ]);
        }
    }
    table
}
