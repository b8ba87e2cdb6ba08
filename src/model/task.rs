//! Batches that no policy asked for: a judgement, a casting vote, a stop rule, a summary.

use super::ids::{SeatId, Seq, Text};
use super::reason::StopReason;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The task of a judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JudgeTask {
    /// A verdict on the sides of a contest.
    Verdict {
        /// Which of the times the judges are asked, from 1.
        time: u32,
        /// Whether the sides are shown in reverse order.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        swapped: bool,
        /// The sides behind the labels that the judges see; empty where they see the sides' own names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        labels: Vec<Text>,
        /// The label of each seat, by id.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        seats: BTreeMap<SeatId, Text>,
        /// Whether it is asked after a round, only to see if a side has already won.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        interim: bool,
        /// The end of the conversation that follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ends: Option<(StopReason, Option<Text>)>,
    },
    /// The casting vote on a tie.
    Casting,
    /// The stop rule at this place, from 0.
    Stop(u32),
}

/// The seat whose view of the conversation is summed up, and how far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryTask {
    /// The seat that reads the summary instead of what it covers.
    pub viewer: SeatId,
    /// The place of the last thing in it.
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
        })
    }
}
