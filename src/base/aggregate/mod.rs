//! Aggregates many answers into one: all ways of counting answers, rankings and scores, with explicit ties.
//!
//! Pure and stateless. An unreadable answer is not a vote.
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use crate::model::answer::{Aggregation, AnswerTie, CountedAnswer, TrajectoryScores};
use crate::model::{SeatId, Text};
use std::collections::BTreeMap;

/// Maximum difference between two weights that count as equal.
const SAME: f64 = 1e-9;

/// The readable answers, rankings and scores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// Answers in the order in which they were given: participant, answer, confidence.
    pub answers: Vec<(SeatId, Text, Option<f64>)>,
    /// All answers of each participant, in order; `None` is an abstention.
    pub trajectories: Vec<Vec<Option<Text>>>,
    /// Rankings, best first: participant, and the ranked participants.
    pub rankings: Vec<(SeatId, Vec<SeatId>)>,
    /// Scores by candidate.
    pub scores: Vec<BTreeMap<Text, f64>>,
    /// Sides that judges found best: several for a draw, empty if no judgement was readable; `None` without a
    /// judgement.
    pub judged: Option<Vec<Text>>,
}

/// The rules of a count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// Rule for a tie.
    pub tie: AnswerTie,
    /// Random number for a tie.
    pub dice: u64,
    /// Bands of confidence as (lower bound, weight), the highest first; without bands, confidence is the weight.
    pub bands: Vec<(f64, f64)>,
    /// Scores over the rounds; `None` without them.
    pub trajectory: Option<TrajectoryScores>,
}

/// Counts in every way for which there is data.
pub fn count(given: &Given, rules: &Rules) -> Vec<CountedAnswer> {
    let ways = Aggregation::ALL.into_iter();
    ways.filter_map(|way| Some(counted(way, weights(way, given, rules)?, rules))).collect()
}

/// Returns the weight of each answer, in the order in which they were given; `None` without data.
fn weights(way: Aggregation, given: &Given, rules: &Rules) -> Option<Vec<(Text, f64)>> {
    let mut sums = Sums::default();
    match way {
        Aggregation::Majority => {
            given.answers.iter().for_each(|(_, answer, _)| sums.add(answer, 1.0))
        }
        Aggregation::Confidence => {
            // with bands, an answer without a confidence is in the lowest one
            let none = if rules.bands.is_empty() { None } else { Some(0.0) };
            let told =
                given.answers.iter().filter_map(|(_, answer, sure)| Some((answer, sure.or(none)?)));
            told.for_each(|(answer, sure)| sums.add(answer, banded(sure, &rules.bands)));
        }
        Aggregation::Borda => {
            let answer = |seat: &SeatId| {
                given.answers.iter().rev().find(|(s, ..)| s == seat).map(|(_, a, _)| a)
            };
            let own = |by: &SeatId, seat: &&SeatId| *seat != by;
            for (by, ranking) in &given.rankings {
                let ranked: Vec<&SeatId> = ranking.iter().filter(|seat| own(by, seat)).collect();
                // a ranking of only the best gives it one point
                let best = ranked.len().saturating_sub(1).max(1);
                for (place, seat) in ranked.into_iter().enumerate() {
                    let points = best.saturating_sub(place) as f64;
                    answer(seat).into_iter().for_each(|answer| sums.add(answer, points));
                }
            }
        }
        Aggregation::Mean => {
            let mut counts: BTreeMap<&Text, u32> = BTreeMap::new();
            for (name, score) in given.scores.iter().flatten() {
                *counts.entry(name).or_default() += 1;
                sums.add(name, *score);
            }
            for (name, sum) in &mut sums.0 {
                *sum /= f64::from(counts.get(name).copied().unwrap_or(1));
            }
        }
        Aggregation::Median => return median(given).map(|answer| vec![(answer, 1.0)]),
        Aggregation::Judge => {
            return given
                .judged
                .clone()
                .map(|won| won.into_iter().map(|side| (side, 1.0)).collect());
        }
        Aggregation::Best => {
            let means =
                counted(Aggregation::Mean, weights(Aggregation::Mean, given, rules)?, rules);
            for (name, score) in &means.weights {
                let by = |(seat, ..): &&(SeatId, Text, Option<f64>)| seat.0 == *name;
                let answer = given.answers.iter().rev().find(by).map(|(_, answer, _)| answer);
                // of equal answers, the best-scored participant counts
                if let Some(answer) =
                    answer.filter(|a| !sums.0.iter().any(|(known, _)| known == *a))
                {
                    sums.add(answer, *score);
                }
            }
        }
        Aggregation::Last => {
            return given.answers.last().map(|(_, answer, _)| vec![(answer.clone(), 1.0)]);
        }
        Aggregation::Trajectory => {
            let scores = rules.trajectory?;
            given.trajectories.iter().for_each(|answers| sums.follow(answers, scores));
        }
    }
    (!sums.0.is_empty()).then_some(sums.0)
}

