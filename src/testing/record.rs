//! The record of one test: all that a report says of it.

use super::coverage::Covered;
use super::outcome::{Broken, Judged, Rate, TestOutcome};
use super::replies::Charged;
use serde::Serialize;
use std::collections::BTreeMap;

/// The record of one test: exactly one for each, whatever happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestRecord {
    /// The name of the test.
    pub id: String,
    /// The path of the test's file.
    pub file: String,
    /// What the test shows, for reports.
    pub title: String,
    /// The outcome over all runs.
    pub outcome: TestOutcome,
    /// Expectations that are not met.
    pub broken: Vec<Broken>,
    /// Why it could not be run, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Rates over its runs, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<Rate>,
    /// The verdicts of judges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<Judged>,
    /// Files that --bless wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blessed: Vec<String>,
    /// The use of models, by purpose.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub requests: BTreeMap<&'static str, Charged>,
    /// What of the scenario was reached, where that was asked for.
    #[serde(skip)]
    pub coverage: Option<Covered>,
    /// How many runs were made.
    pub runs: u32,
    /// The utterances of all runs together.
    pub utterances: u32,
    /// Virtual milliseconds of all runs.
    pub virtual_ms: u64,
    /// Duration in real milliseconds.
    pub took_ms: u64,
    /// The command that runs only this test.
    pub command: String,
}
