//! What a test is once its file was read: plain data that a run takes, with nothing left to look up.

use super::answers::Answer;
use super::cassette::Cassette;
use crate::expr::Condition;
use crate::model::{Key, SeatId, SteerLine};
use crate::scenario::{Faults, Loaded};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The tests of one file.
#[derive(Debug)]
pub struct TestFile {
    /// The tests, one a case.
    pub tests: Vec<Arc<Test>>,
    /// What its author may not have meant.
    pub warnings: Faults,
}

/// One test.
#[derive(Debug)]
pub struct Test {
    /// Its file, as it was named.
    pub file: String,
    /// The name of its case; none where the file has no cases.
    pub case: Option<String>,
    /// What it shows.
    pub title: String,
    /// What the case says.
    pub variables: Map<String, Value>,
    /// The conversation, every seat with the voice that the test gives it.
    pub loaded: Arc<Loaded>,
    /// Whether its scripts may be run: it came with the program, or was trusted.
    pub trusted: bool,
    /// The folder that its scripts run in and its files lie in.
    pub folder: PathBuf,
    /// The seed of the first run.
    pub seed: u64,
    /// Who speaks, by seat; a seat that is not here speaks with its own voice.
    pub voices: BTreeMap<SeatId, Speaker>,
    /// What was said before, and the operator's commands.
    pub steer: Vec<(Key, SteerLine)>,
    /// What must be true.
    pub expects: Vec<Expect>,
    /// How often it is run.
    pub runs: u32,
    /// The share of its runs that must pass.
    pub pass: f64,
    /// How long one run may really take.
    pub timeout: Duration,
}

/// Where the words of a seat come from in a test.
#[derive(Clone, Debug)]
pub enum Speaker {
    /// The lines of the test, or of a cast.
    Lines {
        /// The lines.
        answers: Arc<[Answer]>,
        /// Milliseconds a word takes.
        pace: u64,
    },
    /// What it said in a session.
    Recorded(Arc<Cassette>),
}

/// One thing that must be true.
#[derive(Clone, Debug)]
pub struct Expect {
    /// What.
    pub what: ExpectKind,
    /// What a failure means, in the author's words.
    pub why: Option<String>,
    /// The share of the runs in which it must hold; none where every run counts by itself.
    pub pass: Option<f64>,
    /// The line of the file that says so.
    pub line: usize,
}

/// What is expected.
#[derive(Clone, Debug)]
pub enum ExpectKind {
    /// A condition over the final state.
    That(Checked),
    /// A condition over all runs, by their rates.
    Rates(Checked),
    /// A condition that holds for every utterance.
    Each(Checked),
    /// Who spoke, in order.
    Speakers(Vec<String>),
    /// What somebody was shown.
    Prompt {
        /// Who.
        of: SeatId,
        /// Which of its turns, from 1; the last one if none is named.
        turn: Option<usize>,
        /// Texts in it.
        contains: Vec<String>,
        /// Texts not in it.
        lacks: Vec<String>,
        /// The file that holds all of it.
        file: Option<PathBuf>,
    },
    /// The file that holds the whole transcript.
    Transcript(PathBuf),
}

/// A condition that compiles, with its source.
#[derive(Clone, Debug)]
pub struct Checked {
    /// As it was written.
    pub source: String,
    /// As it is evaluated.
    pub condition: Condition,
    /// The conditions inside `rate("...")`, by their source.
    pub rates: BTreeMap<String, Condition>,
}

impl Test {
    /// Returns the name by which a report and `--filter` know it: the file, and the case behind two colons.
    pub fn id(&self) -> String {
        match &self.case {
            Some(case) => format!("{}::{case}", self.file),
            None => self.file.clone(),
        }
    }

    /// Returns the command that runs only this test.
    pub fn command(&self) -> String {
        let quoted = |text: &str| match text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./:".contains(c))
        {
            true => text.to_owned(),
            false => format!("'{}'", text.replace('\'', r"'\''")),
        };
        let file = quoted(&self.file);
        match &self.case {
            Some(_) => format!("colloquium test {file} --filter {}", quoted(&self.id())),
            None => format!("colloquium test {file}"),
        }
    }
}
