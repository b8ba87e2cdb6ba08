//! Batches opened by the engine and not by a policy: a judgement, a casting vote, a stop rule, a summary. Also the
//! questions that a batch leaves open.

use super::ids::{SeatId, Seq, Text, TurnId};
use super::reason::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The task of a judge.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgeTask {
    /// A verdict on the sides of a contest.
    Verdict {
        /// Number of the request to the judges, from 1.
        time: u32,
        /// True if the sides are in reverse order.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        swapped: bool,
        /// Real sides behind the labels in the prompt; empty if the prompt shows their names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        labels: Vec<Text>,
        /// Label of each participant, by id.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        seats: BTreeMap<SeatId, Text>,
        /// True if it is asked after a round, to find out if a side has already won.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        interim: bool,
        /// The end of the conversation that follows.
        ends: Option<(StopReason, Option<Text>)>,
        /// Index of the stop rule that causes this end.
        rule: Option<u32>,
    },
    /// The casting vote on a tie.
    Casting,
    /// Index of the stop rule, from 0.
    Stop(u32),
}

/// Reader and range of a summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryTask {
    /// The participant who reads the summary.
    pub viewer: SeatId,
    /// The `seq` of the last summarised event.
    pub upto: Seq,
}

impl JudgeTask {
    /// Reads what earlier versions noted where a policy has its memo.
    pub(super) fn in_memo(memo: &Value) -> Option<JudgeTask> {
        let number = |v: &Value| u32::try_from(v.as_u64()?).ok();
        if let Some(rule) = number(&memo["stop"]) {
            return Some(JudgeTask::Stop(rule));
        }
        if memo["casting"] == true {
            return Some(JudgeTask::Casting);
        }
        Some(JudgeTask::Verdict {
            time: number(&memo["verdict"])?,
            swapped: memo["swapped"].as_bool()?,
            labels: serde_json::from_value(memo["labels"].clone()).ok()?,
            seats: serde_json::from_value(memo["seats"].clone()).ok()?,
            interim: memo["interim"] == true,
            ends: serde_json::from_value(memo["ends"].clone()).ok()?,
            rule: None,
        })
    }
}

/// A question that its seat has not answered: the seat has not spoken since.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionDebt {
    /// The participant who asked; absent for the operator.
    pub from: Option<SeatId>,
    /// The participant who owes the answer.
    pub to: SeatId,
    /// The turn of the question; absent for the operator.
    pub turn: Option<TurnId>,
    /// The question, on one line, shortened.
    pub quote: Text,
}
