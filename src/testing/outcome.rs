//! How a test went: five outcomes that stay apart in every report, and what a person needs to know of each.

use serde::Serialize;

/// How a test, a run or an expectation went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// Everything that was expected is true.
    Pass,
    /// Undecided: judges disagree, or a judgement is unreadable.
    Undecided,
    /// Something that was expected is not true.
    Fail,
    /// It could not be run, or an expectation could not be evaluated.
    Error,
    /// The tests were stopped before it was over.
    Cancelled,
}

impl TestOutcome {
    /// All of them, in the order of a summary.
    pub const ALL: [TestOutcome; 5] = [
        TestOutcome::Pass,
        TestOutcome::Fail,
        TestOutcome::Error,
        TestOutcome::Undecided,
        TestOutcome::Cancelled,
    ];

    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            TestOutcome::Pass => "pass",
            TestOutcome::Undecided => "undecided",
            TestOutcome::Fail => "fail",
            TestOutcome::Error => "error",
            TestOutcome::Cancelled => "cancelled",
        }
    }

    /// Returns the word behind a number of them.
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Broken {
    /// Whether it is false, could not be evaluated, or is undecided.
    pub outcome: TestOutcome,
    /// The line of the test file.
    pub line: usize,
    /// The expected value, in words.
    pub expected: String,
    /// What a failure means, in the author's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What was found: the values of the expression's parts, a difference.
    pub found: Vec<String>,
    /// The piece of the transcript around it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<String>,
    /// The run in which it was seen first, as `run` in conditions, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u32>,
}

/// What a judge said of one run, or of one checkpoint in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// The line of the test file.
    pub line: usize,
    /// The name of the model that judged.
    pub judge: String,
    /// The run, as `run` in conditions, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u32>,
    /// The whole, derived from its criteria.
    pub outcome: TestOutcome,
    /// A verdict for each criterion.
    pub criteria: Vec<CriterionVerdict>,
}

/// What a judge said of one criterion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CriterionVerdict {
    /// As the test has it.
    pub criterion: String,
    /// Whether enough votes were a yes.
    pub outcome: TestOutcome,
    /// Votes that it is met.
    pub yes: u32,
    /// Votes that it is not.
    pub no: u32,
    /// Votes that are neither yes nor no.
    pub unclear: u32,
    /// The reasoning of each vote.
    pub reasoning: Vec<String>,
}

/// How often something held in several runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// The expectation that is counted.
    pub of: String,
    /// In how many runs it was met.
    pub held: u32,
    /// How many runs there were.
    pub runs: u32,
    /// The 95 % interval after Wilson, from 0 to 1.
    pub interval: (f64, f64),
}
