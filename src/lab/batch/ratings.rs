//! Bradley-Terry ratings: strengths of protocols over the items, and a leaderboard of models that debated each other.

use super::compared::{Outcomes, outcomes};
use super::gathered::{Report, cluster, small};
use super::results::ResultLine;
use crate::analysis::{Cell, Table};
use crate::stats::{bradley_terry, percentiles, sample, wilson};
use std::collections::BTreeMap;

/// Number of bootstrap samples of items for the intervals of strengths.
const DRAWS: u64 = 400;
/// Rating of the average model.
const AVERAGE: f64 = 1000.0;
/// Points of a rating by which the odds of winning are ten times as high.
const TENFOLD: f64 = 400.0;

/// Wins of each over each other, by cluster of items.
struct Contests {
    clusters: BTreeMap<String, Vec<Vec<f64>>>,
    n: usize,
}

/// Strength in log-odds against the average, with its 95 % interval.
#[derive(Clone, Copy, Debug)]
struct Strength {
    value: f64,
    low: f64,
    high: f64,
}

impl Contests {
    fn new(n: usize) -> Contests {
        Contests { clusters: BTreeMap::new(), n }
    }

    /// Adds a win, or a part of one.
    fn add(&mut self, cluster: &str, winner: usize, loser: usize, part: f64) {
        let n = self.n;
        let wins = self.clusters.entry(cluster.to_owned());
        let wins = wins.or_insert_with(|| vec![vec![0.0; n]; n]);
        if let Some(won) = wins.get_mut(winner).and_then(|row| row.get_mut(loser)) {
            *won += part;
        }
    }

    /// Returns the strengths with bootstrap intervals over clusters; `None` without two of them or without a win.
    fn strengths(&self) -> Option<Vec<Strength>> {
        let clusters: Vec<&Vec<Vec<f64>>> = self.clusters.values().collect();
        let wins = sum(clusters.iter().copied(), self.n);
        if self.n < 2 || wins.iter().flatten().all(|won| *won == 0.0) {
            return None;
        }
        let draw = |draw| bradley_terry(&sum(sample(&clusters, draw).copied(), self.n));
        let drawn: Vec<Vec<f64>> = (0..DRAWS).map(draw).collect();
        let strength = |(at, value): (usize, f64)| {
            let mut all: Vec<f64> = drawn.iter().filter_map(|d| d.get(at).copied()).collect();
            all.sort_by(f64::total_cmp);
            let (low, high) = percentiles(&all)?;
            Some(Strength { value, low, high })
        };
        bradley_terry(&wins).into_iter().enumerate().map(strength).collect()
    }
}

fn sum<'a>(all: impl Iterator<Item = &'a Vec<Vec<f64>>>, n: usize) -> Vec<Vec<f64>> {
    let mut wins = vec![vec![0.0; n]; n];
    for one in all {
        for (sum, won) in wins.iter_mut().flatten().zip(one.iter().flatten()) {
            *sum += won;
        }
    }
    wins
}

/// Returns the probability of winning against the other.
fn chance(one: f64, other: f64) -> f64 {
    1.0 / (1.0 + (other - one).exp())
}

/// Returns the table of Bradley-Terry strengths over all pairs of protocols.
pub(super) fn strengths(report: &Report) -> Table {
    let mut table = Table::new(
        "strengths",
        "Strength over all pairs",
        "Bradley-Terry over items that only one got right: log-odds against the average, 95 % bootstrap interval",
        1,
        "protocol | wins | losses | strength | low: from | high: to | chance",
    );
    // a protocol without a score is not compared
    let is_scored = |name: &&String| report.withheld(name).is_none();
    let names: Vec<&String> = report.protocols.iter().filter(is_scored).collect();
    let of: Vec<Outcomes<'_>> = names.iter().map(|name| outcomes(report, name)).collect();
    let mut contests = Contests::new(names.len());
    for (one, mine) in of.iter().enumerate() {
        for (place, (cluster, right)) in mine {
            for (other, theirs) in of.iter().enumerate() {
                let beats = *right && theirs.get(place).is_some_and(|(_, right)| !right);
                // a cluster without a win is part of the samples
                contests.add(cluster, one, other, if beats { 1.0 } else { 0.0 });
            }
        }
    }
    let wins = sum(contests.clusters.values(), names.len());
    let Some(strengths) = contests.strengths() else { return table };
    for (at, (name, strength)) in names.iter().zip(strengths).enumerate() {
        let won: f64 = wins.get(at).into_iter().flatten().sum();
        let lost: f64 = wins.iter().filter_map(|row| row.get(at)).sum();
        table.rows.push(vec![
            Cell::text(name),
            Cell::Count(won as u64),
            Cell::Count(lost as u64),
            Cell::Difference(strength.value, 2),
            Cell::Difference(strength.low, 2),
            Cell::Difference(strength.high, 2),
            Cell::Share(chance(strength.value, 0.0)),
        ]);
    }
    table
}

/// A debate of two models.
pub(super) struct Game<'a> {
    /// Models by side, in the order of the sides.
    pub models: [&'a str; 2],
    /// Index of the winner; `None` in a tie.
    pub winner: Option<usize>,
    /// Result of the conversation.
    pub line: &'a ResultLine,
}

