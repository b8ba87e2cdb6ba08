//! Outcomes of tests: five outcomes that every report keeps apart, with the details of each.

use serde::Serialize;

/// Outcome of a test, a run or an expectation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// All expectations are met.
    #[default]
    Pass,
    /// Undecided: judges disagree, or a judgement is unreadable.
    Undecided,
    /// An expectation is not met.
    Fail,
    /// The test could not run, or an expectation could not be evaluated.
    Error,
    /// The tests were stopped before this one was over.
    Cancelled,
}

impl TestOutcome {
    /// All outcomes, in the order of a summary.
    pub const ALL: [TestOutcome; 5] = [
        TestOutcome::Pass,
        TestOutcome::Fail,
        TestOutcome::Error,
        TestOutcome::Undecided,
        TestOutcome::Cancelled,
    ];

    /// Returns the name of the outcome.
    pub fn as_str(self) -> &'static str {
        match self {
            TestOutcome::Pass => "pass",
            TestOutcome::Undecided => "undecided",
            TestOutcome::Fail => "fail",
            TestOutcome::Error => "error",
            TestOutcome::Cancelled => "cancelled",
        }
    }

    /// Returns the word that follows a number of tests in a summary.
    pub fn counted(self, n: usize) -> &'static str {
        match self {
            TestOutcome::Pass => "passed",
            TestOutcome::Undecided => "undecided",
            TestOutcome::Fail => "failed",
            TestOutcome::Error if n == 1 => "error",
            TestOutcome::Error => "errors",
            TestOutcome::Cancelled => "cancelled",
        }
    }
}

/// An expectation that is not met, or undecided.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Broken {
    /// Fail, error or undecided.
    pub outcome: TestOutcome,
    /// Line of the expectation in the test file.
    pub line: usize,
    /// Expectation as text.
    pub expected: String,
    /// Meaning of a failure, as written by the author.
    pub why: Option<String>,
    /// Details of the actual result: values of the expression's parts, or a difference.
    pub found: Vec<String>,
    /// Excerpt of the transcript around the failure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<String>,
    /// First run with this failure, as `run` in conditions, if there are several.
    pub run: Option<u32>,
}

/// Judgement of one run, or of one checkpoint in it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// Line of the expectation in the test file.
    pub line: usize,
    /// Name of the judge's model.
    pub judge: String,
    /// Run, as `run` in conditions, if there are several.
    pub run: Option<u32>,
    /// Overall outcome, derived from the criteria.
    pub outcome: TestOutcome,
    /// Number of the utterance at which a failed checkpoint ended the run.
    pub stopped_after: Option<u32>,
    pub criteria: Vec<CriterionVerdict>,
}

/// Verdict of a judge on one criterion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CriterionVerdict {
    /// Criterion as written in the test.
    pub criterion: String,
    /// Outcome of the criterion: a pass if enough votes were a yes.
    pub outcome: TestOutcome,
    /// Number of yes votes.
    pub yes: u32,
    /// Number of no votes.
    pub no: u32,
    /// Number of unclear votes.
    pub unclear: u32,
    /// Reasoning of each vote.
    pub reasoning: Vec<String>,
}

/// Rate at which an expectation held in several runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// Expectation that is counted.
    pub of: String,
    /// Number of runs in which it was met.
    pub held: u32,
    /// Number of runs.
    pub runs: u32,
    /// 95 % Wilson score interval, from 0 to 1.
    pub interval: (f64, f64),
}
