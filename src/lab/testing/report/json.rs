//! JSON report: one object with the totals and every record.

use super::count;
use crate::testing::coverage;
use crate::testing::outcome::TestOutcome;
use crate::testing::record::TestRecord;
use serde_json::{Map, Value, json};

/// Returns the report as JSON.
pub fn spell(records: &[TestRecord]) -> String {
    let sums: Map<String, Value> = TestOutcome::ALL
        .into_iter()
        .map(|outcome| (outcome.as_str().to_owned(), count(records, outcome).into()))
        .collect();
    let mut all = json!({ "outcomes": sums, "tests": records });
    let covered: Vec<_> = records.iter().filter_map(|r| r.coverage.as_ref()).collect();
    if !covered.is_empty() {
        all["coverage"] = coverage::json(&coverage::sum(covered));
    }
    format!("{all:#}\n")
}
