//! The record of one test: all that a report says of it.

use super::coverage::Covered;
use super::outcome::{Broken, Judged, Rate, TestOutcome};
use super::plan::quoted;
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
    /// Failed turns, each with its error, of the first run that did not pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
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

impl TestRecord {
    /// Returns the record of a file that cannot be loaded: its tests are not known, so it counts as one.
    pub fn of_faulty_file(file: &str, why: String) -> TestRecord {
        TestRecord {
            error: Some(why.strip_prefix("error: ").unwrap_or(&why).to_owned()),
            command: format!("colloquium test {}", quoted(file)),
            ..TestRecord::new(file.to_owned(), file.to_owned(), TestOutcome::Error)
        }
    }

    /// Returns the record of a test of a file, without anything that happened.
    pub fn new(id: String, file: String, outcome: TestOutcome) -> TestRecord {
        TestRecord {
            id,
            file,
            title: String::new(),
            outcome,
            broken: vec![],
            failed: vec![],
            error: None,
            rates: vec![],
            judged: vec![],
            blessed: vec![],
            requests: BTreeMap::new(),
            coverage: None,
            runs: 0,
            utterances: 0,
            virtual_ms: 0,
            took_ms: 0,
            command: String::new(),
        }
    }
}
