//! Tables behind the scores: influence, calibration of stated confidence, quality of judges, and reliability of models.

use super::gathered::{Estimate, Report, small};
use super::results::{JudgeCounts, Sure};
use crate::analysis::{Cell, Table};
use crate::stats::{log_score, quadratic_score, wilson};
use std::collections::BTreeMap;

/// Number of confidence bands of equal width.
const BANDS: u32 = 5;

/// Returns the table of adopted answers, by the seat that had shown them.
pub(super) fn influence(report: &Report) -> Table {
    let mut table = Table::new(
        "influence",
        "Influence",
        "changes to an answer of this participant that had been shown: to the right one (rescued), from it (bullied)",
        2,
        "protocol | participant | rescued | bullied",
    );
    for protocol in &report.protocols {
        let mut by: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for line in report.ended(protocol) {
            let rescued = line.measured.rescued.iter().flat_map(|t| &t.after);
            rescued.for_each(|seat| by.entry(seat).or_default().0 += 1);
            let bullied = line.measured.bullied.iter().flat_map(|t| &t.after);
            bullied.for_each(|seat| by.entry(seat).or_default().1 += 1);
        }
        for (seat, (rescued, bullied)) in by {
            table.rows.push(vec![
                Cell::text(protocol),
                Cell::text(seat),
                Cell::Count(rescued),
                Cell::Count(bullied),
            ]);
        }
    }
    table
}

/// Returns the table of how well stated probabilities fit the outcomes.
pub(super) fn confidence(report: &Report) -> Table {
    let mut table = Table::new(
        "confidence",
        "Confidence",
        "last answers with a confidence; Brier and log scores: 0 is best, always 50 % gives 0.25 and 0.69",
        1,
        "protocol | answers | confidence: mean confidence | right | quadratic | log",
    );
    for protocol in &report.protocols {
        let all: Vec<&Sure> = stated(report, protocol).collect();
        if all.is_empty() {
            continue;
        }
        let mean = |of: fn(&Sure) -> f64| all.iter().map(|s| of(s)).sum::<f64>() / all.len() as f64;
        table.rows.push(vec![
            Cell::text(protocol),
            Cell::Count(all.len() as u64),
            Cell::Share(mean(|s| s.confidence)),
            Cell::share(all.iter().filter(|s| s.correct).count() as u64, all.len() as u64),
            Cell::Decimal(mean(|s| quadratic_score(s.confidence, s.correct)), 3),
            Cell::Decimal(mean(|s| log_score(s.confidence, s.correct)), 3),
        ]);
    }
    table
}

/// Returns the table of right answers by band of stated confidence.
pub(super) fn bands(report: &Report) -> Table {
    let mut table = Table::new(
        "bands",
        "Confidence by band",
        "right answers by band of confidence, 95 % Wilson interval; calibrated if the share lies within the band",
        2,
        "protocol | band: confidence | answers | right | low: from | high: to",
    );
    for protocol in &report.protocols {
        for (band, within) in in_bands(report, protocol) {
            let all = within.len();
            let right = within.iter().filter(|s| s.correct).count();
            let (low, high) = wilson(small(right), small(all));
            let width = 100 / BANDS;
            table.rows.push(vec![
                Cell::text(protocol),
                Cell::Text(format!("{} to {}%", band * width, (band + 1) * width)),
                Cell::Count(all as u64),
                Cell::share(right as u64, all as u64),
                Cell::Share(low),
                Cell::Share(high),
            ]);
        }
    }
    table
}

/// Returns the answers of each confidence band that is not empty.
fn in_bands<'a>(report: &'a Report, protocol: &str) -> BTreeMap<u32, Vec<&'a Sure>> {
    let mut bands: BTreeMap<u32, Vec<&Sure>> = BTreeMap::new();
    for sure in stated(report, protocol) {
        let band = ((sure.confidence * f64::from(BANDS)) as u32).min(BANDS - 1);
        bands.entry(band).or_default().push(sure);
    }
    bands
}

/// Point of the calibration chart: mean confidence of a band and its share of right answers.
pub(super) struct Plotted {
    /// Mean confidence, from 0 to 1.
    pub at: f64,
    /// Share of right answers, with its interval.
    pub share: Estimate,
}

