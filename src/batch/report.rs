//! Tables over the results of a batch: who was right how often, at what price, and what the rounds changed.
//!
//! Three denominators have names: *all* conversations, those *ended* without a failure, and those *scored*, which also
//! gave an answer that could be read. What cannot be read is never counted as right, nor drawn at random; where there is
//! too much of it, the score is withheld.

use super::results::{ResultLine, ResultOutcome, lines};
use crate::analysis::{Cell, Table};
use crate::model::Aggregation;
use crate::stats::{bootstrap, wilson};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::Path;

/// The share of conversations without an answer above which a score is withheld.
pub const UNREAD_MOST: f64 = 0.2;

/// A result, reduced to what the tables need.
struct Kept {
    line: ResultLine,
}

/// The results under analysis.
#[derive(Default)]
pub struct Report {
    /// Protocols in the order in which they came up.
    protocols: Vec<String>,
    /// Results by protocol, then by item.
    of: BTreeMap<String, BTreeMap<String, Kept>>,
    /// Lines that could not be read.
    pub damaged: Vec<u64>,
    /// The share without an answer above which a score is withheld.
    unread_most: f64,
}

impl Report {
    /// Reads a file of results; `unread_most` is the largest share, from 0 to 1, of unreadable answers.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn read(path: &Path, unread_most: f64) -> io::Result<Report> {
        let mut report = Report { unread_most, ..Report::default() };
        for line in lines(File::open(path)?) {
            match line {
                Ok(mut line) => {
                    if !report.protocols.contains(&line.protocol) {
                        report.protocols.push(line.protocol.clone());
                    }
                    // the answers of each are not needed, and are most of a line
                    line.measured.rounds.iter_mut().for_each(|round| round.answers.clear());
                    let protocol = report.of.entry(line.protocol.clone()).or_default();
                    protocol.insert(line.item.clone(), Kept { line });
                }
                Err(number) => report.damaged.push(number),
            }
        }
        Ok(report)
    }

    /// Returns whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.protocols.is_empty()
    }

    fn all(&self, protocol: &str) -> impl Iterator<Item = &ResultLine> {
        self.of.get(protocol).into_iter().flat_map(|of| of.values()).map(|kept| &kept.line)
    }

    fn ended(&self, protocol: &str) -> impl Iterator<Item = &ResultLine> {
        self.all(protocol).filter(|line| line.outcome == ResultOutcome::Ended)
    }

    fn scored(&self, protocol: &str) -> impl Iterator<Item = (&ResultLine, bool)> {
        self.ended(protocol).filter_map(|line| Some((line, line.correct?)))
    }

    /// Returns whether too many conversations of a protocol gave no answer.
    fn withheld(&self, protocol: &str) -> bool {
        let ended = self.ended(protocol).filter(|line| line.key.is_some()).count();
        let scored = self.scored(protocol).count();
        ended == 0 || (ended - scored) as f64 / ended as f64 > self.unread_most
    }

    /// Returns every table, in the order of the report.
    pub fn tables(&self) -> Vec<Table> {
        vec![
            self.accuracy(),
            self.pairs(),
            self.rounds(),
            self.turns(),
            self.ways(),
            self.costs(),
            self.judges(),
            self.failures(),
        ]
    }

    fn accuracy(&self) -> Table {
        let mut table = Table::new(
            "accuracy",
            "Accuracy",
            "all: every conversation; ended: finished without a failure; scored: also gave a readable answer. Accuracy is the \
             share of correct answers among these, with a 95 % Wilson interval; `of all` counts no answer as wrong; \
             withheld if more than --max-unread of the conversations with a key gave no answer",
            1,
            &[
                ("protocol", "protocol"),
                ("all", "all"),
                ("ended", "ended"),
                ("scored", "scored"),
                ("right", "right"),
                ("accuracy", "accuracy"),
                ("low", "from"),
                ("high", "to"),
                ("of_all", "of all"),
            ],
        );
        for protocol in &self.protocols {
            let (all, ended) = (self.all(protocol).count(), self.ended(protocol).count());
            let scored = self.scored(protocol).count();
            let right = self.scored(protocol).filter(|(_, right)| *right).count();
            let (low, high) = wilson(small(right), small(scored));
            let score = |cell: Cell| match (scored, self.withheld(protocol)) {
                (0, _) => Cell::None,
                (_, true) => Cell::text("withheld"),
                (_, false) => cell,
            };
            table.rows.push(vec![
                Cell::text(protocol),
                Cell::Count(all as u64),
                Cell::Count(ended as u64),
                Cell::Count(scored as u64),
                Cell::Count(right as u64),
                score(percent(right, scored)),
                score(fine(low)),
                score(fine(high)),
                if scored == 0 { Cell::None } else { percent(right, all) },
            ]);
        }
        table
    }

    fn pairs(&self) -> Table {
        let mut table = Table::new(
            "pairs",
            "Who beat whom",
            "items that both scored: difference in accuracy (percentage points), with a 95 % interval from a paired \
             bootstrap, and the items that only one got right; a difference counts if its interval excludes 0",
            2,
            &[
                ("protocol", "protocol"),
                ("other", "against"),
                ("items", "items"),
                ("difference", "difference"),
                ("low", "from"),
                ("high", "to"),
                ("won", "right alone"),
                ("lost", "other alone"),
            ],
        );
        let right = |protocol: &str| -> BTreeMap<&str, bool> {
            self.scored(protocol).map(|(line, right)| (line.item.as_str(), right)).collect()
        };
        for (i, one) in self.protocols.iter().enumerate() {
            let mine = right(one);
            for other in self.protocols.iter().skip(i + 1) {
                let theirs = right(other);
                let both: Vec<(bool, bool)> =
                    mine.iter().filter_map(|(item, a)| Some((*a, *theirs.get(item)?))).collect();
                let number = |right: bool| if right { 1.0 } else { 0.0 };
                let differences: Vec<f64> =
                    both.iter().map(|(a, b)| number(*a) - number(*b)).collect();
                let Some((low, high)) = bootstrap(&differences) else { continue };
                let mean = differences.iter().sum::<f64>() / differences.len() as f64;
                let points = |value: f64| Cell::Text(format!("{:+.1}", value * 100.0));
                table.rows.push(vec![
                    Cell::text(one),
                    Cell::text(other),
                    Cell::Count(both.len() as u64),
                    points(mean),
                    points(low),
                    points(high),
                    Cell::Count(both.iter().filter(|(a, b)| *a && !b).count() as u64),
                    Cell::Count(both.iter().filter(|(a, b)| !a && *b).count() as u64),
                ]);
            }
        }
        table
    }

    fn rounds(&self) -> Table {
        let mut table = Table::new(
            "rounds",
            "Round by round",
            "after each round: how often the majority was right, how many agreed with it, the effective number of \
             answers, and the share of new three-word sequences",
            2,
            &[
                ("protocol", "protocol"),
                ("round", "round"),
                ("conversations", "conversations"),
                ("right", "majority right"),
                ("first", "first right"),
                ("agreement", "agreement"),
                ("effective", "answers"),
                ("novelty", "new"),
            ],
        );
        for protocol in &self.protocols {
            let most =
                self.ended(protocol).map(|line| line.measured.rounds.len()).max().unwrap_or(0);
            for at in 0..most {
                let rounds: Vec<_> =
                    self.ended(protocol).filter_map(|line| line.measured.rounds.get(at)).collect();
                let n = rounds.len();
                let mean = |of: fn(&super::results::Round) -> f64| {
                    rounds.iter().map(|round| of(round)).sum::<f64>() / n.max(1) as f64
                };
                let keyed = self
                    .ended(protocol)
                    .filter(|l| l.key.is_some() && l.measured.rounds.len() > at);
                let right = rounds.iter().filter(|round| round.correct == Some(true)).count();
                let first = small(at + 1);
                let first =
                    self.ended(protocol).filter(|l| l.measured.first_correct == Some(first));
                table.rows.push(vec![
                    Cell::text(protocol),
                    Cell::Count(at as u64 + 1),
                    Cell::Count(n as u64),
                    percent(right, keyed.count()),
                    Cell::Count(first.count() as u64),
                    fine(mean(|round| round.agreement)),
                    Cell::Text(format!("{:.2}", mean(|round| round.effective))),
                    fine(mean(|round| round.novelty)),
                ]);
            }
        }
        table
    }

    fn turns(&self) -> Table {
        let mut table = Table::new(
            "turns",
            "Changed minds",
            "changed answers; rescued: from wrong to right; bullied: from right to wrong; by others: how many of \
             these adopted an answer they had been shown",
            1,
            &[
                ("protocol", "protocol"),
                ("flips", "changes"),
                ("rescued", "rescued"),
                ("rescued_after", "by others"),
                ("bullied", "bullied"),
                ("bullied_after", "by others"),
            ],
        );
        for protocol in &self.protocols {
            let flips: u64 = self.ended(protocol).map(|l| u64::from(l.measured.flips)).sum();
            let rescued = || self.ended(protocol).flat_map(|l| &l.measured.rescued);
            let bullied = || self.ended(protocol).flat_map(|l| &l.measured.bullied);
            table.rows.push(vec![
                Cell::text(protocol),
                Cell::Count(flips),
                Cell::Count(rescued().count() as u64),
                Cell::Count(rescued().filter(|t| !t.after.is_empty()).count() as u64),
                Cell::Count(bullied().count() as u64),
                Cell::Count(bullied().filter(|t| !t.after.is_empty()).count() as u64),
            ]);
        }
        table
    }

    fn ways(&self) -> Table {
        let mut table = Table::new(
            "aggregations",
            "Ways of counting",
            "the same replies, counted in every applicable way; unless the scenario breaks ties, a tie is no answer and \
             counts as wrong here",
            2,
            &[
                ("protocol", "protocol"),
                ("by", "by"),
                ("conversations", "conversations"),
                ("right", "right"),
                ("accuracy", "accuracy"),
                ("ties", "ties"),
                ("counts", "counts"),
            ],
        );
        for protocol in &self.protocols {
            for (name, way) in Aggregation::ALL {
                let counted: Vec<_> = self
                    .ended(protocol)
                    .filter_map(|line| {
                        let answered = line.answered.as_ref()?;
                        let way = answered.ways.iter().find(|counted| counted.by == way)?;
                        Some((line, way))
                    })
                    .collect();
                if counted.is_empty() {
                    continue;
                }
                let is_right = |line: &ResultLine, answer: Option<&str>| {
                    // an equal answer is right where the protocol's own was
                    let own = line.answered.as_ref().and_then(|a| a.answer.as_deref());
                    let key = line.key.as_ref().map(|key| match key {
                        serde_json::Value::String(text) => text.clone(),
                        other => other.to_string(),
                    });
                    match answer {
                        Some(answer) if Some(answer) == own => line.correct == Some(true),
                        Some(answer) => key.is_some_and(|key| {
                            let numbers = answer
                                .parse::<f64>()
                                .ok()
                                .zip(key.replace(',', "").parse::<f64>().ok());
                            key.eq_ignore_ascii_case(answer)
                                || numbers.is_some_and(|(a, b)| (a - b).abs() < 1e-9)
                        }),
                        None => false,
                    }
                };
                let right =
                    counted.iter().filter(|(l, w)| is_right(l, w.answer.as_deref())).count();
                let ties = counted.iter().filter(|(_, w)| !w.tied.is_empty()).count();
                let own =
                    counted.iter().any(|(l, _)| l.answered.as_ref().is_some_and(|a| a.by == way));
                table.rows.push(vec![
                    Cell::text(protocol),
                    Cell::text(name),
                    Cell::Count(counted.len() as u64),
                    Cell::Count(right as u64),
                    percent(right, counted.len()),
                    Cell::Count(ties as u64),
                    Cell::text(if own { "yes" } else { "" }),
                ]);
            }
        }
        table
    }

    fn costs(&self) -> Table {
        let mut table = Table::new(
            "cost",
            "Calls, tokens, money",
            "means per conversation; planned: minimum and maximum calls by the protocol's formula; outside: \
             conversations outside that range",
            1,
            &[
                ("protocol", "protocol"),
                ("calls", "calls"),
                ("planned", "planned"),
                ("outside", "outside"),
                ("retries", "retries"),
                ("tokens", "tokens"),
                ("took_ms", "took"),
                ("usd", "money"),
                ("usd_per_right", "per correct answer"),
            ],
        );
        for protocol in &self.protocols {
            let n = self.all(protocol).count().max(1);
            let calls = |line: &ResultLine| line.measured.calls.values().sum::<u64>();
            let sum: u64 = self.all(protocol).map(calls).sum();
            let tokens: u64 =
                self.all(protocol).map(|l| l.measured.input + l.measured.output).sum();
            let outside = self.ended(protocol).filter(|line| {
                line.measured
                    .planned
                    .is_some_and(|(least, most)| !(least..=most).contains(&calls(line)))
            });
            let plans: BTreeSet<(u64, u64)> =
                self.all(protocol).filter_map(|line| line.measured.planned).collect();
            let plans: Vec<String> =
                plans
                    .iter()
                    .map(|(least, most)| {
                        if least == most { least.to_string() } else { format!("{least} to {most}") }
                    })
                    .collect();
            let money: Option<f64> = self.all(protocol).map(|line| line.measured.usd).sum();
            let right = self.scored(protocol).filter(|(_, right)| *right).count();
            table.rows.push(vec![
                Cell::text(protocol),
                Cell::Rate(sum as f64 / n as f64),
                Cell::text(&plans.join(", ")),
                Cell::Count(outside.count() as u64),
                Cell::Count(self.all(protocol).map(|line| line.measured.retries).sum()),
                Cell::Count(tokens / n as u64),
                Cell::Took(self.all(protocol).map(|l| l.measured.ms).sum::<u64>() / n as u64),
                money.map_or(Cell::NotPriced, |usd| Cell::Dollars(usd / n as f64)),
                match money {
                    Some(usd) if right > 0 => Cell::Dollars(usd / right as f64),
                    Some(_) => Cell::None,
                    None => Cell::NotPriced,
                },
            ]);
        }
        table
    }

    fn judges(&self) -> Table {
        let mut table = Table::new(
            "judges",
            "Judges",
            "judgements made in both orders, how many changed when the sides were swapped, and the share of all judgements \
             won by the side named first",
            1,
            &[
                ("protocol", "protocol"),
                ("judged", "both ways"),
                ("turned", "turned"),
                ("first_side", "first side"),
            ],
        );
        for protocol in &self.protocols {
            let sum = |of: fn(&super::results::Measured) -> u32| -> u64 {
                self.ended(protocol).map(|line| u64::from(of(&line.measured))).sum()
            };
            let judged = sum(|m| m.judged);
            if judged > 0 {
                table.rows.push(vec![
                    Cell::text(protocol),
                    Cell::Count(judged),
                    Cell::Count(sum(|m| m.swap_flips)),
                    Cell::share(sum(|m| m.first_side), 2 * judged),
                ]);
            }
        }
        table
    }

    fn failures(&self) -> Table {
        let mut table = Table::new(
            "failures",
            "Failures",
            "failed conversations and conversations with failed turns; `batch ... --retry` runs them again",
            2,
            &[("protocol", "protocol"), ("item", "item"), ("line", "line"), ("why", "why")],
        );
        for protocol in &self.protocols {
            for line in self.all(protocol).filter(|line| line.outcome == ResultOutcome::Failed) {
                table.rows.push(vec![
                    Cell::text(protocol),
                    Cell::text(&line.item),
                    Cell::Count(line.line),
                    Cell::text(line.error.as_deref().unwrap_or_default()),
                ]);
            }
        }
        table
    }

    /// Returns the accuracy of each protocol with its interval, for pictures; none where it is withheld.
    pub(super) fn bars(&self) -> Vec<(&str, Option<Estimate>)> {
        let bar = |protocol: &String| {
            let scored = self.scored(protocol).count();
            let right = self.scored(protocol).filter(|(_, right)| *right).count();
            let (low, high) = wilson(small(right), small(scored));
            let shown = scored > 0 && !self.withheld(protocol);
            shown.then(|| (right as f64 / scored as f64, low, high))
        };
        self.protocols.iter().map(|protocol| (protocol.as_str(), bar(protocol))).collect()
    }
}

/// A share with the ends of its interval, low and high.
pub(super) type Estimate = (f64, f64, f64);

fn small(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn fine(share: f64) -> Cell {
    Cell::Text(format!("{:.1}%", share * 100.0))
}

fn percent(part: usize, whole: usize) -> Cell {
    if whole == 0 { Cell::None } else { fine(part as f64 / whole as f64) }
}
