//! Comparisons of arms on the same items: the family of tests of the examined arm against its baselines, all pairs, and
//! the conclusions.

use super::arm::Equal;
use super::gathered::{Report, TestFamily, cluster, small};
use crate::analysis::{Cell, Table};
use crate::stats::{Clusters, Discordant, holm};
use std::collections::BTreeMap;

/// Largest p-value that counts as a difference.
const SIGNIFICANT: f64 = 0.05;
/// Difference in accuracy of the statement on power.
const DETECTED: f64 = 0.05;
/// Square of the sum of the normal quantiles for a two-sided test at 5 % with a power of 80 %.
const POWER: f64 = 7.849;

/// Two arms on the items with a key that both ended.
struct Pair<'a> {
    one: &'a str,
    other: &'a str,
    items: Discordant,
    /// 95 % interval of the difference in accuracy.
    ends: (f64, f64),
    /// p-value of McNemar's test, or of the sign-flip test with repeated items.
    p: f64,
    /// The same after Holm's correction for all tests of the family.
    corrected: f64,
}

impl Pair<'_> {
    /// Returns the difference in accuracy, in percentage points.
    fn points(&self) -> f64 {
        let Discordant { first, second, items } = self.items;
        (f64::from(first) - f64::from(second)) / f64::from(items.max(1)) * 100.0
    }
}

/// Cluster and outcome of each conversation of an arm, by its item and its number among those on the item.
pub(super) type Outcomes<'a> = BTreeMap<(&'a str, usize), (&'a str, bool)>;

pub(super) fn outcomes<'a>(report: &'a Report, arm: &str) -> Outcomes<'a> {
    let counted = report.numbered(arm).filter(|(_, line)| report.counts(line));
    let all = counted
        .filter_map(|(at, line)| Some(((line.item.as_str(), at), (cluster(line), line.correct?))));
    all.collect()
}

/// Compares arms by name; pairs without common items are left out.
fn compare<'a>(report: &'a Report, named: &[(&'a str, &'a str)]) -> Vec<Pair<'a>> {
    let right: BTreeMap<&str, Outcomes<'a>> =
        report.protocols.iter().map(|name| (name.as_str(), outcomes(report, name))).collect();
    let mut pairs = vec![];
    for (one, other) in named {
        let (Some(mine), Some(theirs)) = (right.get(one), right.get(other)) else { continue };
        let both: Vec<(&str, bool, bool)> = mine
            .iter()
            .filter_map(|(place, (cluster, a))| Some((*cluster, *a, theirs.get(place)?.1)))
            .collect();
        let count =
            |split: (bool, bool)| small(both.iter().filter(|(_, a, b)| (*a, *b) == split).count());
        let items = Discordant {
            first: count((true, false)),
            second: count((false, true)),
            items: small(both.len()),
        };
        let value = |right: bool| if right { 1.0 } else { 0.0 };
        let values = both.iter().map(|(cluster, a, b)| (*cluster, value(*a) - value(*b)));
        let clusters = if report.is_clustered { Some(Clusters::new(values)) } else { None };
        let ends = clusters.as_ref().map_or_else(|| items.bootstrap(), Clusters::bootstrap);
        let p = clusters.map_or_else(|| items.mcnemar(), |clusters| clusters.sign_flip());
        pairs.extend(ends.map(|ends| Pair { one, other, items, ends, p, corrected: 1.0 }));
    }
    let values: Vec<f64> = pairs.iter().map(|pair| pair.p).collect();
    for (pair, corrected) in pairs.iter_mut().zip(holm(&values)) {
        pair.corrected = corrected;
    }
    pairs
}

/// Returns the family of tests.
fn family(report: &Report) -> Vec<(&str, &str)> {
    match &report.family {
        TestFamily::Baselines => {}
        TestFamily::AllPairs => return all_pairs(report),
        TestFamily::Against(arm) => {
            let others = report.protocols.iter().filter(|name| *name != arm);
            return others.map(|other| (other.as_str(), arm.as_str())).collect();
        }
    }
    let arms = &report.made.arms;
    let pairs: Vec<(&str, &str)> = arms
        .iter()
        .filter(|arm| report.protocols.contains(&arm.name))
        .filter_map(|arm| Some((arm.baseline_of.as_deref()?, arm.name.as_str())))
        .collect();
    match report.protocols.split_first() {
        Some((first, others)) if pairs.is_empty() => {
            others.iter().map(|other| (first.as_str(), other.as_str())).collect()
        }
        _ => pairs,
    }
}

/// Returns all pairs of arms.
fn all_pairs(report: &Report) -> Vec<(&str, &str)> {
    let names = || report.protocols.iter().map(String::as_str).enumerate();
    names().flat_map(|(at, one)| names().skip(at + 1).map(move |(_, other)| (one, other))).collect()
}

