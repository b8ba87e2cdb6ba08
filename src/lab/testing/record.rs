//! Record of one test, with all data for reports.

use super::coverage::Covered;
use super::outcome::{Broken, Judged, Rate, TestOutcome};
use super::plan::quoted;
use super::replies::Charged;
use serde::Serialize;
use std::collections::BTreeMap;

/// Record of one test; each test has exactly one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TestRecord {
    /// Name of the test.
    pub id: String,
    /// Path of the test file.
    pub file: String,
    /// Title for reports.
    pub title: String,
    /// Outcome over all runs.
    pub outcome: TestOutcome,
    /// Unmet expectations.
    pub broken: Vec<Broken>,
    /// Failed turns with their errors, from the first run that did not pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// Reason why the test could not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Rates over the runs, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<Rate>,
    /// Judgements of models.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<Judged>,
    /// Files written by `--bless`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blessed: Vec<String>,
    /// Usage of models, by purpose.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub requests: BTreeMap<&'static str, Charged>,
    /// Coverage of the scenario, if requested.
    #[serde(skip)]
    pub coverage: Option<Covered>,
    /// Number of runs.
    pub runs: u32,
    /// Number of turns in all runs.
    pub utterances: u32,
    /// Duration of all runs in virtual milliseconds.
    pub virtual_ms: u64,
    /// Duration in real milliseconds.
    pub took_ms: u64,
    /// Command that runs only this test.
    pub command: String,
}

impl TestRecord {
    /// Returns the record of a file that cannot be loaded. It counts as one test, because its tests are unknown.
    pub fn of_faulty_file(file: &str, why: String) -> TestRecord {
        TestRecord {
            error: Some(why),
            command: format!("colloquium test {}", quoted(file)),
            ..TestRecord::new(file.to_owned(), file.to_owned(), TestOutcome::Error)
        }
    }

    /// Creates the record of a test without any results.
    pub fn new(id: String, file: String, outcome: TestOutcome) -> TestRecord {
        TestRecord { id, file, outcome, ..TestRecord::default() }
    }
}
