//! Text report: one line per test with its faults below, and the totals at the end.

use super::details::{count, details};
use crate::export::utterances;
use crate::testing::outcome::TestOutcome;
use crate::testing::record::TestRecord;
use std::fmt::Write;

/// Renders records one after the other, followed by the totals.
pub fn spell(records: &[TestRecord]) -> String {
    let all: String = records.iter().map(line).collect();
    format!("{all}\n{}\n", summary(records))
}

pub fn line(record: &TestRecord) -> String {
    let word = record.outcome.as_str();
    let mut text = match record.outcome {
        TestOutcome::Pass => format!("{word:<9} {} ({} ms)\n", record.id, record.took_ms),
        _ => {
            let line = format!("{:<9} {}  {}", word.to_uppercase(), record.id, record.title);
            format!("{}\n", line.trim_end())
        }
    };
    for blessed in &record.blessed {
        // writing to a string cannot fail
        let _ = writeln!(text, "    wrote {blessed}");
    }
    for (at, detail) in details(record).iter().enumerate() {
        // only the first line: the failure of a file was printed in full when it was loaded
        let lines = if at == 0 && record.error.is_some() { 1 } else { usize::MAX };
        for line in detail.lines().take(lines) {
            let _ = writeln!(text, "    {line}");
        }
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
