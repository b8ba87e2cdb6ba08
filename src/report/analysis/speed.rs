//! Speed and failures of the voices.

use super::subject::total;
use super::{Analysis, Cell, Table, TimedTurn};
use crate::model::Outcome;

/// Returns the table of first tokens, tokens per second, failures and retries.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "speed",
        "Speed, failures, retries",
        "all calls; medians of final attempts; tokens/s without the time to the first token; failures are turns that \
             failed for good",
        1,
        &[
            ("participant", "participant"),
            ("turns", "turns"),
            ("first_piece_ms", "first token"),
            ("first_piece_slowest_ms", "slowest"),
            ("tokens_per_second", "tokens/s"),
            ("voice_ms", "speaking time"),
            ("failures", "failures"),
            ("retries", "retries"),
            ("cut", "cut"),
        ],
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
