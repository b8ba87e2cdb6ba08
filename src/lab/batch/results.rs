//! The results of a batch as JSON lines, one per conversation, appended when it is over. The last line of an item and
//! arm counts. A line cut off by a kill is reported and skipped: its conversation is still in its session, so no
//! call is repeated.

use super::called::ModelCalls;
use super::items::{BatchItem, hash};
use crate::model::payload::ModelAdapted;
use crate::model::{FoundAnswer, StopReason};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Version of the line format.
pub const VERSION: u32 = 2;
/// Largest accepted count of a result: about 69 billion.
const COUNT_MAX: u64 = 1 << 36;

/// Outcome of a conversation in a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultOutcome {
    /// It reached its end, and no turn failed.
    #[default]
    Ended,
    /// The conversation or one of its turns failed, so its answer may differ from that of a complete run.
    Failed,
}

/// The result of one conversation, as one JSON line. Every line has every key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResultLine {
    /// Version of the format, [`VERSION`] for new lines.
    pub version: u32,
    /// Name of the arm.
    #[serde(default)]
    pub arm: String,
    /// Name of the protocol.
    pub protocol: String,
    /// Models of the arm's seats, in the order of their first seat; `None` without models.
    pub model: Option<String>,
    /// Name of the item.
    pub item: String,
    /// Number of the repetition of the item, from 1.
    #[serde(default = "first")]
    pub repeat: u32,
    /// Seed of the batch.
    pub seed: Option<u64>,
    /// Part of the items, as in `1/4`; `None` for all.
    pub shard: Option<String>,
    /// Outcome; decides whether it counts as a result of its arm.
    pub outcome: ResultOutcome,
    /// Right answer in canonical form, a list if several are right; `None` if the item has none.
    pub key: Option<Value>,
    /// Answer in canonical form; `None` in a tie, or if none was found.
    pub answer: Option<String>,
    /// True if the answer is right; false in a tie and without an answer. `None` without a key or after a failure.
    pub correct: Option<bool>,
    /// True if several answers tied for the most votes.
    #[serde(default)]
    pub tie: bool,
    /// True if the conversation ended without a readable answer and without a tie.
    #[serde(default)]
    pub unread: bool,
    /// True if it ended with a key and with an answer or a tie.
    #[serde(default)]
    pub scored: bool,
    /// Calls for all purposes.
    #[serde(default)]
    pub calls_total: u64,
    /// Input tokens of all calls.
    pub input: u64,
    /// Output tokens of all calls.
    pub output: u64,
    /// Cost in dollars; `None` if the price of a model is unknown.
    pub usd: Option<f64>,
    /// Duration of the conversation, in milliseconds.
    pub ms: u64,
    /// Replies that were cut at their token limit.
    #[serde(default)]
    pub cut: u64,
    /// Calls whose prompt left out a part of the conversation, because the context window was too small.
    #[serde(default)]
    pub truncated: u64,
    /// Path of the session, relative to the results file.
    pub session: String,
    /// Group of the item; `None` without one.
    pub group: Option<String>,
    /// Line of the item in its file.
    pub line: u64,
    /// Digest of the item's fields and its right answer; empty in older results.
    #[serde(default)]
    pub content: String,
    /// Digest of everything that affects the outcome: prompts, models, judges.
    pub fingerprint: String,
    /// Digest of the judge alone.
    pub judge: Option<String>,
    /// Reason for the end of the conversation.
    pub reason: Option<StopReason>,
    /// Text of the first failure; `None` if nothing failed.
    pub error: Option<String>,
    /// Settings that were not sent as the scenario has them.
    #[serde(default)]
    pub adapted: Vec<ModelAdapted>,
    /// Answer of the conversation, with the outcomes of other aggregations of the same replies; `None` if no answer was
    /// asked for.
    pub answered: Option<FoundAnswer>,
    /// Calls and rounds.
    #[serde(flatten)]
    pub measured: Measured,
}

/// Line and name of the item, arm, seed and repetition of a conversation.
pub type ResultPlace = (u64, String, String, Option<u64>, u32);

fn first() -> u32 {
    1
}

impl ResultLine {
    /// Returns the key that results of the same conversation share; the last of them counts.
    pub fn place(&self) -> ResultPlace {
        (self.line, self.item.clone(), self.arm.clone(), self.seed, self.repeat)
    }

    /// Parses a line of version 1 or 2.
    pub(super) fn parse(line: &[u8]) -> Option<ResultLine> {
        let mut line: ResultLine = serde_json::from_slice(line).ok()?;
        if line.version < VERSION {
            line.arm.clone_from(&line.protocol);
            line.judge_answer();
        }
        let is_known = line.version <= VERSION && line.can_be_summed();
        is_known.then_some(line)
    }

