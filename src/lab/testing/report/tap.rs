//! Report in the Test Anything Protocol, version 14.

use super::details::details;
use crate::testing::outcome::TestOutcome;
use crate::testing::record::TestRecord;

/// Returns the report in the Test Anything Protocol.
pub fn spell(records: &[TestRecord]) -> String {
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
