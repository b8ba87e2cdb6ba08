//! The data of the events: one struct for each kind, spelled as in the session file.

use super::answer::{Aggregation, AnswerTie};
use super::failure::CallError;
use super::ids::{BatchId, CallId, Key, SeatId, Seq, Text, TurnId};
pub use super::limit_at::LimitAt;
use super::limits::Limits;
use super::money::Usd;
use super::participant::Participant;
use super::piece::PieceRun;
use super::rate::CallRate;
use super::reason::StopReason;
use super::task::{JudgeTask, SummaryTask};
use super::turn::{CutWhy, LateReason, Outcome, Purpose, ReceiptIs, Requester, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

fn is_default<T: Default + PartialEq>(v: &T) -> bool {
    *v == T::default()
}

/// `conversation.opened`: all that the conversation is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Major version of the file format.
    pub format: u32,
    /// Program and version that wrote it.
    pub program: Text,
    /// Seed of every random choice.
    pub seed: u64,
    /// Whether the whole cast is rehearsed: nothing in it was written by a model.
    pub rehearsed: bool,
    /// The scenario as resolved, without keys.
    pub scenario: Value,
    /// The seats as resolved, in the order of the table.
    pub participants: Vec<Participant>,
    /// The most calls at the same time.
    pub parallel: u32,
    /// The rates of calls that providers accept, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rates: BTreeMap<Text, CallRate>,
    /// Whether an operator can be asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub attended: bool,
}

/// `conversation.renamed`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "one field")]
pub struct Renamed {
    pub title: Text,
}

/// `conversation.reopened`: a resume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reopened {
    /// Whether a torn tail was repaired first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repaired: bool,
    /// Whether an operator can be asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub attended: bool,
}

/// `conversation.forked`: the lines before this one are the parent's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forked {
    /// The session whose lines these are.
    pub parent: Text,
    /// The `seq` of the last of them.
    pub at: Seq,
    /// The end that would have followed at this point, and that the branch passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<StopReason>,
    /// The seed of all dice from here on, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Whether an operator can be asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub attended: bool,
}

/// `conversation.ended`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    /// Why it ended.
    pub reason: StopReason,
    /// Whether the conversation reached its own end.
    pub settled: bool,
    /// The cause in words, where the reason alone does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
    /// The result of the conversation, as the policy and the verdict give it; null without one.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
}

/// `thread.opened`: a conversation inside the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadOpened {
    /// The thread's name on the screen.
    pub name: Text,
    /// The name of the policy that decides who speaks in it.
    pub policy: Text,
    /// The policy's options, by key.
    pub options: Value,
    /// The seats in it, in order.
    pub seats: Vec<SeatId>,
    /// Whether it sees what its parent saw.
    pub inherits: bool,
    /// Limits of this thread alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
    /// What it is about, as the policy that opened it needs it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub about: Value,
    /// The memo of the policy that opened it, as of this decision.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub memo: Value,
}

/// `thread.closed`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "two fields, as in `Ended`")]
pub struct ThreadClosed {
    pub reason: StopReason,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
}

/// `batch.opened`: one decision about who speaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchOpened {
    /// Who caused it: the policy, the operator, the engine.
    #[serde(rename = "for")]
    pub requester: Requester,
    /// What the seats are asked for.
    pub purpose: Purpose,
    /// The seats granted at once.
    pub seats: Vec<SeatId>,
    /// Why these, in words.
    pub why: Text,
    /// The seats that are expected after them, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<SeatId>,
    /// The round this belongs to, from 1, where the policy counts rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The policy's memory from here on.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub memo: Value,
    /// What the judges are asked for; only where the purpose is `judge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeTask>,
    /// What the summary covers and who reads it; only where the purpose is `summarise`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<SummaryTask>,
    /// The stop rules that asked and hold no more, by their place: they ask again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rearmed: Vec<u32>,
    /// The turn whose utterance is spoken again, seeing what it saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<TurnId>,
    /// Whether that utterance, which was cut, is continued instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continues: bool,
    /// The question of a vote or of a judgement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Text>,
    /// The choices of a vote, in the order in which they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Text>,
    /// How a vote is counted, side by side; the first way decides. None is the majority.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub count: Vec<Aggregation>,
    /// What breaks a tie of a vote.
    #[serde(default, skip_serializing_if = "AnswerTie::is_none")]
    pub tie: AnswerTie,
}

impl BatchOpened {
    /// Returns what it asks of judges, if it does.
    pub fn judge_task(&self) -> Option<JudgeTask> {
        if self.purpose != Purpose::Judge {
            return None;
        }
        self.judge.clone().or_else(|| JudgeTask::in_memo(&self.memo))
    }

    /// Returns what it sums up, if it does.
    pub fn summary_task(&self) -> Option<SummaryTask> {
        if self.purpose != Purpose::Summarise {
            return None;
        }
        // earlier versions noted it where a policy has its memo
        self.summary.clone().or_else(|| serde_json::from_value(self.memo.clone()).ok())
    }
}

/// `floor.granted`: a turn begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FloorGranted {
    /// The `seq` of the `batch.opened` that it belongs to.
    pub batch: BatchId,
    /// The seat that has the floor.
    pub participant: SeatId,
    /// The utterance's number, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The notes bound to this turn, by the `seq` of their commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Seq>,
}

