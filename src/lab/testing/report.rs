//! Reports of all tests, in formats for people and machines.

use super::outcome::{CriterionVerdict, TestOutcome};
use super::record::TestRecord;
use super::{Charged, coverage};
use crate::export::utterances;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::time::Duration;

/// A report format.
pub struct Format {
    /// Name, as in `--format`.
    pub name: &'static str,
    /// Renders records in this format.
    pub spell: fn(&[TestRecord]) -> String,
}

/// All formats; the first is for people.
pub const FORMATS: &[Format] = &[
    Format { name: "text", spell: text },
    Format { name: "tap", spell: tap },
    Format { name: "junit", spell: junit },
    Format { name: "json", spell: json },
];

/// Renders records one after the other, followed by the totals.
fn text(records: &[TestRecord]) -> String {
    let all: String = records.iter().map(line).collect();
    format!("{all}\n{}\n", summary(records))
}

pub fn line(record: &TestRecord) -> String {
    let word = record.outcome.as_str();
    let mut all = match record.outcome {
        TestOutcome::Pass => format!("{word:<9} {} ({} ms)\n", record.id, record.took_ms),
        _ => {
            let line = format!("{:<9} {}  {}", word.to_uppercase(), record.id, record.title);
            format!("{}\n", line.trim_end())
        }
    };
    for blessed in &record.blessed {
        // writing to a string cannot fail
        let _ = writeln!(all, "    wrote {blessed}");
    }
    for (at, detail) in details(record).iter().enumerate() {
        // only the first line: the failure of a file was printed in full when it was loaded
        let lines = if at == 0 && record.error.is_some() { 1 } else { usize::MAX };
        for line in detail.lines().take(lines) {
            let _ = writeln!(all, "    {line}");
        }
    }
    if matches!(record.outcome, TestOutcome::Fail | TestOutcome::Error | TestOutcome::Undecided) {
        let _ = writeln!(all, "    run it alone: {}", record.command);
    }
    all
}

/// Returns the totals in one line.
pub fn summary(records: &[TestRecord]) -> String {
    let sums = TestOutcome::ALL.into_iter().map(|outcome| (outcome, count(records, outcome)));
    let sums = sums.filter(|(outcome, n)| *n > 0 || *outcome == TestOutcome::Pass);
    let sums: Vec<String> = sums.map(|(o, n)| format!("{n} {}", o.counted(n))).collect();
    let turns: u32 = records.iter().map(|r| r.utterances).sum();
    let seconds = records.iter().map(|r| r.virtual_ms).sum::<u64>() / 1000;
    let time = match (seconds / 3600, seconds / 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, _) => format!("{hours} h"),
    };
    format!("{} ({}, {time} of virtual time)", sums.join(", "), utterances(turns))
}

/// Returns the report in the Test Anything Protocol, version 14.
fn tap(records: &[TestRecord]) -> String {
    let mut all = format!("TAP version 14\n1..{}\n", records.len());
    for (i, record) in records.iter().enumerate() {
        let ok = if record.outcome == TestOutcome::Pass { "ok" } else { "not ok" };
        let name = record.id.replace('\\', "\\\\").replace('#', "\\#");
        // the directive marks a cancelled test as skipped instead of failed
        let skip = if record.outcome == TestOutcome::Cancelled { " # SKIP cancelled" } else { "" };
        let ok = if record.outcome == TestOutcome::Cancelled { "ok" } else { ok };
        all.push_str(&format!("{ok} {} - {name}{skip}\n", i + 1));
        if record.outcome != TestOutcome::Pass {
            all.push_str(&format!("  ---\n  outcome: {}\n  message: |\n", record.outcome.as_str()));
            for detail in details(record) {
                // each line of the block is indented
                all.extend(detail.lines().map(|line| format!("    {line}\n")));
            }
            all.push_str(&format!("  command: {:?}\n  ...\n", record.command));
        }
    }
    all
}

/// Returns the report as JUnit XML, one suite per file. The five outcomes stay distinct: `failure` and `error` are elements, an
/// undecided test is a failure of that type, a cancelled one is skipped.
fn junit(records: &[TestRecord]) -> String {
    let mut report = Report::new("colloquium");
    let mut suite: Option<TestSuite> = None;
    for record in records {
        if suite.as_ref().is_none_or(|s| s.name.as_str() != record.file) {
            report.add_test_suites(suite.take());
        }
        suite
            .get_or_insert_with(|| TestSuite::new(record.file.as_str()))
            .add_test_case(case(record));
    }
    report.add_test_suites(suite);
    // serialising plain data cannot fail
    report.to_string().unwrap_or_default()
}