/// Sums by answer, in order of first appearance.
#[derive(Default)]
struct Sums(Vec<(Text, f64)>);

impl Sums {
    fn add(&mut self, answer: &Text, weight: f64) {
        match self.0.iter_mut().find(|(known, _)| known == answer) {
            Some((_, sum)) => *sum += weight,
            None => self.0.push((answer.clone(), weight)),
        }
    }

    /// Adds the scores of a participant's answers, each divided by the number of its round.
    fn follow(&mut self, answers: &[Option<Text>], scores: TrajectoryScores) {
        let mut before: Option<&Text> = None;
        for (place, answer) in answers.iter().enumerate() {
            let Some(answer) = answer else { continue };
            let part = 1.0 / (place + 1) as f64;
            match before {
                None => self.add(answer, scores.first * part),
                Some(same) if same == answer => self.add(answer, scores.kept * part),
                Some(old) => {
                    self.add(old, -scores.left * part);
                    self.add(answer, scores.adopted * part);
                }
            }
            before = Some(answer);
        }
    }
}

/// Returns the weight of a confidence.
fn banded(sure: f64, bands: &[(f64, f64)]) -> f64 {
    if bands.is_empty() {
        return sure;
    }
    bands.iter().find(|(from, _)| sure >= *from - SAME).map_or(0.0, |(_, counts)| *counts)
}

/// Returns the median of numeric answers; for an even count, the mean of the two in the middle.
fn median(given: &Given) -> Option<Text> {
    let mut numbers: Vec<f64> =
        given.answers.iter().filter_map(|(_, a, _)| a.parse().ok()).collect();
    numbers.sort_by(f64::total_cmp);
    Some(quantile(&numbers, 0.5)?.to_string().into())
}

/// Returns a quantile of sorted numbers, from 0 to 1, by linear interpolation.
pub fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let place = part * sorted.len().checked_sub(1)? as f64;
    let low = sorted.get(place.floor() as usize)?;
    let high = sorted.get(place.ceil() as usize)?;
    Some(low + (high - low) * place.fract())
}