/// `call.started`: a voice is called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallStarted {
    /// The `seq` of the `floor.granted` that it is for.
    pub turn: TurnId,
    /// The model, script or lines that give the words, as shown to people.
    pub model: Text,
    /// The line or the token bounds that the call was made with.
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "or_default")]
    pub parameters: CallParameters,
    /// SHA-256 of the prompt in hex: a rebuilt prompt is checked against it.
    pub digest: Text,
    /// The version of the wording of prompts: another one may build another prompt of the same log.
    #[serde(default = "first_wording")]
    pub wording: u32,
    /// Blocks that the prompt's budget left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub left_out: u32,
    /// The labels under which it shows the seats, where it hides their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<SeatId, Text>,
}

/// With what a call was started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallParameters {
    /// The rehearsed line that is spoken, from 0; none where no line is left, and for other voices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Tokens of a model's prompt, as estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// The most tokens that a model may answer with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The most tokens that the prompt may have, where a limit has to hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_most: Option<u64>,
    /// By how much that is more than a token for four bytes, in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_margin: Option<u32>,
}

/// Reads null as the default.
fn or_default<'de, D: serde::Deserializer<'de>>(d: D) -> Result<CallParameters, D::Error> {
    Option::deserialize(d).map(Option::unwrap_or_default)
}

/// The version of logs that name none.
fn first_wording() -> u32 {
    1
}

/// `call.retried`: a call failed and another one of the same turn follows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRetried {
    /// The `seq` of the turn's `floor.granted`.
    pub turn: TurnId,
    /// The `seq` of the `call.started` that failed.
    pub call: CallId,
    /// Why the call failed.
    pub error: CallError,
    /// Milliseconds of waiting before the next call.
    pub wait_ms: u64,
    /// The fallback that is the seat's model from here on, where no retry was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Text>,
    /// Tokens that the call used, where it is to be paid for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// `delta`: pieces of all streams in order of arrival, sealed together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "one field")]
pub struct Delta {
    pub pieces: Vec<PieceRun>,
}

/// A private message beside a reply, from one participant to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whisper {
    /// The only participant who reads it.
    pub to: SeatId,
    /// The whisper's text, without the marker.
    pub text: Text,
}

/// `turn.ended`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnEnded {
    /// The `seq` of its `floor.granted`.
    pub turn: TurnId,
    /// Its last call; none for a human.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// What the seat was asked for.
    pub purpose: Purpose,
    /// The utterance's number, from 1; none where the turn was no utterance (votes, verdicts, summaries).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Said, cut, passed, failed and so on.
    pub outcome: Outcome,
    /// The words; of a cut, what had been shown.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub text: Text,
    /// Private words to other participants, which are no part of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub whispers: Vec<Whisper>,
    /// The words as they came, where a repair changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Text>,
    /// The reasoning that came with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Text>,
    /// The type of the message where a reply contract has types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Text>,
    /// The reply as data; null where the contract asks for none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub structured: Value,
    /// The seats it named with `@`, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<SeatId>,
    /// Of a cut: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<CutWhy>,
    /// Of a failure: what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CallError>,
    /// How the voice said it finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Text>,
    /// Parts of the answer that could not be read and were left out.
    #[serde(default, skip_serializing_if = "super::prompt::is_zero")]
    pub skipped: u32,
    /// Tokens used by all its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Dollars, of all its calls; null is "not priced".
    #[serde(default)]
    pub cost: Option<Usd>,
    /// Milliseconds from the start of the last call to its first piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_piece_ms: Option<u64>,
    /// Milliseconds the last call took; of a human, the whole turn.
    #[serde(default)]
    pub took_ms: u64,
}

impl TurnEnded {
    /// Returns whether the turn said anything to anybody.
    pub fn has_words(&self) -> bool {
        !self.text.trim().is_empty() || !self.whispers.is_empty()
    }
}

/// `human.said`: the place of the operator's words in the transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HumanSaid {
    /// The key of the command that holds the words.
    pub of: Key,
}

/// `receipt`: the outcome of a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The command's key.
    pub of: Key,
    /// Its outcome: done, queued, too late and so on.
    pub is: ReceiptIs,
    /// The `id` the line carried, echoed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Text>,
    /// The turns its words reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnId>,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Text>,
    /// Why it was not carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<LateReason>,
    /// The line, where it never was a command.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub line: Value,
}

/// `paused`: no turn starts from here on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Paused {
    /// Why, where it was not asked for by the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Text>,
    /// The stop rule that asks, by its place among the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<u32>,
    /// The sides between which the operator is to choose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<Text>,
}

/// `resumed`: turns start again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resumed {
    /// Pauses again after exactly this many utterances; none runs on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
}

/// `warning`: something a person should know that changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// One sentence for the operator.
    pub text: Text,
    /// What it is about, where something follows from the warning having been given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<WarningAbout>,
}

/// The subject of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningAbout {
    /// The conversation repeats itself since this utterance; another round of it is an end.
    Loop(u32),
}

impl From<String> for Warning {
    fn from(text: String) -> Warning {
        Warning { text: text.into(), about: None }
    }
}

/// `log.repaired`: a torn tail was set aside before the first append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogRepaired {
    /// First byte that was cut off.
    pub from: u64,
    /// The byte after the last one.
    pub to: u64,
    /// The name of the file that keeps them, beside the session.
    pub kept: Text,
}

/// `command.refused`: a steering line that could not be carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandRefused {
    /// The key of the line.
    pub key: Key,
    /// The line as it was given.
    pub line: Value,
    /// The `id` it carried, echoed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Text>,
    /// Why it was refused, and what would be accepted.
    pub why: Text,
}
