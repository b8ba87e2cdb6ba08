//! The results of a batch under analysis, and the denominators of its statistics.
//!
//! The outcome is the share of right answers among all conversations that *ended* without a failure and have a key: ties
//! and unreadable answers are wrong. *Scored* conversations gave a readable answer, or a tie. With too many unreadable
//! answers the score is withheld.

use super::arm::BatchFile;
use super::file::{BadResult, open_results};
use super::results::{ResultLine, ResultOutcome};
use crate::stats::{Clusters, wilson};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

/// Results of an arm by item, seed and repetition.
type ArmResults = BTreeMap<(String, Option<u64>, u32), ResultLine>;

/// Results under analysis.
#[derive(Default)]
pub struct Report {
    /// Names of the arms with results, in the order of `batch.json`; unlisted ones follow by first appearance.
    pub(super) protocols: Vec<String>,
    of: BTreeMap<String, ArmResults>,
    /// True if several conversations of an arm belong to one item or group.
    pub(super) is_clustered: bool,
    /// Numbers of the lines that could not be read.
    pub damaged: Vec<u64>,
    /// Conversations that count.
    rules: ReportRules,
    /// Tests that the conclusions correct for.
    pub family: TestFamily,
    /// Arms and runs, as the batch noted them.
    pub made: BatchFile,
}

/// TestFamily of tests that share a correction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TestFamily {
    /// The examined arm against its baselines; without baselines, the first arm against the others.
    #[default]
    Baselines,
    /// Every other arm against the one with this name.
    Against(String),
    /// All pairs of arms.
    AllPairs,
}

/// Rules of a report for conversations with flaws.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportRules {
    /// Share of conversations without an answer above which a score is withheld, from 0 to 1.
    pub unread_most: f64,
    /// True if conversations count whose prompts left out a part of the conversation.
    pub with_truncated: bool,
}

impl Report {
    /// Reads a results file.
    pub fn read(path: &Path, rules: ReportRules) -> io::Result<Report> {
        // results are readable without their list of arms, or with a damaged one
        let made = BatchFile::read(&BatchFile::path(path)).ok().flatten().unwrap_or_default();
        let mut report = Report { rules, made, ..Report::default() };
        for line in open_results(path)? {
            match line {
                Ok(mut line) => {
                    if !report.protocols.contains(&line.arm) {
                        report.protocols.push(line.arm.clone());
                    }
                    // the individual answers are not needed, and are most of a line
                    line.measured.rounds.iter_mut().for_each(|round| round.answers.clear());
                    let protocol = report.of.entry(line.arm.clone()).or_default();
                    protocol.insert((line.item.clone(), line.seed, line.repeat), line);
                }
                Err(BadResult::Damaged(number)) => report.damaged.push(number),
                Err(BadResult::Io(e)) => return Err(e),
            }
        }
        report.is_clustered = report.of.values().any(|of| {
            let clusters: BTreeSet<&str> = of.values().map(cluster).collect();
            clusters.len() < of.len()
        });
        let scenario = Path::new(&report.made.scenario).file_stem().unwrap_or_default();
        let arms = &report.made.arms;
        // the sort is stable
        report.protocols.sort_by_key(|name| match arms.iter().position(|arm| arm.name == *name) {
            Some(at) => at,
            None if arms.is_empty() && scenario == name.as_str() => 0,
            None => arms.len() + 1,
        });
        Ok(report)
    }

    /// Returns the names of the arms with results, in order.
    pub fn arms(&self) -> &[String] {
        &self.protocols
    }

