//! Votes and verdicts as events: the question, the answers, and the result by which rule.

use super::answer::CountedAnswer;
use super::ids::{SeatId, Text, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `vote.closed`: a secret vote has closed.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VoteClosed {
    /// The question.
    pub question: Text,
    /// The choices, in display order.
    pub options: Vec<Text>,
    /// One ballot per voter, including abstentions.
    pub ballots: Vec<Ballot>,
    /// Number of votes for each choice.
    pub counts: BTreeMap<Text, u32>,
    /// The choice with the most votes; absent for a tie or if nobody voted.
    pub winner: Option<Text>,
    /// The result, as text.
    pub how: Text,
    /// The result of each way of counting, the deciding one first; absent if only the majority was counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<CountedAnswer>,
    /// The time of the poll that it is part of.
    pub poll: Option<PollTime>,
}

impl VoteClosed {
    /// Returns whether the vote is taken twice, so that no winner counts but the change between both.
    pub fn is_compared(&self) -> bool {
        self.poll.is_some()
    }

    /// Returns the name of this kind of vote.
    pub fn kind(&self) -> &'static str {
        match self.poll {
            None => "vote",
            Some(PollTime::Before) => "poll before the first turn",
            Some(PollTime::After) => "poll after the last turn",
        }
    }
}

/// The time of a poll that is taken twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PollTime {
    /// Before the first turn.
    Before,
    /// After the last turn.
    After,
}

/// The vote of one participant.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ballot {
    /// The voter.
    pub seat: SeatId,
    /// The choice; absent for an abstention.
    pub choice: Option<Text>,
    /// The reason for the choice, or for the abstention.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub why: Text,
    /// Confidence from 0 to 1, if the count uses it.
    pub confidence: Option<f64>,
    /// All choices, best first, if the count uses a ranking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<Text>,
    /// A score from 0 to 10 for each choice, if the count uses scores.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<Text, f64>,
}

impl Ballot {
    /// Returns an abstention with its reason.
    pub fn abstained(seat: SeatId, why: &str) -> Ballot {
        Ballot { seat, why: why.into(), ..Ballot::default() }
    }
}

/// `verdict.given`: the judges gave a verdict.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictGiven {
    /// The question.
    pub question: Text,
    /// Names of the sides, in the order of the scenario.
    pub sides: Vec<Text>,
    /// The winner; absent for a draw or if no judgement was readable.
    pub winner: Option<Text>,
    /// Mean score from 0 to 10 of each scored side.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<Text, f64>,
    /// Every judgement; an unreadable one is an abstention.
    pub judgements: Vec<Judgement>,
    /// The result, as text.
    pub how: Text,
    /// The judged phase; absent for the whole conversation.
    pub phase: Option<Text>,
    /// True if it was asked after a round; a winner then ends the phase or the conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interim: bool,
}

impl VerdictGiven {
    /// Returns whether no side won although judgements were readable (in both orders, if both were asked for). Without
    /// a readable judgement there is no verdict at all.
    pub fn is_draw(&self) -> bool {
        let same = |a: &Judgement, b: &Judgement| a.judge == b.judge && a.time == b.time;
        let read = |one: &&Judgement| {
            self.judgements.iter().filter(|j| same(j, one)).all(|j| j.winner.is_some())
        };
        self.winner.is_none() && self.judgements.iter().any(|j| read(&j))
    }

    /// Returns whether nothing is left to judge until the next turn.
    pub fn settles(&self) -> bool {
        if self.interim { self.winner.is_some() } else { self.phase.is_none() }
    }
}

/// One judgement of one judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// The judge.
    pub judge: SeatId,
    /// The turn of the judgement.
    pub turn: TurnId,
    /// Number of the request to this judge, from 1; the swapped judgement has the number of its pair.
    pub time: u32,
    /// True if the sides were in reverse order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub swapped: bool,
    /// The better side, or `tie`; absent for an abstention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Text>,
    /// Scores from 0 to 10, by side.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<Text, f64>,
    /// The judge's reasons.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub why: Text,
    /// By side, the point of the other side that it never answered.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unanswered: BTreeMap<Text, Text>,
    /// Numbers of the turns that decided the debate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided_by: Vec<u32>,
}