/// Returns the games of all arms with two sides. All judgements name the same side, or the game is a tie.
pub(super) fn games(report: &Report) -> Vec<Game<'_>> {
    let mut all = vec![];
    for arm in &report.made.arms {
        let [one, other] = &arm.sides[..] else { continue };
        let sides = [one, other];
        for line in report.ended(&arm.name) {
            let judged = &line.measured.judgements;
            let is_clear = judged.unread == 0 && judged.won.len() == 1;
            let winner = sides.iter().position(|side| judged.won.contains_key(&side.name));
            let winner = if is_clear { winner } else { None };
            all.push(Game { models: sides.map(|side| side.model.as_str()), winner, line });
        }
    }
    all
}

/// Returns the leaderboard of models, and the shares of the first side and of the side shown first.
pub(super) fn leaderboard(report: &Report) -> Vec<Table> {
    let mut board = Table::new(
        "leaderboard",
        "Leaderboard",
        "won if every judgement names the same side; Elo with a 95 % bootstrap interval over items",
        1,
        "model | games | won | tied | elo: Elo | low: from | high: to | chance: against the next",
    );
    let games = games(report);
    let mut names: Vec<&str> = games.iter().flat_map(|game| game.models).collect();
    names.sort_unstable();
    names.dedup();
    let at = |model: &str| names.iter().position(|name| *name == model).unwrap_or_default();
    let mut contests = Contests::new(names.len());
    for Game { models: [one, other], winner, line } in &games {
        let won = [1.0, 0.5, 0.0].get(winner.map_or(1, |side| side * 2)).copied().unwrap_or(0.5);
        contests.add(cluster(line), at(one), at(other), won);
        contests.add(cluster(line), at(other), at(one), 1.0 - won);
    }
    let mut rated: Vec<(&str, Strength)> =
        names.iter().copied().zip(contests.strengths().unwrap_or_default()).collect();
    rated.sort_by(|(_, a), (_, b)| b.value.total_cmp(&a.value));
    let elo = |value: f64| Cell::Decimal(AVERAGE + TENFOLD * value / std::f64::consts::LN_10, 0);
    for (place, (model, strength)) in rated.iter().enumerate() {
        let own = || games.iter().filter(|game| game.models.contains(model));
        let won = own().filter(|g| g.winner.and_then(|w| g.models.get(w)) == Some(model));
        let next = rated.get(place + 1);
        board.rows.push(vec![
            Cell::text(model),
            Cell::Count(own().count() as u64),
            Cell::Count(won.count() as u64),
            Cell::Count(own().filter(|game| game.winner.is_none()).count() as u64),
            elo(strength.value),
            elo(strength.low),
            elo(strength.high),
            next.map_or(Cell::None, |(_, next)| Cell::Share(chance(strength.value, next.value))),
        ]);
    }
    vec![board, leanings(&games)]
}

/// Returns the table of the advantages that are not the models'.
fn leanings(games: &[Game<'_>]) -> Table {
    let mut table = Table::new(
        "sides",
        "Sides",
        "half is unbiased; 95 % Wilson intervals",
        1,
        "about | of | share | low: from | high: to",
    );
    let decided = games.iter().filter(|game| game.winner.is_some()).count();
    let first = games.iter().filter(|game| game.winner == Some(0)).count();
    let judged = |of: fn(&Game<'_>) -> u32| games.iter().map(of).sum::<u32>() as usize;
    let shown = judged(|game| game.line.measured.judgements.first_side);
    let read = judged(|game| game.line.measured.judgements.read);
    for (about, part, all) in [
        ("games won by the first side", first, decided),
        ("judgements for the side shown first", shown, read),
    ] {
        let (low, high) = wilson(small(part), small(all));
        table.rows.push(vec![
            Cell::text(about),
            Cell::Count(all as u64),
            Cell::share(part as u64, all as u64),
            Cell::Share(low),
            Cell::Share(high),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::mixed;

    /// A random number from 0 to 1.
    fn dice(n: u64) -> f64 {
        (mixed(n) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Three models of known strength, 40 items, each pair on both sides: the intervals hold the strengths.
    #[test]
    fn intervals_hold_the_strengths_of_simulated_models() {
        let truth = [0.6, 0.0, -0.6];
        let mut held = [0; 3];
        for run in 0..40u64 {
            let mut contests = Contests::new(3);
            for item in 0..40u64 {
                for (game, (one, other)) in
                    [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)].into_iter().enumerate()
                {
                    let n = run << 20 | item << 8 | game as u64;
                    let wins = dice(n) < chance(truth[one], truth[other]);
                    let (winner, loser) = if wins { (one, other) } else { (other, one) };
                    contests.add(&item.to_string(), winner, loser, 1.0);
                }
            }
            for (at, strength) in contests.strengths().unwrap().into_iter().enumerate() {
                let inside = (strength.low..=strength.high).contains(&truth[at]);
                held[at] += u32::from(inside);
            }
        }
        assert!(held.iter().all(|held| *held >= 35), "{held:?}");
    }
}
