//! Vocabulary of answers in replies and of their aggregation.
//!
//! `reply` parses answers, `aggregate` counts them.

use super::ids::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

crate::words! {
    /// The kind of answer in a reply.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum AnswerKind {
        /// A number, whole or with decimals.
        Number = "number",
        /// A single letter, as in multiple choice.
        Letter = "letter",
        /// Text on one line, ignoring case.
        #[default]
        Text = "text",
        /// A JSON value of any type.
        Json = "json",
    }
    /// Returns its name in a file.
    fn name()
}

impl AnswerKind {
    /// Returns the kind with a name.
    pub fn by_name(word: &str) -> Option<AnswerKind> {
        AnswerKind::ALL.into_iter().find(|kind| kind.name() == word)
    }
}

crate::words! {
    /// Way of combining many answers into one.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
    )]
    #[serde(rename_all = "snake_case")]
    pub enum Aggregation {
        /// The most frequent answer.
        #[default]
        Majority = "majority",
        /// The answer with the largest sum of confidence.
        Confidence = "confidence",
        /// The answer of the participant with the most points in the rankings: n - 1 for the best of n, 0 for the last.
        Borda = "borda",
        /// The candidate with the highest mean score.
        Mean = "mean",
        /// The median of numeric answers.
        Median = "median",
        /// The side that the judges preferred.
        Judge = "judge",
        /// The answer of the participant with the highest mean score.
        Best = "best",
        /// The last answer.
        Last = "last",
        /// The answer with the highest score over all rounds of all participants.
        Trajectory = "trajectory",
    }
    /// Returns its name in a file.
    fn name()
}

impl Aggregation {
    /// Returns whether it can count the ballots of a vote.
    pub fn counts_ballots(self) -> bool {
        matches!(
            self,
            Aggregation::Majority
                | Aggregation::Confidence
                | Aggregation::Borda
                | Aggregation::Mean
        )
    }

    /// Returns whether it counts answers, so that participants are asked for one.
    pub fn reads_answers(self) -> bool {
        !matches!(self, Aggregation::Mean | Aggregation::Judge)
    }

    /// Returns the way with a name.
    pub fn by_name(word: &str) -> Option<Aggregation> {
        Aggregation::ALL.into_iter().find(|way| way.name() == word)
    }
}

/// Scores of answers over the rounds; each is divided by the number of its round, because later answers conform more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrajectoryScores {
    /// For the first answer of a participant.
    pub first: f64,
    /// Taken from an answer that a participant leaves.
    pub left: f64,
    /// For the answer that it changes to.
    pub adopted: f64,
    /// For an answer that it keeps.
    pub kept: f64,
}

impl Default for TrajectoryScores {
    fn default() -> TrajectoryScores {
        TrajectoryScores { first: 20.0, left: 25.0, adopted: 30.0, kept: 20.0 }
    }
}

/// Rule for a tie between answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerTie {
    /// The vote has no answer.
    #[default]
    None,
    /// The answer that was given first wins.
    First,
    /// A random answer, by the seed, wins.
    Random,
}

impl AnswerTie {
    /// Returns whether ties are left unbroken.
    pub fn is_none(&self) -> bool {
        *self == AnswerTie::None
    }
}

/// The result of one way of counting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountedAnswer {
    /// The way of counting.
    pub by: Aggregation,
    /// The answer with the most weight; absent for an unbroken tie or if nothing was counted.
    pub answer: Option<Text>,
    /// All tied answers, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<Text>,
    /// Weight of each answer: votes, confidence, points or a mean score; the highest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<(Text, f64)>,
}

impl CountedAnswer {
    /// Returns the result as text: `borda: tea (tea 4, coffee 2)`.
    pub fn words(&self) -> String {
        let answer = match (&self.answer, &self.tied[..]) {
            (Some(answer), []) => answer.to_string(),
            (Some(answer), _) => format!("{answer}, after a tie"),
            (None, []) => return format!("{}: nothing to count", self.by.name()),
            (None, tied) => format!("tie of {}", tied.join(" and ")),
        };
        let rounded = |weight: f64| (weight * 100.0).round() / 100.0;
        let weights: Vec<String> = self
            .weights
            .iter()
            .map(|(answer, weight)| format!("{answer} {}", rounded(*weight)))
            .collect();
        format!("{}: {answer} ({})", self.by.name(), weights.join(", "))
    }
}

/// The answer of a conversation with `[answer]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundAnswer {
    /// The answer; absent for an unbroken tie or if nothing was counted.
    pub answer: Option<Text>,
    /// The way of counting that decided.
    pub by: Aggregation,
    /// Number of requested answers.
    pub of: u32,
    /// Number of unreadable answers.
    pub abstained: u32,
    /// Results of all ways of counting with data.
    pub ways: Vec<CountedAnswer>,
}

impl FoundAnswer {
    /// Returns the result as text, for the end of the conversation.
    pub fn describe(&self) -> String {
        let counted = self.ways.iter().find(|way| way.by == self.by);
        let way = self.by.name();
        let mut told = match (&self.answer, counted.map(|c| &c.tied[..])) {
            (Some(answer), Some([])) => format!("answer {answer} ({way})"),
            (Some(answer), _) => format!("answer {answer} ({way}, after a tie)"),
            (None, Some([_, ..])) => format!("no answer: a tie ({way})"),
            (None, _) => format!("no answer ({way})"),
        };
        if self.abstained > 0 {
            told.push_str(&format!(", {} of {} abstained", self.abstained, self.of));
        }
        told
    }
}
