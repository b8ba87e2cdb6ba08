//! Answers round by round, for replies with a readable answer.

use super::{Analysis, Cell, Table};
use crate::state::{State, Stated};
use crate::stats::effective;
use crate::text::{KnownTrigrams, Trigrams};
use std::collections::BTreeMap;

/// Everybody's answers after a round.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRound {
    /// The last answers by participant; `None` is an abstention.
    pub answers: BTreeMap<String, Option<String>>,
    /// The most common answer; `None` for a tie.
    pub majority: Option<String>,
    /// Share of all asked participants that gave the most common answer.
    pub agreement: f64,
    /// Effective number of answers: the number of equally frequent answers with the same diversity.
    pub effective: f64,
    /// Share of three-word sequences that are new in the conversation, over the replies of the round.
    pub novelty: f64,
    /// Number of participants who changed their answer in this round.
    pub changed: u64,
}

/// Returns every round in which answers were given.
pub fn answer_rounds(state: &State, stated: &[Stated]) -> Vec<AnswerRound> {
    let most = stated.iter().map(|s| s.nth).max().unwrap_or(0);
    let mut said = KnownTrigrams::default();
    let mut before: BTreeMap<String, Option<String>> = BTreeMap::new();
    let round = |nth: u32| {
        let mut last: BTreeMap<String, Option<String>> = BTreeMap::new();
        for given in stated.iter().filter(|s| s.nth <= nth) {
            last.insert(given.seat.to_string(), given.answer.as_ref().map(ToString::to_string));
        }
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        last.values().flatten().for_each(|a| *counts.entry(a).or_default() += 1.0);
        let best = counts.values().copied().fold(0.0, f64::max);
        let mut ahead = counts.iter().filter(|(_, n)| **n == best).map(|(answer, _)| *answer);
        let first = ahead.next();
        let is_tied = ahead.next().is_some();
        let majority = if is_tied { None } else { first.map(str::to_owned) };
        let texts = stated.iter().filter(|s| s.nth == nth).filter_map(|s| {
            let entry = state.entries.iter().find(|e| e.version().turn == Some(s.turn))?;
            Some(Trigrams::new(entry.text()))
        });
        let texts: Vec<Trigrams> = texts.collect();
        let new: f64 = texts.iter().map(|t| said.novelty(t)).sum();
        texts.iter().for_each(|t| said.add(t));
        let turned = |(seat, answer): &(&String, &Option<String>)| {
            answer.is_some() && before.get(*seat).is_some_and(|b| b.is_some() && b != *answer)
        };
        let changed = last.iter().filter(turned).count() as u64;
        before.clone_from(&last);
        AnswerRound {
            majority,
            agreement: best / last.len().max(1) as f64,
            effective: effective(counts.values().copied()),
            novelty: new / texts.len().max(1) as f64,
            changed,
            answers: last,
        }
    };
    (1..=most).map(round).collect()
}

/// Returns the table of answers; empty if no answers are asked for.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "answers",
        "Answers by round",
        "after each round: the most common answer, its share, the effective number of different answers, how many \
         changed theirs or gave none that can be read, and the share of new trigrams",
        1,
        "round | majority | agreement | effective: answers | changed | abstained | novelty: new",
    );
    let stated: Vec<Stated> =
        analysis.state.stated().into_iter().filter(|s| s.turn.0 >= analysis.from.0).collect();
    for (at, round) in answer_rounds(analysis.state, &stated).into_iter().enumerate() {
        table.rows.push(vec![
            Cell::Count(at as u64 + 1),
            round.majority.as_deref().map_or(Cell::None, Cell::text),
            Cell::Share(round.agreement),
            Cell::Decimal(round.effective, 1),
            Cell::Count(round.changed),
            Cell::Count(round.answers.values().filter(|a| a.is_none()).count() as u64),
            Cell::Share(round.novelty),
        ]);
    }
    table
}
