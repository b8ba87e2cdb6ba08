//! The record of one test: all that a report says of it.

use super::coverage::Covered;
use super::outcome::{Broken, Judged, Rate, TestOutcome};
use super::replies::Charged;
use serde::Serialize;
use std::collections::BTreeMap;

/// The record of one test: exactly one for each, whatever happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TestRecord {
    /// The test's name.
    pub id: String,
    /// Its file.
    pub file: String,
    /// What it shows.
    pub title: String,
    /// How it went.
    pub outcome: TestOutcome,
    /// What is not true.
    pub broken: Vec<Broken>,
    /// Why it could not be run, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Rates over its runs, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<Rate>,
    /// What judges said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<Judged>,
    /// Files that --bless wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blessed: Vec<String>,
    /// What models were asked for, by who wanted it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub requests: BTreeMap<&'static str, Charged>,
    /// What of the scenario was reached, where that was asked for.
    #[serde(skip)]
    pub coverage: Option<Covered>,
    /// How many runs were made.
    pub runs: u32,
    /// Utterances of all runs.
    pub utterances: u32,
    /// Virtual milliseconds of all runs.
    pub virtual_ms: u64,
    /// Real milliseconds.
    pub took_ms: u64,
    /// The command that runs only this test.
    pub command: String,
}