pub(super) fn pairs(report: &Report) -> Table {
    let mut table = Table::new(
        "pairs",
        "Who beat whom",
        "difference in points on items that both ended, 95 % bootstrap interval; p: mid-p or sign flips; Holm: corrected",
        2,
        "protocol | other: against | items | difference | low: from | high: to | won: right alone | \
         lost: other alone | p | holm: Holm",
    );
    for pair in compare(report, &all_pairs(report)) {
        let (low, high) = pair.ends;
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
        "about | conclusion",
    );
    let pairs = compare(report, &family(report));
    let mut say = |about: &str, conclusion: String| {
        table.rows.push(vec![Cell::text(about), Cell::Text(conclusion)]);
    };
    let mut examined: Vec<&str> = pairs.iter().map(|pair| pair.one).collect();
    examined.dedup();
    if let Some(names) = describe_family(report, &pairs) {
        let survive = pairs.iter().filter(|pair| pair.corrected <= SIGNIFICANT).count();
        let of = pairs.len();
        say("family", format!("{names}; {survive} of {of} survive (Holm, 5 %)"));
    }
    for name in examined {
        let own: Vec<&Pair<'_>> = pairs.iter().filter(|pair| pair.one == name).collect();
        if let Some(worth) = worth(report, &own) {
            say("worth", worth);
        }
        if let Some(power) = power(&own) {
            say("power", power);
        }
    }
    for protocol in &report.protocols {
        let calls: u64 = report.ended(protocol).map(|line| line.calls_total).sum();
        let cut: u64 = report.ended(protocol).map(|line| line.cut).sum();
        if cut > 0 {
            let about = format!("cut replies: {protocol}");
            let told = format!(
                "{cut} of {calls} replies ended at max_tokens; its score is that of cut replies"
            );
            table.rows.push(vec![Cell::text(&about), Cell::text(&told)]);
        }
        let keyed = report.all(protocol).any(|line| line.key.is_some());
        let why = if keyed { report.withheld(protocol) } else { None };
        if let Some(why) = why {
            let about = format!("no score: {protocol}");
            table.rows.push(vec![Cell::text(&about), Cell::text(&why)]);
        }
    }
    table
}

/// Describes the family of tests; `None` without tests.
fn describe_family(report: &Report, pairs: &[Pair<'_>]) -> Option<String> {
    let first = pairs.first()?.one;
    let arms = report.protocols.len();
    match &report.family {
        TestFamily::Baselines => {}
        TestFamily::AllPairs => return Some(format!("all pairs of {arms} arms")),
        TestFamily::Against(arm) => {
            return Some(format!("each of {} others against {arm}", pairs.len()));
        }
    }
    let are_baselines = report.made.arms.iter().any(|arm| arm.baseline_of.is_some());
    let alone = pairs.iter().all(|pair| pair.one == first);
    let examined = if alone { first } else { "each examined arm" };
    Some(match (pairs, are_baselines) {
        ([only], _) => format!("{examined} against {}", only.other),
        (_, true) if alone => format!("{examined} against each of its {} baselines", pairs.len()),
        (_, true) => format!("{examined} against its baselines"),
        (_, false) => format!("{examined} against each of {} others", pairs.len()),
    })
}

/// Returns the sentence on whether an arm was worth its calls and tokens, compared with the best baseline that used as
/// many.
fn worth(report: &Report, pairs: &[&Pair<'_>]) -> Option<String> {
    let equal = |name: &str| report.made.arms.iter().find(|arm| arm.name == name).map(|a| a.equal);
    let mut verdicts = vec![];
    let mut parts = vec![];
    for (kind, word) in [(Equal::Calls, "calls"), (Equal::Tokens, "tokens")] {
        let same: Vec<_> = pairs.iter().filter(|pair| equal(pair.other) == Some(kind)).collect();
        let best = same.iter().min_by(|a, b| a.points().total_cmp(&b.points()));
        let Some(pair) = best else { continue };
        let (low, high) = pair.ends;
        let best = match same.len() {
            1 => format!("with as many {word}"),
            n => format!("the best of {n} with as many {word}"),
        };
        parts.push(format!(
            "{} points ({} to {}) against {}, {best}, {} (Holm)",
            signed(pair.points()),
            signed(low * 100.0),
            signed(high * 100.0),
            pair.other,
            probability(pair.corrected)
        ));
        verdicts.push(if pair.corrected > SIGNIFICANT { 0.0 } else { pair.points() });
    }
    let verdict = if parts.is_empty() {
        return None;
    } else if verdicts.iter().all(|points| *points > 0.0) {
        "was worth its cost"
    } else if verdicts.iter().any(|points| *points < 0.0) {
        "was not worth its cost"
    } else {
        "was not shown to be worth its cost"
    };
    Some(format!("{} {verdict}: {}", pairs.first()?.one, parts.join("; ")))
}

/// Returns the number of items that a small difference needs at the observed disagreement with the closest arm; `None`
/// without disagreement.
fn power(pairs: &[&Pair<'_>]) -> Option<String> {
    let share = |pair: &&&Pair<'_>| {
        let Discordant { first, second, items } = pair.items;
        f64::from(first + second) / f64::from(items.max(1))
    };
    let closest = pairs.iter().filter(|pair| share(pair) > 0.0);
    let closest = closest.min_by(|a, b| a.points().abs().total_cmp(&b.points().abs()))?;
    let share = share(&closest);
    let items = POWER * share / DETECTED.powi(2);
    let step = if items < 100.0 { 1.0 } else { 10.0 };
    Some(format!(
        "{:.0} points at the disagreement with {} ({:.0} %) need about {:.0} items (80 %)",
        DETECTED * 100.0,
        closest.other,
        share * 100.0,
        (items / step).ceil() * step
    ))
}

/// Formats a difference with its sign.
fn signed(points: f64) -> String {
    format!("{points:+.1}").replace('-', "\u{2212}")
}

/// Formats a p-value.
fn probability(p: f64) -> String {
    if p < 0.001 { "p < 0.001".into() } else { format!("p = {p:.3}") }
}
