//! Turns as calls: their times, the speed and failures of the voices, and the tools that participants use.

use super::subject::total;
use super::{Analysis, Cell, Table, TimedTurn, name};
use crate::model::Outcome;

/// Returns the table of first tokens, tokens per second, failures and retries.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "speed",
        "Speed, failures, retries",
        "all calls; medians of final attempts; tokens/s without the time to the first token; failures are turns that \
             failed for good",
        1,
        "participant | turns: calls | first_piece_ms: first token | first_piece_slowest_ms: slowest | \
         tokens_per_second: tokens/s | voice_ms: speaking time | failures | retries | cut",
    );
    let row = |who: String, turns: &[&TimedTurn]| {
        let first: Vec<u64> = turns.iter().filter_map(|t| t.first_piece_ms).collect();
        let rates: Vec<f64> = turns.iter().filter_map(|t| rate(t)).collect();
        let count = |f: &dyn Fn(&TimedTurn) -> bool| turns.iter().filter(|t| f(t)).count() as u64;
        vec![
            Cell::Text(who),
            Cell::Count(turns.len() as u64),
            median(first.clone(), u64::cmp).map_or(Cell::None, Cell::Took),
            first.into_iter().max().map_or(Cell::None, Cell::Took),
            median(rates, f64::total_cmp).map_or(Cell::None, Cell::Rate),
            Cell::Took(total(turns.iter().map(|t| t.took_ms))),
            Cell::Count(count(&|t| t.outcome == Outcome::Failed)),
            Cell::Count(turns.iter().map(|t| u64::from(t.retries)).sum()),
            Cell::Count(count(&|t| t.outcome == Outcome::Cut)),
        ]
    };
    table.rows.extend(analysis.asked().into_iter().map(|(who, turns)| row(who, &turns)));
    table
}

/// Returns tokens per second after the first piece; `None` if the server reported no tokens.
fn rate(turn: &TimedTurn) -> Option<f64> {
    let tokens = turn.usage.as_ref().filter(|u| u.output > 0)?.output;
    let ms = turn.took_ms.checked_sub(turn.first_piece_ms?).filter(|ms| *ms > 0)?;
    Some(tokens as f64 * 1000.0 / ms as f64)
}

fn median<T: Copy>(mut values: Vec<T>, order: impl Fn(&T, &T) -> std::cmp::Ordering) -> Option<T> {
    values.sort_by(order);
    values.get(values.len() / 2).copied()
}

/// Returns the table; empty if no tool was used.
pub fn tools(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "tools",
        "Tools",
        "requests for tools, by participant; an agent's own tools by kind",
        2,
        "participant | tool | requests | failed | refused | time",
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

/// Returns the table: one row per turn.
pub fn floor(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "floor",
        "Turns",
        "one row per turn, with its start",
        1,
        "utterance: no. | participant | at_ms: at | floor_ms: time | words | tokens_out: tokens | \
         alternatives: versions | cut",
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
