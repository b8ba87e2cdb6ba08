//! Details of a test that every report format shows.

use crate::testing::Charged;
use crate::testing::outcome::{CriterionVerdict, TestOutcome};
use crate::testing::record::TestRecord;
use crate::text;

/// Returns the number of records with an outcome.
pub fn count(records: &[TestRecord], outcome: TestOutcome) -> usize {
    records.iter().filter(|r| r.outcome == outcome).count()
}

/// Returns the faults of a record, one line each.
pub(super) fn details(record: &TestRecord) -> Vec<String> {
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
    all.extend(record.failed.iter().map(|failed| format!("failed turn: {}", text::line(failed))));
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
            all.extend(reasons.map(|why| format!("    {}", text::line(why))));
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
