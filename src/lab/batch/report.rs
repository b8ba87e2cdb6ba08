//! Tables of batch results: accuracy, cost and changes over the rounds, and how a debate loses answers: minorities that
//! adopt the majority, right answers that are given up, and right answers that were stated and not chosen.

use super::arm::{ArmSeat, Equal, RunNote, missing_parts};
pub use super::gathered::Report;
use super::gathered::{cluster, small};
use super::results::{Held, ResultLine, ResultOutcome};
use super::{compared, quality, ratings};
use crate::analysis::{Cell, Column, Table};
use crate::model::Aggregation;
use std::collections::BTreeSet;

/// Default share of conversations without an answer above which a score is withheld.
pub const UNREAD_MOST: f64 = 0.2;

/// Tables of a printed report; the others are printed by name, and are on the page.
pub const PRINTED: [&str; 7] =
    ["batch", "arms", "conclusions", "accuracy", "pairs", "cost", "failures"];

impl Report {
    /// Returns all tables, in the order of the report.
    pub fn tables(&self) -> Vec<Table> {
        vec![
            self.head(),
            self.arms_table(),
            compared::conclusions(self),
            self.accuracy(),
            compared::pairs(self),
            self.strengths(),
            losses(self),
            self.rounds(),
            self.turns(),
            quality::influence(self),
            self.ways(),
            quality::confidence(self),
            quality::bands(self),
            self.costs(),
            quality::judges(self),
            quality::models(self),
            self.failures(),
        ]
    }

    /// Returns the leaderboard of models, with the advantages of sides.
    pub fn leaderboard(&self) -> Vec<Table> {
        ratings::leaderboard(self)
    }

    /// Returns the table of the strengths of protocols.
    pub fn strengths(&self) -> Table {
        ratings::strengths(self)
    }

    /// Returns the table of what was run: protocols, items and models from the results, the rest as the batch noted it.
    pub(super) fn head(&self) -> Table {
        let mut table = Table::new(
            "batch",
            "The experiment",
            "from the results and from the file batch.json of their folder",
            1,
            "about | value",
        );
        let mut row = |about: &str, value: &str| {
            if !value.is_empty() {
                table.rows.push(vec![Cell::text(about), Cell::text(value)]);
            }
        };
        let lines = || self.protocols.iter().flat_map(|protocol| self.all(protocol));
        let items: BTreeSet<&str> = lines().map(|line| line.item.as_str()).collect();
        let models: BTreeSet<&str> =
            lines().flat_map(|line| line.measured.models.keys()).map(String::as_str).collect();
        let runs = &self.made.runs;
        let each = |of: fn(&RunNote) -> String| {
            let mut values: Vec<String> = runs.iter().map(of).collect();
            values.dedup();
            values.retain(|value| !value.is_empty());
            values.join(", ")
        };
        row("protocols", &self.protocols.join(", "));
        row(
            "items",
            &format!("{} ({})", items.len(), each(|run| run.items.clone())).replace(" ()", ""),
        );
        row("models", &models.into_iter().collect::<Vec<_>>().join(", "));
        let clusters: BTreeSet<&str> = lines().map(cluster).collect();
        if self.is_clustered {
            row("clusters", &format!("{} items or groups that were repeated", clusters.len()));
        }
        let shards = lines().map(|line| line.shard.as_deref());
        row("missing", &missing_parts(shards, runs).unwrap_or_default());
        row("begun", &each(|run| run.begun.clone()));
        row("seed", &each(|run| run.seed.map_or(String::new(), |seed| seed.to_string())));
        row("command", &each(|run| run.command.clone()));
        row("version", &each(|run| run.program.clone()));
        table
    }

    /// Returns the table of the arms: the baselines, the seats and remarks of each.
    fn arms_table(&self) -> Table {
        let mut table = Table::new(
            "arms",
            "Arms",
            "as many: effort on each item that equals that of the examined arm",
            1,
            "arm | baseline_of: baseline of | equal: as many | seats | notes",
        );
        let arms = self.made.arms.iter().filter(|arm| self.protocols.contains(&arm.name));
        for arm in arms {
            let seats: Vec<String> = arm.seats.iter().map(ArmSeat::describe).collect();
            table.rows.push(vec![
                Cell::text(&arm.name),
                Cell::text(arm.baseline_of.as_deref().unwrap_or_default()),
                Cell::text(match arm.equal {
                    Equal::No => "",
                    Equal::Calls => "calls",
                    Equal::Tokens => "tokens",
                }),
                Cell::text(&seats.join(", ")),
                Cell::text(&arm.notes.join("; ")),
            ]);
        }
        table
    }