fn case(record: &TestRecord) -> TestCase {
    let words = || details(record).join("\n");
    let kind = |kind: NonSuccessKind| {
        let mut status = TestCaseStatus::non_success(kind);
        let first = record.broken.first().map(|b| b.expected.as_str());
        let message = record.error.as_deref().or(first).unwrap_or_else(|| record.outcome.as_str());
        status.set_type(record.outcome.as_str()).set_message(message).set_description(words());
        status
    };
    let status = match record.outcome {
        TestOutcome::Pass => TestCaseStatus::success(),
        TestOutcome::Fail | TestOutcome::Undecided => kind(NonSuccessKind::Failure),
        TestOutcome::Error => kind(NonSuccessKind::Error),
        TestOutcome::Cancelled => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("cancelled");
            status
        }
    };
    let mut case = TestCase::new(record.id.as_str(), status);
    if !record.title.is_empty() {
        case.add_property(("title", record.title.as_str()));
    }
    case.set_classname(record.file.as_str()).set_time(Duration::from_millis(record.took_ms));
    case
}

/// Returns the report as one JSON object with the totals and every record.
fn json(records: &[TestRecord]) -> String {
    let sums: Map<String, Value> = TestOutcome::ALL
        .into_iter()
        .map(|outcome| (outcome.as_str().to_owned(), count(records, outcome).into()))
        .collect();
    let mut all = serde_json::json!({ "outcomes": sums, "tests": records });
    let covered: Vec<_> = records.iter().filter_map(|r| r.coverage.as_ref()).collect();
    if !covered.is_empty() {
        all["coverage"] = coverage::json(&coverage::sum(covered));
    }
    format!("{all:#}\n")
}

/// Returns the number of records with an outcome.
pub fn count(records: &[TestRecord], outcome: TestOutcome) -> usize {
    records.iter().filter(|r| r.outcome == outcome).count()
}

/// Returns the faults of a record, one line each.
fn details(record: &TestRecord) -> Vec<String> {
    let mut all: Vec<String> = record.error.iter().map(|why| format!("error: {why}")).collect();
    for broken in &record.broken {
        let run = broken.run.map_or(String::new(), |run| format!(", run == {run}"));
        let how = match broken.outcome {
            TestOutcome::Fail => String::new(),
            other => format!(" ({})", other.as_str()),
        };
        let place = match broken.line {
            0 => String::new(),
            line => format!("line {line}"),
        };
        let place = format!("{place}{run}{how}");
        let place = if place.is_empty() { place } else { format!("{place}: ") };
        all.push(format!("{place}{}", broken.expected));
        all.extend(broken.why.iter().map(|why| format!("  {why}")));
        all.extend(broken.found.iter().map(|found| format!("    {found}")));
        if !broken.around.is_empty() {
            all.push("  transcript:".into());
            all.extend(broken.around.iter().map(|line| format!("    {line}")));
        }
    }
    all.extend(
        record.failed.iter().map(|failed| format!("failed turn: {}", crate::text::line(failed))),
    );
    for judged in &record.judged {
        let run = judged.run.map_or(String::new(), |run| format!(", run == {run}"));
        for criterion in &judged.criteria {
            let CriterionVerdict { criterion, outcome, yes, no, unclear, reasoning } = criterion;
            let unclear = if *unclear > 0 { format!(", {unclear} unclear") } else { String::new() };
            all.push(format!(
                "judged {} (line {}{run}; {yes} yes, {no} no{unclear}): {criterion}",
                outcome.as_str(),
                judged.line,
            ));
            let reasons = reasoning.iter().filter(|why| !why.is_empty());
            all.extend(reasons.map(|why| format!("    {}", crate::text::line(why))));
        }
    }
    all.extend(record.requests.iter().map(|(account, charged)| {
        let Charged { asked, recorded, tokens, usd } = charged;
        let cost = match (*asked, *usd > 0.0) {
            (0, _) => String::new(),
            (_, false) => format!(", {tokens} tokens"),
            (_, true) => format!(", {tokens} tokens, ${usd:.4}"),
        };
        format!("models ({account}): {asked} asked, {recorded} recorded{cost}")
    }));
    all.extend(record.rates.iter().map(|rate| {
        let percent = |share: f64| (share * 100.0).round();
        let (low, high) = rate.interval;
        let share = f64::from(rate.held) / f64::from(rate.runs.max(1));
        format!(
            "rate: {} of {} ({} %, 95 % interval {} to {} %): {}",
            rate.held,
            rate.runs,
            percent(share),
            percent(low),
            percent(high),
            rate.of
        )
    }));
    all
}
