//! Answers that participants give in their replies, and how one answer is made of many: the words for both.
//!
//! It reads and counts nothing: `reply` reads, `aggregate` counts.

use super::ids::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of answer in a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// A number, whole or with decimals.
    Number,
    /// A single letter, as in multiple choice.
    Letter,
    /// Text on one line; small and capital letters are the same.
    #[default]
    Text,
    /// A JSON value of any type.
    Json,
}

impl AnswerKind {
    /// Every kind, by the word that a file uses.
    pub const ALL: [(&'static str, AnswerKind); 4] = [
        ("number", AnswerKind::Number),
        ("letter", AnswerKind::Letter),
        ("text", AnswerKind::Text),
        ("json", AnswerKind::Json),
    ];

    /// Returns the kind of a word.
    pub fn named(word: &str) -> Option<AnswerKind> {
        AnswerKind::ALL.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind)
    }
}

/// How one answer is made of many.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Aggregation {
    /// The answer that most seats gave.
    #[default]
    Majority,
    /// The answer with the largest sum of confidence.
    Confidence,
    /// The answer of the participant with most points in the rankings: the best of n gets n - 1, the last one 0.
    Borda,
    /// The candidate with the highest mean score.
    Mean,
    /// The median of the answers, which are numbers.
    Median,
    /// The side that the judges found better.
    Judge,
    /// The answer of the participant with the highest mean score.
    Best,
    /// The answer that was given last.
    Last,
}

impl Aggregation {
    /// Every way, by the word that a file uses.
    pub const ALL: [(&'static str, Aggregation); 8] = [
        ("majority", Aggregation::Majority),
        ("confidence", Aggregation::Confidence),
        ("borda", Aggregation::Borda),
        ("mean", Aggregation::Mean),
        ("median", Aggregation::Median),
        ("judge", Aggregation::Judge),
        ("best", Aggregation::Best),
        ("last", Aggregation::Last),
    ];

    /// Returns the word that a file uses for it.
    pub fn name(self) -> &'static str {
        Aggregation::ALL.iter().find(|(_, way)| *way == self).map_or("", |(name, _)| name)
    }

    /// Returns whether the ballots of a vote can be counted so.
    pub fn counts_ballots(self) -> bool {
        match self {
            Aggregation::Majority
            | Aggregation::Confidence
            | Aggregation::Borda
            | Aggregation::Mean => true,
            Aggregation::Median | Aggregation::Judge | Aggregation::Best | Aggregation::Last => {
                false
            }
        }
    }

    /// Returns whether it is made of answers, so that participants are asked for one.
    pub fn reads_answers(self) -> bool {
        match self {
            Aggregation::Mean | Aggregation::Judge => false,
            Aggregation::Majority
            | Aggregation::Confidence
            | Aggregation::Borda
            | Aggregation::Median
            | Aggregation::Best
            | Aggregation::Last => true,
        }
    }

    /// Returns the way of a word.
    pub fn named(word: &str) -> Option<Aggregation> {
        Aggregation::ALL.iter().find(|(name, _)| *name == word).map(|(_, way)| *way)
    }
}

/// What breaks a tie between answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerTie {
    /// The vote has no answer.
    #[default]
    None,
    /// The one that was given first.
    First,
    /// Dice, from the seed.
    Random,
}

impl AnswerTie {
    /// Returns whether a tie stays one.
    pub fn is_none(&self) -> bool {
        *self == AnswerTie::None
    }
}

/// The result of one way of counting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountedAnswer {
    /// The way of counting.
    pub by: Aggregation,
    /// The answer with the most weight; none at an unbroken tie, and where there was nothing to count.
    pub answer: Option<Text>,
    /// The answers that have as much as the first, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<Text>,
    /// The weight of each answer: votes, confidence, points or a mean score; the highest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<(Text, f64)>,
}

impl CountedAnswer {
    /// Returns it in words: `borda: tea (tea 4, coffee 2)`.
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

/// The answer of a conversation that was to find one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FoundAnswer {
    /// The answer; none at an unbroken tie, and where there was nothing to count.
    pub answer: Option<Text>,
    /// The way of counting that decided.
    pub by: Aggregation,
    /// How many answers were asked for.
    pub of: u32,
    /// How many of them could not be read.
    pub abstained: u32,
    /// The results of all ways of counting that had something to count.
    pub ways: Vec<CountedAnswer>,
}

impl FoundAnswer {
    /// Returns the result in words, as the end of the conversation shows it.
    pub fn told(&self) -> String {
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
