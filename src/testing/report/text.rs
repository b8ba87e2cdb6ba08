//! For people: a line a test, what is not true below it, and the sums at the end.

use super::details::{count, details};
use crate::testing::outcome::TestOutcome;
use crate::testing::record::TestRecord;
use std::fmt::Write;

/// Spells records one after the other, and the sums.
pub fn spell(records: &[TestRecord]) -> String {
    let all: String = records.iter().map(line).collect();
    format!("{all}\n{}\n", summary(records))
}

/// Returns the line of one test.
pub fn line(record: &TestRecord) -> String {
    let word = record.outcome.as_str();
    let mut text = match record.outcome {
        TestOutcome::Pass => format!("{word:<9} {} ({} ms)\n", record.id, record.took_ms),
        _ => format!("{:<9} {}  {}\n", word.to_uppercase(), record.id, record.title),
    };
    for blessed in &record.blessed {
        // writing to a string does not fail
        let _ = writeln!(text, "    wrote {blessed}");
    }
    for detail in details(record) {
        let _ = writeln!(text, "    {detail}");
    }
    if matches!(record.outcome, TestOutcome::Fail | TestOutcome::Error | TestOutcome::Undecided) {
        let _ = writeln!(text, "    run it alone: {}", record.command);
    }
    text
}

/// Returns the totals in one line.
pub fn summary(records: &[TestRecord]) -> String {
    let sums = TestOutcome::ALL.into_iter().map(|outcome| (outcome, count(records, outcome)));
    let sums = sums.filter(|(outcome, n)| *n > 0 || *outcome == TestOutcome::Pass);
    let sums: Vec<String> = sums.map(|(o, n)| format!("{n} {}", o.plural())).collect();
    let turns: u32 = records.iter().map(|r| r.utterances).sum();
    let seconds = records.iter().map(|r| r.virtual_ms).sum::<u64>() / 1000;
    let time = match (seconds / 3600, seconds / 60) {
        (0, 0) => format!("{seconds} s"),
        (0, minutes) => format!("{minutes} min"),
        (hours, _) => format!("{hours} h"),
    };
    format!("{} ({turns} turns, {time} of virtual time)", sums.join(", "))
}