    /// Returns whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.protocols.is_empty()
    }

    /// Returns all results of an arm.
    pub fn all(&self, protocol: &str) -> impl Iterator<Item = &ResultLine> {
        self.of.get(protocol).into_iter().flat_map(|of| of.values())
    }

    pub(super) fn ended(&self, protocol: &str) -> impl Iterator<Item = &ResultLine> {
        self.all(protocol).filter(|line| self.counts(line))
    }

    /// Returns whether a conversation ended without a failure, with whole prompts.
    pub(super) fn counts(&self, line: &ResultLine) -> bool {
        line.outcome == ResultOutcome::Ended && !self.excludes(line)
    }

    /// Returns whether a conversation does not count because its prompts left out a part of it.
    pub(super) fn excludes(&self, line: &ResultLine) -> bool {
        line.truncated > 0 && !self.rules.with_truncated
    }

    /// Returns the conversations that ended with a key, each with whether its answer is right. A tie and an unreadable
    /// answer are wrong: otherwise a protocol would gain by abstaining.
    pub(super) fn judged(&self, protocol: &str) -> impl Iterator<Item = (&ResultLine, bool)> {
        self.ended(protocol).filter_map(|line| Some((line, line.correct?)))
    }

    /// Returns the part of [`Report::judged`] that gave a readable answer or a tie.
    pub(super) fn scored(&self, protocol: &str) -> impl Iterator<Item = (&ResultLine, bool)> {
        self.judged(protocol).filter(|(line, _)| line.scored)
    }

    /// Returns the share of right majorities after each round, by protocol, over conversations with a key. A shorter
    /// conversation counts with its last round.
    pub(super) fn curves(&self) -> Vec<(&str, Vec<f64>)> {
        let curve = |protocol: &String| {
            let keyed = || self.ended(protocol).filter(|line| line.key.is_some());
            let most = keyed().map(|line| line.measured.rounds.len()).max().unwrap_or(0);
            let share = |at: usize| {
                let last = keyed().filter_map(|line| {
                    let rounds = &line.measured.rounds;
                    rounds.get(at).or(rounds.last())
                });
                let (all, right) = last.fold((0, 0), |(all, right), round| {
                    (all + 1, right + u32::from(round.correct == Some(true)))
                });
                f64::from(right) / f64::from(all.max(1))
            };
            (0..most).map(share).collect()
        };
        self.protocols.iter().map(|protocol| (protocol.as_str(), curve(protocol))).collect()
    }

    /// Returns the conversations of an arm with their numbers among those on the same item, from 0: conversations of two
    /// arms with the same number are compared.
    pub(super) fn numbered(&self, arm: &str) -> impl Iterator<Item = (usize, &ResultLine)> {
        let mut before: Option<(&str, usize)> = None;
        self.all(arm).map(move |line| {
            let at = match before {
                Some((item, at)) if item == line.item => at + 1,
                _ => 0,
            };
            before = Some((&line.item, at));
            (at, line)
        })
    }

    /// Returns the accuracy of an arm with its 95 % interval: Wilson's, or the bootstrap over items that were repeated.
    /// `None` without a conversation that ended with a key.
    pub fn accuracy_of(&self, arm: &str) -> Option<Estimate> {
        let value = |right: bool| if right { 1.0 } else { 0.0 };
        let values = self.judged(arm).map(|(line, right)| (cluster(line), value(right)));
        let clusters = Clusters::new(values);
        let mean = clusters.mean()?;
        let exact = |n: usize| wilson((mean * n as f64).round() as u32, small(n));
        let ends = if self.is_clustered { clusters.bootstrap() } else { None };
        let (low, high) = match ends {
            Some((low, high)) if low < high => (low, high),
            // all samples of equal clusters are equal, which is no certainty
            Some(_) => exact(clusters.len()),
            None => exact(self.judged(arm).count()),
        };
        Some((mean, low, high))
    }

    /// Returns the accuracy of each protocol with its interval, for charts; `None` if it is withheld or missing.
    pub(super) fn bars(&self) -> Vec<(&str, Option<Estimate>)> {
        let bar = |protocol: &String| match self.withheld(protocol) {
            None => self.accuracy_of(protocol),
            Some(_) => None,
        };
        self.protocols.iter().map(|protocol| (protocol.as_str(), bar(protocol))).collect()
    }

    /// Returns the reason for which the score of a protocol is withheld: nothing to score, or too many answers or
    /// judgements that could not be read.
    pub(super) fn withheld(&self, protocol: &str) -> Option<String> {
        let ended = self.ended(protocol).filter(|line| line.key.is_some()).count();
        let scored = self.scored(protocol).count();
        let judged = self.ended(protocol).map(|line| &line.measured.judgements);
        let (read, unread) =
            judged.fold((0, 0), |sum, j| (sum.0 + j.read as usize, sum.1 + j.unread as usize));
        let most = self.rules.unread_most;
        let too_many = |part: usize, all: usize, what: &str| {
            let exceeds = part > 0 && part as f64 / all as f64 > most;
            exceeds.then(|| {
                let most = most * 100.0;
                format!(
                    "{part} of {all} {what} could not be read, more than {most:.0} % (--max-unread)"
                )
            })
        };
        if ended == 0 {
            return Some("no conversation with a key ended without a failure".into());
        }
        too_many(ended - scored, ended, "answers")
            .or_else(|| too_many(unread, read + unread, "judgements"))
    }
}

/// Returns the cluster of a conversation: the group of its item, or the item.
pub(super) fn cluster(line: &ResultLine) -> &str {
    line.group.as_deref().unwrap_or(&line.item)
}

/// A share with the low and high ends of its interval.
pub type Estimate = (f64, f64, f64);

/// Converts a count for the statistics functions, saturating at `u32::MAX`.
pub(super) fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