    /// Sets the columns that follow from the answer, the key, the outcome and the calls.
    pub(super) fn judge_answer(&mut self) {
        let answered = self.answered.as_ref();
        let ended = self.outcome == ResultOutcome::Ended;
        self.answer = answered.and_then(|a| a.answer.as_deref()).map(str::to_owned);
        self.tie = ended && self.answer.is_none() && answered.is_some_and(is_tie);
        self.unread = ended && self.answer.is_none() && !self.tie && answered.is_some();
        let keyed = ended && self.key.is_some();
        self.correct = keyed.then(|| self.correct.unwrap_or(false));
        self.scored = keyed && (self.answer.is_some() || self.tie);
        // a file of somebody else may hold any number
        self.calls_total = self.measured.calls.values().fold(0, |all, n| all.saturating_add(*n));
    }

    /// Returns whether every count is small enough that sums over a whole file cannot overflow.
    fn can_be_summed(&self) -> bool {
        let measured = &self.measured;
        let models = measured.models.values().flat_map(|m| [m.calls, m.unanswered]);
        let planned = measured.planned.iter().flat_map(|(least, most)| [*least, *most]);
        let sums = [measured.retries, measured.disagrees, self.cut, self.truncated, self.ms];
        sums.into_iter()
            .chain([self.input, self.output, self.calls_total])
            .chain(measured.calls.values().copied())
            .chain(models.chain(planned))
            .all(|count| count <= COUNT_MAX)
    }
}

/// Returns whether several answers tied for the most votes.
fn is_tie(answered: &FoundAnswer) -> bool {
    answered.ways.iter().any(|way| way.by == answered.by && way.tied.len() > 1)
}

/// Measurements of one conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Calls by purpose, including retries of replies that were rejected; a call without a reply counts once with its
    /// retries.
    pub calls: BTreeMap<String, u64>,
    /// Calls that were retried, after failures or malformed replies.
    pub retries: u64,
    /// Replies with an answer in a box and another one behind a marker.
    #[serde(default)]
    pub disagrees: u64,
    /// Minimum and maximum calls by the protocol's formula.
    pub planned: Option<(u64, u64)>,
    /// Positions of all seats after each round of answers.
    #[serde(default)]
    pub rounds: Vec<Round>,
    /// First round whose majority is right, from 1.
    pub first_correct: Option<u32>,
    /// Number of changed answers.
    pub flips: u32,
    /// Changes from a wrong answer to the right one.
    #[serde(default)]
    pub rescued: Vec<Turned>,
    /// Changes from the right answer to a wrong one.
    #[serde(default)]
    pub bullied: Vec<Turned>,
    /// Last answers that state a confidence, if there is a key.
    #[serde(default)]
    pub sure: Vec<Sure>,
    /// Answers held and lost, if there is a key.
    #[serde(default)]
    pub held: Held,
    /// Judgements of the verdict.
    #[serde(default)]
    pub judgements: JudgeCounts,
    /// Calls by model.
    #[serde(default)]
    pub models: BTreeMap<String, ModelCalls>,
}

/// Counts of answers that were held, adopted and given up from round to round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Held {
    /// Answers that differed from the majority of their round and were followed by another answer.
    pub minority: u32,
    /// Number of these whose seat then gave the majority's answer.
    pub adopted: u32,
    /// Right answers that were followed by another answer.
    pub right: u32,
    /// Number of these whose seat then gave a wrong answer.
    pub broken: u32,
    /// True if any seat gave the right answer in any round.
    pub found: bool,
}

/// Last answer of a seat with its stated probability of being right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sure {
    /// Id of the seat.
    pub seat: String,
    /// Stated confidence, from 0 to 1.
    pub confidence: f64,
    /// True if the answer is right.
    pub correct: bool,
}

/// Counts over the judgements of a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgeCounts {
    /// Readable judgements.
    pub read: u32,
    /// Judgements without a readable winner.
    pub unread: u32,
    /// Number of readable judgements whose winner is the expected answer; `None` without one.
    pub right: Option<u32>,
    /// Readable judgements by winner. A tie counts as a side of its own.
    pub won: BTreeMap<String, u32>,
    /// Readable judgements won by the side shown first.
    pub first_side: u32,
    /// Pairs of readable judgements of one judge with the sides in both orders.
    pub both_ways: u32,
    /// Number of these pairs in which only the labels of the sides changed places, not their speeches.
    pub labels_only: u32,
    /// Number of these pairs whose winner changed with the order.
    pub swap_flips: u32,
    /// Pairs of readable judgements by different judges, with the sides in the same order.
    pub pairs: u32,
    /// Number of these pairs that agree.
    pub agreed: u32,
}

