//! Timeline of the floor: the times of all turns.

use super::{Analysis, Cell, Table, TimedTurn, name};
use crate::model::Outcome;

/// Returns the table: one row per turn.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "floor",
        "Turns",
        "one row per turn, with its start",
        1,
        &[
            ("utterance", "no."),
            ("participant", "participant"),
            ("at_ms", "at"),
            ("floor_ms", "time"),
            ("words", "words"),
            ("tokens_out", "tokens"),
            ("alternatives", "versions"),
            ("cut", "cut"),
        ],
    );
    // parallel turns do not end in order
    let mut all: Vec<_> = analysis.utterances().collect();
    all.sort_by_key(|(entry, _)| entry.number);
    for (entry, spent) in all {
        let usage = spent.and_then(|s| s.usage.as_ref());
        let cut = spent.filter(|s| s.outcome == Outcome::Cut).map(|s| s.why);
        table.rows.push(vec![
            Cell::Count(u64::from(entry.number.unwrap_or(0))),
            entry.seat().map_or(Cell::None, |seat| Cell::Text(name(analysis.state, seat))),
            spent.map_or(Cell::None, |s| Cell::At(s.granted.0)),
            spent.map_or(Cell::None, |s| Cell::Took(s.ended.since(s.granted))),
            Cell::Count(u64::from(TimedTurn::words_of(entry, spent))),
            super::cost::tokens(usage.map(|u| u.output), usage.is_some_and(|u| u.estimated)),
            Cell::Count(entry.versions.len() as u64),
            cut.map_or(Cell::None, |why| Cell::text(super::events::cut(why))),
        ]);
    }
    table
}