    fn accuracy(&self) -> Table {
        let mut table = Table::new(
            "accuracy",
            "Accuracy",
            "right answers among all that ended with a key, 95 % interval; ties and unread are wrong",
            1,
            "protocol | all | ended: keyed | right | accuracy | low: from | high: to | ties | unread | \
             of_read: of read",
        );
        let truncated = |protocol: &str| self.all(protocol).filter(|l| self.excludes(l)).count();
        // rare, and the table is wide
        let any_truncated = self.protocols.iter().any(|protocol| truncated(protocol) > 0);
        if any_truncated {
            table.columns.push(Column::new("truncated", "truncated"));
        }
        for protocol in &self.protocols {
            let all = self.all(protocol).count();
            let ended = self.judged(protocol).count();
            let right = self.judged(protocol).filter(|(_, right)| *right).count();
            let ties = self.judged(protocol).filter(|(line, _)| line.tie).count();
            let unread = ended - self.scored(protocol).count();
            let (_, low, high) = self.accuracy_of(protocol).unwrap_or((0.0, 0.0, 1.0));
            let score = |cell: Cell| match (ended, self.withheld(protocol)) {
                (0, _) => Cell::None,
                (_, Some(_)) => Cell::text("withheld"),
                (_, None) => cell,
            };
            table.rows.push(vec![
                Cell::text(protocol),
                Cell::Count(all as u64),
                Cell::Count(ended as u64),
                Cell::Count(right as u64),
                score(percent(right, ended)),
                score(Cell::FineShare(low)),
                score(Cell::FineShare(high)),
                Cell::Count(ties as u64),
                Cell::Count(unread as u64),
                percent(right, ended - ties - unread),
            ]);
            if any_truncated && let Some(row) = table.rows.last_mut() {
                row.push(Cell::Count(truncated(protocol) as u64));
            }
        }
        table
    }

    fn rounds(&self) -> Table {
        let mut table = Table::new(
            "rounds",
            "Round by round",
            "after each round: majority right, and who agreed with it, effective number of answers, new three-word sequences",
            2,
            "protocol | round | conversations | right: majority right | \
             first: right at first, by the majority | agreement | effective: answers | novelty: new",
        );
        for (protocol, right) in self.curves() {
            let most =
                self.ended(protocol).map(|line| line.measured.rounds.len()).max().unwrap_or(0);
            for at in 0..most {
                let rounds: Vec<_> =
                    self.ended(protocol).filter_map(|line| line.measured.rounds.get(at)).collect();
                let n = rounds.len();
                let mean = |of: fn(&super::results::Round) -> f64| {
                    rounds.iter().map(|round| of(round)).sum::<f64>() / n.max(1) as f64
                };
                let first = small(at + 1);
                let first =
                    self.ended(protocol).filter(|l| l.measured.first_correct == Some(first));
                table.rows.push(vec![
                    Cell::text(protocol),
                    Cell::Count(at as u64 + 1),
                    Cell::Count(n as u64),
                    right.get(at).copied().map_or(Cell::None, Cell::FineShare),
                    Cell::Count(first.count() as u64),
                    Cell::FineShare(mean(|round| round.agreement)),
                    Cell::Decimal(mean(|round| round.effective), 2),
                    Cell::FineShare(mean(|round| round.novelty)),
                ]);
            }
        }
        table
    }