/// Positions of all seats after a round of answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Last answer of each seat; `null` is an abstention.
    pub answers: BTreeMap<String, Option<String>>,
    /// Most common answer; `None` in a tie.
    pub majority: Option<String>,
    /// True if the majority is right; `None` without a key or a majority.
    pub correct: Option<bool>,
    /// Share of all asked seats that gave the most common answer.
    pub agreement: f64,
    /// Effective number of answers: the number of equally frequent answers with the same diversity.
    pub effective: f64,
    /// Share of three-word sequences in the round's replies that are new in the conversation.
    pub novelty: f64,
}

/// An answer changed by a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turned {
    /// Id of the seat.
    pub seat: String,
    /// Number of the changed answer among the seat's answers, from 2.
    pub round: u32,
    /// Seats whose shown answer equals the new one.
    pub after: Vec<String>,
}

/// Effort of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Calls for all purposes.
    pub calls: u64,
    /// Input and output tokens.
    pub tokens: u64,
}

impl Effort {
    pub fn new(line: &ResultLine) -> Effort {
        Effort { calls: line.calls_total, tokens: line.input + line.output }
    }
}

/// Results so far, in a few bytes each.
#[derive(Debug, Default)]
pub struct KnownResults {
    /// Outcome and effort by the hash of item and arm.
    outcomes: BTreeMap<u64, (ResultOutcome, Effort)>,
    /// Number of finished conversations by arm.
    arms: BTreeMap<String, u64>,
    /// Oldest version of a line; `None` without lines.
    pub oldest: Option<u32>,
    /// Digests of the contents by the hash of the item's name.
    contents: HashMap<u64, String>,
    /// Fingerprints by arm.
    pub fingerprints: BTreeMap<String, String>,
    pub seeds: BTreeSet<u64>,
    /// Sum over all lines, in dollars.
    pub usd: f64,
    /// Sum over all lines, in tokens.
    pub tokens: u64,
    /// Numbers of the lines that could not be read.
    pub damaged: Vec<u64>,
}

impl KnownResults {
    /// Returns the outcome and the effort of an item's conversation; `None` if it is not over.
    pub fn made(&self, item: &BatchItem, arm: &str) -> Option<(ResultOutcome, Effort)> {
        self.outcomes.get(&place(&item.id, arm, item.repeat)).copied()
    }

    /// Adds a result.
    pub fn take(&mut self, line: &ResultLine) {
        let effort = Effort::new(line);
        let place = place(&line.item, &line.arm, line.repeat);
        if self.outcomes.insert(place, (line.outcome, effort)).is_none() {
            *self.arms.entry(line.arm.clone()).or_default() += 1;
        }
        if !line.content.is_empty() {
            self.contents.insert(hash(&line.item), line.content.clone());
        }
        self.fingerprints.insert(line.arm.clone(), line.fingerprint.clone());
        self.seeds.extend(line.seed);
        self.oldest = self.oldest.into_iter().chain([line.version]).min();
        self.usd += line.usd.unwrap_or_default();
        self.tokens += effort.tokens;
    }

    /// Returns whether an item has results of another content.
    pub fn is_other(&self, item: u64, content: &str) -> bool {
        self.contents.get(&item).is_some_and(|known| known != content)
    }

    /// Returns the number of failed conversations.
    pub fn failed(&self) -> usize {
        self.outcomes.values().filter(|(o, _)| *o == ResultOutcome::Failed).count()
    }

    /// Returns the number of finished conversations, including failed ones.
    pub fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Returns the number of finished conversations of other arms than these.
    pub fn beside(&self, names: &[&str]) -> u64 {
        self.arms.iter().filter(|(name, _)| !names.contains(&name.as_str())).map(|(_, n)| n).sum()
    }

    /// Returns whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }
}

fn place(item: &str, arm: &str, repeat: u32) -> u64 {
    hash(&format!("{repeat}:{}:{item}{arm}", item.len()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a result without an answer.
    pub(in crate::batch) fn a_result(item: &str, protocol: &str) -> ResultLine {
        ResultLine {
            version: VERSION,
            arm: protocol.into(),
            protocol: protocol.into(),
            item: item.into(),
            repeat: 1,
            session: "s".into(),
            line: 1,
            fingerprint: "f".into(),
            ..ResultLine::default()
        }
    }
}
