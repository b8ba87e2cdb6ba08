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
        "participant | model | turns: calls | tokens_in: in | tokens_out: out | usd: cost | \
         not_priced_turns: calls without a price",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::TurnLog;
    use crate::model::payload::{BatchOpened, CallStarted, FloorGranted, Opened, TurnEnded};
    use crate::model::{Event, FailureRule, Kind, Ms, Seq, ThreadId, Timeouts, Wall};
    use serde_json::{Value, json};

    fn event<T: serde::de::DeserializeOwned>(seq: u64, data: Value) -> Event
    where
        Kind: From<T>,
    {
        let kind = serde_json::from_value::<T>(data).expect("the data of an event").into();
        let (seq, ms) = (Seq(seq), Ms(seq));
        Event {
            seq,
            at: Wall(0),
            ms,
            thread: ThreadId::ROOT,
            by: "engine".into(),
            cause: None,
            kind,
        }
    }

    #[test]
    fn one_call_for_the_bids_of_several_seats_is_charged_to_none_of_them() {
        let seat = |id: &str| {
            json!({"id": id, "name": id, "voice": {"lines": {"lines": [], "pace": 0}},
                "timeouts": Timeouts::default(), "on_failure": FailureRule::default()})
        };
        let opened = json!({"format": 1, "program": "p", "seed": 1, "rehearsed": false, "scenario": {}, "parallel": 1,
            "participants": [seat("ada"), seat("bo")]});
        let mut events = vec![event::<Box<Opened>>(0, opened)];
        for (purpose, options) in
            [("bid", json!(["ada", "bo"])), ("bid", json!([])), ("speak", json!([]))]
        {
            let seq = events.len() as u64;
            let usage = json!({"input": 10 * seq, "output": 1});
            events.push(event::<BatchOpened>(
                seq,
                json!({"for": "policy", "purpose": purpose, "seats": ["ada"], "why": "w", "options": options}),
            ));
            events
                .push(event::<FloorGranted>(seq + 1, json!({"batch": seq, "participant": "ada"})));
            events.push(event::<CallStarted>(
                seq + 2,
                json!({"turn": seq + 1, "model": "m", "digest": ""}),
            ));
            events.push(event::<Box<TurnEnded>>(
                seq + 3,
                json!({"turn": seq + 1, "call": seq + 2, "purpose": purpose, "outcome": "said", "usage": usage}),
            ));
        }
        let (state, turn_log): (_, TurnLog) = crate::analysis::fold(&events);
        let analysis = Analysis { state: &state, turn_log: &turn_log, from: Seq(0) };
        let rows: Vec<String> = (table(&analysis).rows.iter())
            .map(|row| [0, 2, 3].map(|n| row[n].shown()).join(" "))
            .collect();
        assert_eq!(rows, ["ada 2 140", "bids of all 1 10", "total 3 150"]);
    }
}
