//! The results of a batch, as JSON lines: one for each conversation, appended when it is over; the last line of an item
//! and protocol counts. A line that a kill cut in two is reported and left out: its conversation is still in its
//! session, and no call is repeated.

use super::called::ModelCalls;
use super::items::hash;
use crate::model::{FoundAnswer, StopReason};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of the format of a line.
pub const VERSION: u32 = 1;

/// How a conversation of a batch came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultOutcome {
    /// It reached its end, and no turn failed.
    Ended,
    /// It failed, or one of its turns did: what it says is not what the protocol would have said.
    Failed,
}

/// The result of one conversation, as one JSON line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultLine {
    /// The version of the format, [`VERSION`] for new lines.
    pub version: u32,
    /// The item's name.
    pub item: String,
    /// Its line in the file of items.
    pub line: u64,
    /// The protocol's name.
    pub protocol: String,
    /// The digest of everything that decides on its outcome: prompts, models, judges.
    pub fingerprint: String,
    /// The digest of its judge alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The session, beside the file of results.
    pub session: String,
    /// Whether it counts as a result of its protocol.
    pub outcome: ResultOutcome,
    /// Why the conversation ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<StopReason>,
    /// The first failure, in words; none where nothing failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The right answer; none where the item has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Value>,
    /// The answer, and what other ways of counting make of the same replies; none where no answer was to be found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<FoundAnswer>,
    /// Whether the answer is the key; none where there is no key, or no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct: Option<bool>,
    /// Calls, tokens, dollars, time and rounds.
    #[serde(flatten)]
    pub measured: Measured,
}

/// Measurements of one conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Calls by what they were for, retries apart.
    pub calls: BTreeMap<String, u64>,
    /// Calls that were retried, after failures or wrong forms.
    pub retries: u64,
    /// Replies that ended at their token limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut: u64,
    /// The fewest and the most calls by the protocol's formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<(u64, u64)>,
    /// Tokens that models read, in all calls.
    pub input: u64,
    /// Tokens that models wrote, in all calls.
    pub output: u64,
    /// Dollars; none where a model has no known price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Duration of the conversation, in milliseconds.
    pub ms: u64,
    /// How everybody stood after each answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
    /// The first round whose majority is right, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_correct: Option<u32>,
    /// How often a seat changed its answer.
    pub flips: u32,
    /// Changes from a wrong answer to the right one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rescued: Vec<Turned>,
    /// Changes from the right answer to a wrong one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bullied: Vec<Turned>,
    /// The last answers of those who said how sure they are, where there is a key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sure: Vec<Sure>,
    /// The judgements of its verdict.
    #[serde(default, skip_serializing_if = "JudgeCounts::is_empty")]
    pub judgements: JudgeCounts,
    /// Calls by model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, ModelCalls>,
}

/// A seat's last answer with its confidence: what it thinks the probability is that it is right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sure {
    /// The seat's id.
    pub seat: String,
    /// The stated confidence, from 0 to 1.
    pub confidence: f64,
    /// Whether the answer is right.
    pub correct: bool,
}

/// Counts over the judgements of a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgeCounts {
    /// Judgements that could be read.
    pub read: u32,
    /// Judgements without a readable winner.
    #[serde(skip_serializing_if = "is_zero")]
    pub unread: u32,
    /// Readable ones by winner; a tie is a side of its own.
    pub won: BTreeMap<String, u32>,
    /// How many of them went to the side that was shown first.
    pub first_side: u32,
    /// Judgements that could be read with the sides in both orders.
    pub both_ways: u32,
    /// How many of those changed with the order.
    pub swap_flips: u32,
    /// Pairs of judges who judged the same.
    pub pairs: u32,
    /// How many of those pairs agree.
    pub agreed: u32,
}

fn is_zero<N: Default + PartialEq>(n: &N) -> bool {
    *n == N::default()
}

impl JudgeCounts {
    fn is_empty(&self) -> bool {
        *self == JudgeCounts::default()
    }
}

/// All positions after a number of answers from each seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The last answers by seat; null is an abstention.
    pub answers: BTreeMap<String, Option<String>>,
    /// The most common answer; none at a tie.
    pub majority: Option<String>,
    /// Whether that is right, where there is a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct: Option<bool>,
    /// The share of everybody asked that gave the most common answer.
    pub agreement: f64,
    /// The effective number of answers: how many equally frequent ones would be as diverse.
    pub effective: f64,
    /// The share of three-word sequences that are new in the conversation, over the replies of the round.
    pub novelty: f64,
}

/// A seat that changed its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turned {
    /// The seat's id.
    pub seat: String,
    /// With which of its answers, from 2.
    pub round: u32,
    /// The seats whose answer it took over, of those whose answers it was shown.
    pub after: Vec<String>,
}

/// The results so far, in a few bytes each.
#[derive(Debug, Default)]
pub struct KnownResults {
    /// The outcome and the tokens by the hash of item and protocol.
    outcomes: BTreeMap<u64, (ResultOutcome, u64)>,
    /// How many conversations are over, by protocol.
    protocols: BTreeMap<String, u64>,
    /// Fingerprints by protocol.
    pub fingerprints: BTreeMap<String, String>,
    /// The sum over all lines, in dollars.
    pub usd: f64,
    /// The sum over all lines, in tokens.
    pub tokens: u64,
    /// Lines that could not be read, by their number.
    pub damaged: Vec<u64>,
}

impl KnownResults {
    /// Returns the outcome of an item's conversation; none while it is not over.
    pub fn outcome(&self, item: &str, protocol: &str) -> Option<ResultOutcome> {
        self.outcomes.get(&place(item, protocol)).map(|(outcome, _)| *outcome)
    }

    /// Returns the tokens of an item's conversation, read and written; none while it is not over.
    pub fn tokens_of(&self, item: &str, protocol: &str) -> Option<u64> {
        self.outcomes.get(&place(item, protocol)).map(|(_, tokens)| *tokens)
    }

    /// Adds a result.
    pub fn take(&mut self, line: &ResultLine) {
        let tokens = line.measured.input + line.measured.output;
        let place = place(&line.item, &line.protocol);
        if self.outcomes.insert(place, (line.outcome, tokens)).is_none() {
            *self.protocols.entry(line.protocol.clone()).or_default() += 1;
        }
        self.fingerprints.insert(line.protocol.clone(), line.fingerprint.clone());
        self.usd += line.measured.usd.unwrap_or_default();
        self.tokens += tokens;
    }

    /// Returns how many conversations failed.
    pub fn failed(&self) -> usize {
        self.outcomes.values().filter(|(o, _)| *o == ResultOutcome::Failed).count()
    }

    /// Returns how many conversations are over, failed ones included.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Returns how many conversations of other protocols than these are over.
    pub fn beside(&self, names: &[&str]) -> u64 {
        self.protocols
            .iter()
            .filter(|(name, _)| !names.contains(&name.as_str()))
            .map(|(_, n)| n)
            .sum()
    }

    /// Returns whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }
}

fn place(item: &str, protocol: &str) -> u64 {
    hash(&format!("{}:{item}{protocol}", item.len()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a result without an answer.
    pub(in crate::batch) fn a_result(item: &str, protocol: &str) -> ResultLine {
        ResultLine {
            version: VERSION,
            item: item.into(),
            line: 1,
            protocol: protocol.into(),
            fingerprint: "f".into(),
            judge: None,
            session: "s".into(),
            outcome: ResultOutcome::Ended,
            reason: None,
            error: None,
            key: None,
            answered: None,
            correct: None,
            measured: Measured::default(),
        }
    }
}
