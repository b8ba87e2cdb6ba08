//! Votes and verdicts as events: what was asked, what everybody answered, and what came of it by which rule.

use super::answer::CountedAnswer;
use super::ids::{SeatId, Text, TurnId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `vote.closed`: all have voted; nobody saw another's vote before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoteClosed {
    /// What was voted on.
    pub question: Text,
    /// The choices, in the order in which they were shown.
    pub options: Vec<Text>,
    /// Every vote.
    pub ballots: Vec<Ballot>,
    /// Votes for each choice.
    pub counts: BTreeMap<Text, u32>,
    /// The choice with most votes; none where several have as many, or nobody voted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Text>,
    /// How it came about, in words.
    pub how: Text,
    /// What each way of counting makes of the ballots, the deciding one first; none where only the majority was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<CountedAnswer>,
}

/// One vote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ballot {
    /// Whose.
    pub seat: SeatId,
    /// For what; none is an abstention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Text>,
    /// Why, or why there is no choice.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub why: Text,
    /// How sure they are, from 0 to 1, where the count asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// All choices, best first, where the count asks for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<Text>,
    /// A score from 0 to 10 for each choice, where the count asks for it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<Text, f64>,
}

impl Ballot {
    /// Returns the ballot of a voter who chose nothing, and why.
    pub fn abstained(seat: SeatId, why: &str) -> Ballot {
        Ballot {
            seat,
            choice: None,
            why: why.into(),
            confidence: None,
            ranking: vec![],
            scores: BTreeMap::new(),
        }
    }
}

/// `stance.recorded`: where somebody stands from here on, as their own reply said in its form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StanceRecorded {
    /// Whose.
    pub participant: SeatId,
    /// The turn whose reply said it.
    pub turn: TurnId,
    /// The utterance's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The answer it gave.
    pub stance: Text,
    /// How sure they are, in the measure they said it in, where they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

impl StanceRecorded {
    /// Returns whether it says the same as another one.
    pub fn says_as(&self, other: &StanceRecorded) -> bool {
        (&self.stance, self.confidence) == (&other.stance, other.confidence)
    }
}

/// `verdict.given`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictGiven {
    /// What was judged.
    pub question: Text,
    /// The sides.
    pub sides: Vec<Text>,
    /// The better side; none is a draw, or that nobody could be understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Text>,
    /// Mean scores from 0 to 10, of the sides that were scored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<Text, f64>,
    /// Every judgement.
    pub judgements: Vec<Judgement>,
    /// How it came about, in words.
    pub how: Text,
    /// The phase that was judged; the whole talk, if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Text>,
    /// Whether it was asked after a round, to see whether a side has won already: a winner then ends the phase or the talk.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interim: bool,
}

impl VerdictGiven {
    /// Returns whether nothing is left to judge unless somebody speaks again.
    pub fn settles(&self) -> bool {
        match self.interim {
            true => self.winner.is_some(),
            false => self.phase.is_none(),
        }
    }
}

/// One judgement of one judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Whose.
    pub judge: SeatId,
    /// The turn it was given in.
    pub turn: TurnId,
    /// Which of the times the judge was asked, from 1: a judgement with the sides swapped belongs to the one without.
    pub time: u32,
    /// Whether the sides were shown in reverse order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub swapped: bool,
    /// The better side, or `tie`; none is an abstention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Text>,
    /// Scores from 0 to 10.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<Text, f64>,
    /// Why.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub why: Text,
}