    fn turns(&self) -> Table {
        let mut table = Table::new(
            "turns",
            "Changed minds",
            "changed answers: to the right one (rescued), from it (bullied), to one that was shown (by others)",
            1,
            "protocol | flips: changes | rescued | rescued_after: by others | bullied | \
             bullied_after: by others",
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
            "the same replies, counted in every applicable way; a tie is wrong unless the scenario breaks it",
            2,
            "protocol | by | conversations | right | accuracy | ties | counts",
        );
        for protocol in &self.protocols {
            for (name, way) in Aggregation::ALL.map(|way| (way.name(), way)) {
                let counted: Vec<_> = self
                    .ended(protocol)
                    .filter(|line| line.key.is_some())
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
                    // an answer equal to the protocol's own is right exactly if that one was
                    let own = line.answered.as_ref().and_then(|a| a.answer.as_deref());
                    let keys = match &line.key {
                        Some(serde_json::Value::Array(all)) => all.as_slice(),
                        key => key.as_slice(),
                    };
                    let is_same = |answer: &str, key: &str| {
                        let numbers = answer
                            .parse::<f64>()
                            .ok()
                            .zip(key.replace(',', "").parse::<f64>().ok());
                        key.eq_ignore_ascii_case(answer)
                            || numbers.is_some_and(|(a, b)| (a - b).abs() < 1e-9)
                    };
                    match answer {
                        Some(answer) if Some(answer) == own => line.correct == Some(true),
                        Some(answer) => keys.iter().any(|key| match key {
                            serde_json::Value::String(key) => is_same(answer, key),
                            key => is_same(answer, &key.to_string()),
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
            "means per conversation; planned by formula; outside: conversations beyond the plan; cut at max_tokens, in all",
            1,
            "protocol | calls | planned | outside | retries | cut | tokens | took_ms: took | usd: money | \
             calls_per_right: calls per correct | tokens_per_right: tokens per correct | \
             usd_per_right: money per correct",
        );
        for protocol in &self.protocols {
            let n = self.all(protocol).count().max(1);
            let calls = |line: &ResultLine| line.measured.calls.values().sum::<u64>();
            let sum: u64 = self.all(protocol).map(calls).sum();
            let tokens: u64 = self.all(protocol).map(|l| l.input + l.output).sum();
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
            let money: Option<f64> = self.all(protocol).map(|line| line.usd).sum();
            let right = self.judged(protocol).filter(|(_, right)| *right).count();
            table.rows.push(vec![
                Cell::text(protocol),
                Cell::Rate(sum as f64 / n as f64),
                Cell::text(&plans.join(", ")),
                Cell::Count(outside.count() as u64),
                Cell::Count(self.all(protocol).map(|line| line.measured.retries).sum()),
                Cell::Count(self.all(protocol).map(|line| line.cut).sum()),
                Cell::Count(tokens / n as u64),
                Cell::Took(self.all(protocol).map(|l| l.ms).sum::<u64>() / n as u64),
                money.map_or(Cell::NotPriced, |usd| Cell::Dollars(usd / n as f64)),
                match right {
                    0 => Cell::None,
                    right => Cell::Rate(sum as f64 / right as f64),
                },
                match right {
                    0 => Cell::None,
                    right => Cell::Count(tokens / right as u64),
                },
                match money {
                    Some(usd) if right > 0 => Cell::Dollars(usd / right as f64),
                    Some(_) => Cell::None,
                    None => Cell::NotPriced,
                },
            ]);
        }
        table
    }

    fn failures(&self) -> Table {
        let mut table = Table::new(
            "failures",
            "Failures",
            "failed conversations and those with failed turns; `batch ... --retry` runs them again",
            2,
            "protocol | item | line | why",
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
}

fn percent(part: usize, whole: usize) -> Cell {
    if whole == 0 { Cell::None } else { Cell::FineShare(part as f64 / whole as f64) }
}

/// Returns the table of lost answers, for conversations with a key.
pub(super) fn losses(report: &Report) -> Table {
    let mut table = Table::new(
        "losses",
        "How answers were lost",
        "minorities that adopted the majority, right answers that were broken, and right answers stated and not chosen",
        1,
        "protocol | minority | adopted | adopted_share: share | held | broken | broken_share: share | \
         pool: in the pool | lost | gap",
    );
    for protocol in &report.protocols {
        let keyed = || report.ended(protocol).filter(|line| line.key.is_some());
        let sum = |of: fn(&Held) -> u32| keyed().map(|l| u64::from(of(&l.measured.held))).sum();
        let minority: u64 = sum(|h| h.minority);
        let adopted: u64 = sum(|h| h.adopted);
        let held: u64 = sum(|h| h.right);
        let broken: u64 = sum(|h| h.broken);
        let found = |line: &&ResultLine| line.measured.held.found;
        let pool = keyed().filter(found).count() as u64;
        let lost = keyed().filter(found).filter(|line| line.correct != Some(true)).count() as u64;
        if pool + held + minority == 0 {
            continue;
        }
        table.rows.push(vec![
            Cell::text(protocol),
            Cell::Count(minority),
            Cell::Count(adopted),
            Cell::share(adopted, minority),
            Cell::Count(held),
            Cell::Count(broken),
            Cell::share(broken, held),
            Cell::Count(pool),
            Cell::Count(lost),
            Cell::share(lost, keyed().count() as u64),
        ]);
    }
    table
}
