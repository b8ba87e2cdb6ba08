//! Tokens and money: every turn that called a voice, for any purpose and with any outcome.

use super::subject::total;
use super::{Analysis, Cell, Table, TimedTurn};
use crate::model::{Usd, VoiceSpec};

/// Returns tokens as a cell, with `~` for estimates; empty without a count.
pub(super) fn tokens(count: Option<u64>, estimated: bool) -> Cell {
    match (count, estimated) {
        (None, _) => Cell::None,
        (Some(n), true) => Cell::About(n),
        (Some(n), false) => Cell::Count(n),
    }
}

/// Returns the table of tokens and dollars.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "cost",
        "Tokens and cost",
        "all calls, including votes, failures and replaced versions; `~` marks estimated tokens; totals leave out \
             models without a price",
        1,
        &[
            ("participant", "participant"),
            ("model", "model"),
            ("turns", "turns"),
            ("tokens_in", "in"),
            ("tokens_out", "out"),
            ("usd", "cost"),
            ("not_priced_turns", "calls without a price"),
        ],
    );
    let is_model = |t: &TimedTurn| {
        let voice = analysis.state.seat(&t.seat).map(|s| &s.spec.voice);
        matches!(voice, Some(VoiceSpec::Model(_)))
    };
    let row = |who: String, turns: &[&TimedTurn]| {
        let mut models: Vec<&str> = turns.iter().flat_map(|t| &t.models).map(|m| &**m).collect();
        models.sort_unstable();
        models.dedup();
        let usage = || turns.iter().filter_map(|t| t.usage.as_ref());
        let estimated = usage().any(|u| u.estimated);
        let sum = |n: u64| usage().next().map(|_| n);
        let priced: Vec<Usd> = turns.iter().filter_map(|t| t.cost).collect();
        let unpriced = turns.iter().filter(|t| t.cost.is_none() && is_model(t)).count();
        let cost = match (priced.is_empty(), unpriced) {
            (true, 0) => Cell::None,
            (true, _) => Cell::NotPriced,
            (false, _) => Cell::Dollars(priced.into_iter().sum::<Usd>().into()),
        };
        vec![
            Cell::Text(who),
            Cell::text(&models.join(", ")),
            Cell::Count(turns.len() as u64),
            tokens(sum(total(usage().map(|u| u.input))), estimated),
            tokens(sum(total(usage().map(|u| u.output))), estimated),
            cost,
            Cell::Count(unpriced as u64),
        ]
    };
    table.rows.extend(analysis.asked().into_iter().map(|(who, turns)| row(who, &turns)));
    if let Some(total) = table.rows.last_mut() {
        total[1] = Cell::None;
    }
    table
}
