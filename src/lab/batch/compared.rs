//! Comparisons of protocols on the same items: each pair with its test, and the first protocol against its baselines.

use super::gathered::{Report, small};
use crate::analysis::{Cell, Table};
use crate::stats::{Discordant, holm};
use std::collections::BTreeMap;

/// Largest p-value that counts as a difference.
const SIGNIFICANT: f64 = 0.05;
/// Baselines with as many calls as the examined protocol.
const SAME_CALLS: [&str; 2] = ["self-consistency", "reflection"];
/// Baselines with as many tokens.
const SAME_TOKENS: [&str; 1] = ["self-consistency-tokens"];

/// Two protocols on the items that both were scored on.
struct Pair<'a> {
    one: &'a str,
    other: &'a str,
    items: Discordant,
    /// p-value of McNemar's test.
    p: f64,
    /// The same after Holm's correction for all pairs.
    corrected: f64,
}

impl Pair<'_> {
    /// Returns the difference in accuracy, in percentage points.
    fn points(&self) -> f64 {
        let Discordant { first, second, items } = self.items;
        (f64::from(first) - f64::from(second)) / f64::from(items.max(1)) * 100.0
    }
}

/// Returns all pairs of protocols that have items in common.
fn all_pairs(report: &Report) -> Vec<Pair<'_>> {
    let right: Vec<(&str, BTreeMap<&str, bool>)> = report
        .protocols
        .iter()
        .map(|name| {
            let scored = report.scored(name).map(|(line, right)| (line.item.as_str(), right));
            (name.as_str(), scored.collect())
        })
        .collect();
    let mut pairs = vec![];
    for (at, (one, mine)) in right.iter().enumerate() {
        for (other, theirs) in right.iter().skip(at + 1) {
            let both: Vec<(bool, bool)> =
                mine.iter().filter_map(|(item, a)| Some((*a, *theirs.get(item)?))).collect();
            let count = |split: (bool, bool)| small(both.iter().filter(|b| **b == split).count());
            let items = Discordant {
                first: count((true, false)),
                second: count((false, true)),
                items: small(both.len()),
            };
            if items.items > 0 {
                pairs.push(Pair { one, other, items, p: items.mcnemar(), corrected: 1.0 });
            }
        }
    }
    let values: Vec<f64> = pairs.iter().map(|pair| pair.p).collect();
    for (pair, corrected) in pairs.iter_mut().zip(holm(&values)) {
        pair.corrected = corrected;
    }
    pairs
}

/// Returns the table of all pairs.
pub(super) fn pairs(report: &Report) -> Table {
    let mut table = Table::new(
        "pairs",
        "Who beat whom",
        "items that both scored: difference in accuracy (percentage points), with a 95 % percentile interval of the \
         bootstrap over all samples; the items that only one got right; p: exact McNemar test with mid-p; Holm: the same, \
         corrected for all pairs of this table",
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
            ("p", "p"),
            ("holm", "Holm"),
        ],
    );
    for pair in all_pairs(report) {
        let Some((low, high)) = pair.items.bootstrap() else { continue };
        let points = |value: f64| Cell::Difference(value, 1);
        table.rows.push(vec![
            Cell::text(pair.one),
            Cell::text(pair.other),
            Cell::Count(pair.items.items.into()),
            points(pair.points()),
            points(low * 100.0),
            points(high * 100.0),
            Cell::Count(pair.items.first.into()),
            Cell::Count(pair.items.second.into()),
            Cell::Decimal(pair.p, 3),
            Cell::Decimal(pair.corrected, 3),
        ]);
    }
    table
}

/// Returns the table of the conclusions, one sentence each.
pub(super) fn conclusions(report: &Report) -> Table {
    let mut table = Table::new(
        "conclusions",
        "Conclusions",
        "computed from the tables below",
        1,
        &[("about", "about"), ("conclusion", "conclusion")],
    );
    let pairs = all_pairs(report);
    if !pairs.is_empty() {
        let survive = pairs.iter().filter(|pair| pair.corrected <= SIGNIFICANT).count();
        let all = match pairs.len() {
            1 => "1 comparison".to_owned(),
            n => format!("{n} comparisons"),
        };
        let conclusion = format!("of {all}, {survive} survive a correction (Holm, 5 %)");
        table.rows.push(vec![Cell::text("pairs"), Cell::Text(conclusion)]);
    }
    if let Some(worth) = worth(report, &pairs) {
        table.rows.push(vec![Cell::text("worth"), Cell::Text(worth)]);
    }
    for protocol in &report.protocols {
        let keyed = report.all(protocol).any(|line| line.key.is_some());
        let why = if keyed { report.withheld(protocol) } else { None };
        if let Some(why) = why {
            let about = format!("no score: {protocol}");
            table.rows.push(vec![Cell::text(&about), Cell::text(&why)]);
        }
    }
    table
}

/// Returns the sentence on whether the first protocol was worth its calls and tokens, compared with the best baseline
/// that used as many.
fn worth(report: &Report, pairs: &[Pair<'_>]) -> Option<String> {
    let first = report.protocols.first()?;
    let against = |names: &[&str]| {
        let of = pairs.iter().filter(|pair| pair.one == first && names.contains(&pair.other));
        of.min_by(|a, b| a.points().total_cmp(&b.points()))
    };
    let describe = |pair: &Pair<'_>, equal: &str| {
        let points = pair.points();
        format!(
            "{points:+.1} points against {} with as many {equal} (p = {:.3})",
            pair.other, pair.p
        )
    };
    let calls = against(&SAME_CALLS);
    let tokens = against(&SAME_TOKENS);
    let compared: Vec<&Pair<'_>> = calls.into_iter().chain(tokens).collect();
    if compared.is_empty() {
        return None;
    }
    let better = |pair: &&Pair<'_>| pair.points() > 0.0 && pair.p <= SIGNIFICANT;
    let worse = |pair: &&Pair<'_>| pair.points() < 0.0 && pair.p <= SIGNIFICANT;
    let verdict = if compared.iter().all(better) {
        "was worth its cost"
    } else if compared.iter().any(worse) {
        "was not worth its cost"
    } else {
        "was not shown to be worth its cost"
    };
    let parts: Vec<String> = calls
        .map(|pair| describe(pair, "calls"))
        .into_iter()
        .chain(tokens.map(|pair| describe(pair, "tokens")))
        .collect();
    Some(format!("{first} {verdict}: {}", parts.join(", ")))
}