/// Returns the points of each protocol whose answers have a confidence.
pub(super) fn calibration(report: &Report) -> Vec<(&str, Vec<Plotted>)> {
    let of = |protocol: &'_ String| -> Vec<Plotted> {
        let point = |within: Vec<&Sure>| {
            let all = within.len();
            let right = within.iter().filter(|s| s.correct).count();
            let (low, high) = wilson(small(right), small(all));
            let at = within.iter().map(|s| s.confidence).sum::<f64>() / all as f64;
            Plotted { at, share: (right as f64 / all as f64, low, high) }
        };
        in_bands(report, protocol).into_values().map(point).collect()
    };
    let all = report.protocols.iter().map(|protocol| (protocol.as_str(), of(protocol)));
    all.filter(|(_, points)| !points.is_empty()).collect()
}

/// Returns the share of judgements won by the side shown first, by protocol with judges.
pub(super) fn leanings(report: &Report) -> Vec<(&str, Option<Estimate>)> {
    let of = |protocol: &'_ String| -> Option<Estimate> {
        let all = report.ended(protocol).map(|line| &line.measured.judgements);
        let (first, read) = all.fold((0, 0), |(first, read), j| {
            (first + j.first_side as usize, read + j.read as usize)
        });
        let (low, high) = wilson(small(first), small(read));
        (read > 0).then(|| (first as f64 / read as f64, low, high))
    };
    let all = report.protocols.iter().map(|protocol| (protocol.as_str(), of(protocol)));
    all.filter(|(_, share)| share.is_some()).collect()
}

fn stated<'a>(report: &'a Report, protocol: &str) -> impl Iterator<Item = &'a Sure> {
    report.ended(protocol).flat_map(|line| &line.measured.sure)
}

/// Returns the table of judgements: wins by side, position bias and agreement.
pub(super) fn judges(report: &Report) -> Table {
    let mut table = Table::new(
        "judges",
        "Judges",
        "readable judgements and the shares that are right, flip with the order, or agree with another judge; 95 % intervals",
        1,
        "protocol | read: judgements | unread | right | won | first_side: first shown | \
         both_ways: both ways | labels_only: labels only | turned | agreed: judges agree",
    );
    for protocol in &report.protocols {
        let of = || report.ended(protocol).map(|line| &line.measured.judgements);
        let sum =
            |of_one: fn(&JudgeCounts) -> u32| -> u64 { of().map(|j| u64::from(of_one(j))).sum() };
        let read = sum(|j| j.read);
        let unread = sum(|j| j.unread);
        if read + unread == 0 {
            continue;
        }
        let has_key = of().any(|j| j.right.is_some());
        let right = sum(|j| j.right.unwrap_or_default());
        let mut won: BTreeMap<&str, u64> = BTreeMap::new();
        for (side, n) in of().flat_map(|j| &j.won) {
            *won.entry(side).or_default() += u64::from(*n);
        }
        let won: Vec<String> = won.iter().map(|(side, n)| format!("{side} {n}")).collect();
        table.rows.push(vec![
            Cell::text(protocol),
            Cell::Count(read),
            Cell::Count(unread),
            Cell::share(right, if has_key { read } else { 0 }),
            Cell::text(&won.join(", ")),
            Cell::share(sum(|j| j.first_side), read),
            Cell::Count(sum(|j| j.both_ways)),
            Cell::Count(sum(|j| j.labels_only)),
            Cell::Count(sum(|j| j.swap_flips)),
            Cell::share(sum(|j| j.agreed), sum(|j| j.pairs)),
        ]);
    }
    table
}

/// Returns the table of calls and unanswered calls by model.
pub(super) fn models(report: &Report) -> Table {
    let mut table = Table::new(
        "models",
        "Models",
        "calls with retries; unanswered: refused, overloaded, silent, broken off or filtered; available: share answered",
        1,
        "model | calls | unanswered | available | low: from | high: to",
    );
    let mut all: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for line in report.protocols.iter().flat_map(|protocol| report.all(protocol)) {
        for (model, of) in &line.measured.models {
            let sum = all.entry(model).or_default();
            *sum = (sum.0 + of.calls, sum.1 + of.unanswered);
        }
    }
    for (model, (calls, unanswered)) in all {
        let answered = calls.saturating_sub(unanswered);
        let (low, high) = wilson(small(answered as usize), small(calls as usize));
        table.rows.push(vec![
            Cell::text(model),
            Cell::Count(calls),
            Cell::Count(unanswered),
            Cell::FineShare(answered as f64 / calls.max(1) as f64),
            Cell::FineShare(low),
            Cell::FineShare(high),
        ]);
    }
    table
}
