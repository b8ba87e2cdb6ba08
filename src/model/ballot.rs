//! Votes and verdicts as events: what was asked, what everybody answered, and what came of it by which rule.

use super::answer::CountedAnswer;
use super::ids::{SeatId, Text, TurnId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `vote.closed`: all have voted; nobody saw another vote before casting their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoteClosed {
    /// The question as the voters read it.
    pub question: Text,
    /// The choices, in the order in which they were shown.
    pub options: Vec<Text>,
    /// One ballot for each voter, abstentions included.
    pub ballots: Vec<Ballot>,
    /// The number of votes for each choice.
    pub counts: BTreeMap<Text, u32>,
    /// The choice with the most votes; none at a tie, and where nobody voted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Text>,
    /// How it came about, in words.
    pub how: Text,
    /// The result of each way of counting, the deciding one first; empty where only the majority was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<CountedAnswer>,
}

/// One seat's vote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ballot {
    /// The seat that votes.
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

/// `stance.recorded`: a participant's position from here on, as its own reply stated it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StanceRecorded {
    /// The participant whose position it is.
    pub participant: SeatId,
    /// The turn whose reply said it.
    pub turn: TurnId,
    /// The utterance's number, from 1; none where the turn was no utterance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The position, spelled as the reply's answer.
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
    /// The question as the judges read it.
    pub question: Text,
    /// The names of the sides, in the order of the scenario.
    pub sides: Vec<Text>,
    /// The better side; none at a draw, and where no judgement could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Text>,
    /// Mean scores from 0 to 10, of the sides that were scored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<Text, f64>,
    /// Every judgement that counts, unreadable ones included as abstentions.
    pub judgements: Vec<Judgement>,
    /// How it came about, in words.
    pub how: Text,
    /// The phase that was judged; none for the whole conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Text>,
    /// Whether it was asked after a round, to see whether a side has already won: a winner then ends the phase or the
    /// conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interim: bool,
}

impl VerdictGiven {
    /// Returns whether no side is better by judgements that could be read, in both orders where they were asked for in both;
    /// without any it is no verdict at all.
    pub fn is_draw(&self) -> bool {
        let same = |a: &Judgement, b: &Judgement| a.judge == b.judge && a.time == b.time;
        let read = |one: &&Judgement| {
            self.judgements.iter().filter(|j| same(j, one)).all(|j| j.winner.is_some())
        };
        self.winner.is_none() && self.judgements.iter().any(|j| read(&j))
    }

    /// Returns whether there is nothing left to judge until another turn is taken.
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
    /// The judge's seat.
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
    /// Scores from 0 to 10, by side.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<Text, f64>,
    /// The judge's reasons; empty where it gave none.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub why: Text,
}
