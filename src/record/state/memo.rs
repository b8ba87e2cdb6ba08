//! Memo of a policy: the part of its last decision that it needs for the next one.
//!
//! The log keeps it as JSON, which programs read years later; a key that is renamed or changes its type needs a reader
//! for the old one. A memo that cannot be read counts as empty.

use crate::model::{BatchId, SeatId, Seq, Text, TurnId};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;

/// Memo of a policy. Each policy uses some of the keys; a missing key is `None`.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memo {
    /// Number of the plan in the conversation, from 1.
    pub number: Option<u32>,
    /// `seq` from which the exchange counts.
    pub from: Option<Seq>,
    /// Current task of the seats.
    pub step: Option<Task>,
    /// True if the engine let an executor continue without an answer of the planner.
    pub go_on: Option<bool>,
    /// Index of the next seat in the order.
    pub at: Option<usize>,
    /// Index of the next phase.
    pub phase: Option<usize>,
    /// Number of the round, from 1.
    pub round: Option<u32>,
    /// Number of turns given in the current round.
    pub place: Option<u64>,
    /// Number of rounds in earlier exchanges, in sessions of earlier programs.
    pub before: Option<u32>,
    /// Number of turns so far.
    pub turns: Option<u64>,
    /// The seat chosen last; in a fixed order, the seat that spoke before its first round.
    pub last: Option<SeatId>,
    /// The seat that chose the speaker, and its reason.
    pub chosen: Option<Chosen>,
    /// Memo of the fallback policy.
    pub fallback: Option<Box<Memo>>,
    /// Weight and use of the floor of each seat.
    pub shares: Option<Vec<FloorShare>>,
    /// Rule that discounts bids; absent in sessions of earlier programs, which keep their own rule.
    pub discount: Option<Text>,
    /// True if the seats that start by themselves had their turn.
    pub begun: Option<bool>,
    /// For each seat that ran, `seq` of the last entry at that time.
    pub ran: Option<BTreeMap<SeatId, Seq>>,
    /// For each seat, the number of times that each of its dependencies ran it.
    pub edges: Option<BTreeMap<SeatId, Vec<u32>>>,
    /// Requests that are not yet granted.
    pub asked: Option<Vec<SeatRequest>>,
    /// Requests to the seats of the batch, by seat.
    pub requests: Option<BTreeMap<SeatId, Vec<Asking>>>,
    /// `seq` of the last entry whose mentions were checked, or that the planner was asked about.
    pub heard: Option<Seq>,
    /// The seat that was passed over for a mention or request and is next.
    pub owed: Option<SeatId>,
    /// Batch, or failed attempts, that were already dealt with.
    pub counted: Option<Handled>,
    /// Reason why the plan was replaced, for people.
    pub why: Option<Text>,
    /// Turns whose answers a judge was asked about.
    pub judged: Option<Vec<TurnId>>,
    /// Turns whose answers were found not to be new.
    pub withdrawn: Option<Vec<TurnId>>,
    /// Seats whose answers can be voted for, if not all.
    pub tied: Option<Vec<SeatId>>,
    /// The seat whose answer won.
    pub winner: Option<SeatId>,
    /// Description of how the winner was found.
    pub how: Option<Text>,
}

crate::words! {
    /// Task of the seats of a batch, under policies with several.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Task {
        /// Answer, or vote for an answer.
        Work = "work",
        /// Vote for an answer.
        Ballot = "ballot",
        /// Vote for one of the tied answers.
        RunOff = "run_off",
        /// Judge: which of the tied answers wins, or whether a step is done.
        Judge = "judge",
        /// Judge whether an answer is new.
        Novelty = "novelty",
        /// Present the winning answer.
        Present = "present",
        /// Make a plan.
        Plan = "plan",
        /// Make another plan, after a failure or an operator message.
        PlanAgain = "plan_again",
        /// Answer from all results.
        Close = "close",
        /// Write a message in a step, as its executor.
        Execute = "execute",
        /// Answer an executor.
        Clarify = "clarify",
        /// Carry out a step as the planner.
        Do = "do",
    }
    /// Returns the name in logs and for rehearsed lines.
    fn as_str()
}

/// Choice of a speaker by another seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// The seat that chose.
    pub by: SeatId,
    /// The reason; empty without one.
    #[serde(default)]
    pub why: Text,
}

/// Work that was already dealt with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Handled {
    /// The last batch that was counted.
    Batch(BatchId),
    /// Threads of failed attempts that the planner was asked about; 0 for an attempt without a thread.
    Attempts(Vec<u64>),
}

/// A request of one seat to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asking {
    /// The requesting seat.
    pub by: SeatId,
    /// Text of the question.
    pub text: Text,
}

/// A request to a seat that has not spoken since; in the log a list of its fields.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SeatRequest {
    pub seat: SeatId,
    /// The requesting seat or person.
    pub by: Text,
    /// Text of the question; `None` if a person asked, whose message is in the conversation.
    pub text: Option<Text>,
}

impl Serialize for SeatRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.seat, &self.by, &self.text).serialize(serializer)
    }
}

/// A seat's weight and its use of the floor so far; in the log a list of its fields.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct FloorShare {
    pub seat: SeatId,
    /// Its weight, in thousandths.
    pub weight: u64,
    /// Turns, words or tokens that it has had.
    pub had: u64,
}

impl Serialize for FloorShare {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.seat, self.weight, self.had).serialize(serializer)
    }
}

impl Memo {
    /// Reads a memo from a log; one that cannot be read is empty.
    pub fn from_json(json: &Value) -> Memo {
        Memo::deserialize(json).unwrap_or_default()
    }

    /// Returns the memo for the log; null if it is empty.
    pub fn to_json(&self) -> Value {
        if *self == Memo::default() {
            return Value::Null;
        }
        serde_json::to_value(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn memos_keep_their_shape_in_logs() {
        let memos = [
            json!({"at": 2, "round": 1, "heard": 7, "owed": "bo"}),
            json!({"round": 3, "place": 1, "shares": [["ada", 1000, 2], ["bo", 500, 1]], "counted": 9}),
            json!({"last": "bo", "chosen": {"by": "chair", "why": "the costs"},
                   "fallback": {"at": 1, "round": 1}}),
            json!({"begun": true, "ran": {"ada": 4}, "edges": {"ada": [0, 2]},
                   "asked": [["bo", "ada", "why?"], ["cy", "the operator", null]],
                   "requests": {"bo": [{"by": "ada", "text": "why?"}]}, "heard": 4}),
            json!({"from": 0, "step": "run_off", "round": 2, "tied": ["ada", "bo"], "judged": [5], "withdrawn": [5]}),
            json!({"step": "present", "winner": "ada", "how": "2 votes of 3"}),
            json!({"number": 1, "step": "plan_again", "counted": [11, 0], "why": "step 2 failed"}),
            json!({"step": "execute", "go_on": true}),
        ];
        for memo in memos {
            assert_eq!(Memo::from_json(&memo).to_json(), memo);
        }
    }

    #[test]
    fn strange_memos_are_empty() {
        for strange in
            [Value::Null, json!([]), json!("x"), json!({"round": -1}), json!({"step": 5})]
        {
            assert_eq!(Memo::from_json(&strange).to_json(), Value::Null, "{strange}");
        }
    }

    #[test]
    fn tasks_have_the_names_of_the_log() {
        for task in [Task::RunOff, Task::PlanAgain, Task::Do] {
            assert_eq!(json!(task), task.as_str());
        }
    }
}