fn counted(by: Aggregation, weights: Vec<(Text, f64)>, rules: &Rules) -> CountedAnswer {
    let most = weights.iter().map(|(_, w)| *w).fold(f64::NEG_INFINITY, f64::max);
    let ahead: Vec<Text> =
        weights.iter().filter(|(_, w)| (w - most).abs() < SAME).map(|(a, _)| a.clone()).collect();
    let answer = match (&ahead[..], rules.tie) {
        ([answer], _) => Some(answer.clone()),
        ([], _) | (_, AnswerTie::None) => None,
        (tied, AnswerTie::First) => tied.first().cloned(),
        (tied, AnswerTie::Random) => {
            let place = rules.dice.checked_rem(tied.len() as u64).unwrap_or(0);
            tied.get(usize::try_from(place).unwrap_or(0)).cloned()
        }
    };
    let tied = if ahead.len() > 1 { ahead } else { vec![] };
    let mut weights = weights;
    weights.sort_by(|a, b| b.1.total_cmp(&a.1));
    CountedAnswer { by, answer, tied, weights }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(all: &[(&str, &str, Option<f64>)]) -> Given {
        let answers =
            all.iter().map(|(seat, answer, sure)| ((*seat).into(), (*answer).into(), *sure));
        Given { answers: answers.collect(), ..Given::default() }
    }

    /// Two seats go from 1 to 2, one stays with 3. For 1: 2 x 20 - 2 x 25 / 2 = 15. For 2: 2 x 30 / 2 = 30. For 3:
    /// 20 + 20 / 2 = 30, and with a third round 20 / 3 more.
    #[test]
    fn trajectory_adds_the_scores_of_all_rounds() {
        let path = |all: &[&str]| all.iter().map(|a| Some((*a).into())).collect::<Vec<_>>();
        let mut given = Given {
            trajectories: vec![path(&["1", "2"]), path(&["1", "2"]), path(&["3", "3"])],
            ..Given::default()
        };
        let rules = Rules { trajectory: Some(TrajectoryScores::default()), ..Rules::default() };
        let found = count(&given, &rules).pop().unwrap();
        assert_eq!(found.by, Aggregation::Trajectory);
        let weights: BTreeMap<&str, f64> = found.weights.iter().map(|(a, w)| (&**a, *w)).collect();
        assert_eq!(weights, BTreeMap::from([("1", 15.0), ("2", 30.0), ("3", 30.0)]));
        assert_eq!(found.answer, None, "a tie");
        given.trajectories[2].push(Some("3".into()));
        given.trajectories[0].push(None);
        let found = count(&given, &rules).pop().unwrap();
        assert_eq!(found.answer.as_deref(), Some("3"));
    }

    #[track_caller]
    fn check(given: &Given, rules: &Rules, by: Aggregation, expected: Option<&str>, tied: &[&str]) {
        let all = count(given, rules);
        let way = all.iter().find(|way| way.by == by).expect("it is counted");
        assert_eq!(
            (way.answer.as_deref(), &way.tied[..].iter().map(|t| &**t).collect::<Vec<_>>()[..]),
            (expected, tied)
        );
    }

    #[test]
    fn a_tie_is_told_and_only_a_rule_breaks_it() {
        let given =
            answers(&[("a", "1", None), ("b", "2", None), ("c", "2", None), ("d", "1", None)]);
        let rules = |tie, dice| Rules { tie, dice, ..Rules::default() };
        check(&given, &rules(AnswerTie::None, 0), Aggregation::Majority, None, &["1", "2"]);
        check(&given, &rules(AnswerTie::First, 0), Aggregation::Majority, Some("1"), &["1", "2"]);
        check(&given, &rules(AnswerTie::Random, 3), Aggregation::Majority, Some("2"), &["1", "2"]);
        check(&given, &rules(AnswerTie::None, 0), Aggregation::Last, Some("1"), &[]);
        let ways: Vec<_> = count(&given, &Rules::default()).iter().map(|w| w.by).collect();
        assert_eq!(
            ways,
            [Aggregation::Majority, Aggregation::Median, Aggregation::Last],
            "nobody said how sure"
        );
    }

    #[test]
    fn confidence_outweighs_numbers_and_bands_are_data() {
        let given =
            answers(&[("a", "x", Some(0.4)), ("b", "x", Some(0.45)), ("c", "y", Some(0.9))]);
        check(&given, &Rules::default(), Aggregation::Majority, Some("x"), &[]);
        check(&given, &Rules::default(), Aggregation::Confidence, Some("y"), &[]);
        let rules = Rules { bands: vec![(0.9, 0.5), (0.0, 0.3)], ..Rules::default() };
        check(&given, &rules, Aggregation::Confidence, Some("x"), &[]);
    }

    #[test]
    fn borda_counts_no_vote_for_oneself() {
        let mut given = answers(&[("a", "1", None), ("b", "2", None), ("c", "3", None)]);
        let ranking = |by: &str, of: &[&str]| (by.into(), of.iter().map(|s| (*s).into()).collect());
        given.rankings = vec![
            ranking("a", &["a", "b", "c"]),
            ranking("b", &["b", "c", "a"]),
            ranking("c", &["b", "a"]),
        ];
        // without its own first place each gives one point: a to b, b to c, c to b
        check(&given, &Rules::default(), Aggregation::Borda, Some("2"), &[]);
        given.rankings = vec![ranking("a", &["c"]), ranking("b", &["c"]), ranking("c", &["a"])];
        check(&given, &Rules::default(), Aggregation::Borda, Some("3"), &[]);
    }

    /// Best-of: the answer of the best-scored participant, however few agree with it.
    #[test]
    fn the_best_scored_answers_for_all() {
        let mut given = answers(&[("a", "1", None), ("b", "2", None), ("c", "2", None)]);
        let score = |a: f64, b: f64| [("a", a), ("b", b)].map(|(n, v)| (n.into(), v)).into();
        given.scores = vec![score(9.0, 4.0), score(7.0, 8.0)];
        check(&given, &Rules::default(), Aggregation::Best, Some("1"), &[]);
        check(&given, &Rules::default(), Aggregation::Majority, Some("2"), &[]);
        given.scores = vec![score(7.0, 7.0)];
        check(&given, &Rules::default(), Aggregation::Best, None, &["1", "2"]);
    }

    #[test]
    fn means_medians_and_judges() {
        let scores = [[("A", 7.0), ("B", 8.0)], [("A", 9.0), ("B", 4.0)]];
        let scores = scores.map(|s| s.into_iter().map(|(n, v)| (n.into(), v)).collect()).to_vec();
        check(
            &Given { scores, ..Given::default() },
            &Rules::default(),
            Aggregation::Mean,
            Some("A"),
            &[],
        );
        let given =
            answers(&[("a", "10", None), ("b", "30", None), ("c", "11", None), ("d", "12", None)]);
        check(&given, &Rules::default(), Aggregation::Median, Some("11.5"), &[]);
        let judged = |sides: &[&str]| Given {
            judged: Some(sides.iter().map(|s| (*s).into()).collect()),
            ..Given::default()
        };
        check(&judged(&[]), &Rules::default(), Aggregation::Judge, None, &[]);
        check(&judged(&["pro"]), &Rules::default(), Aggregation::Judge, Some("pro"), &[]);
        check(
            &judged(&["pro", "con"]),
            &Rules::default(),
            Aggregation::Judge,
            None,
            &["pro", "con"],
        );
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.25), Some(1.5));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
