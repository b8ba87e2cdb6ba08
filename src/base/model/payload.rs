//! The data of the events: one struct for each kind, spelled as in the session file.

use super::act::TurnAct;
use super::answer::{Aggregation, AnswerTie};
use super::ballot::PollTime;
use super::failure::CallError;
use super::ids::{BatchId, CallId, Key, SeatId, Seq, Text, TurnId};
pub use super::limit_at::LimitAt;
use super::limits::Limits;
use super::participant::Participant;
use super::piece::PieceRun;
use super::rate::CallRate;
use super::reason::StopReason;
use super::result::ResultTask;
use super::task::{JudgeTask, QuestionDebt, SummaryTask};
use super::turn::{LateReason, Purpose, ReceiptIs, Requester, Usage};
pub use super::turn_ended::{TurnEnded, Whisper};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Program in the opening of the conversation of a team.
pub const TEAM: &str = "team";

/// `conversation.opened`: the conversation starts, with its full configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Opened {
    /// Major version of the file format.
    pub format: u32,
    /// Program and version that wrote the session.
    pub program: Text,
    /// Random seed.
    pub seed: u64,
    /// True if all lines are rehearsed: no model is called.
    pub rehearsed: bool,
    /// The resolved scenario, without API keys.
    pub scenario: Value,
    /// The resolved participants, in the order of the scenario.
    pub participants: Vec<Participant>,
    /// Maximum number of parallel calls.
    pub parallel: u32,
    /// Maximum rate of calls per provider, as in `20/min`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rates: BTreeMap<Text, CallRate>,
    /// True if a person is at the keyboard.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub attended: bool,
    /// True if a program can send commands although no operator can be asked.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub steered: bool,
    /// Rules of readings that apply to the whole session; 1 for sessions of programs that did not record them.
    #[serde(default = "first_rules", skip_serializing_if = "is_first")]
    pub rules: u32,
    /// Digest of the item of a batch with its right answer, and its id; absent outside batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Text>,
}

/// Rules of a new session. Since 2, the context of a graph has the text of a reply without data; since 3, a rehearsal has
/// the turns that the host causes on top of its limit.
pub const RULES: u32 = 3;

fn first_rules() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_first(rules: &u32) -> bool {
    *rules == first_rules()
}

/// `conversation.renamed`: the title changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Renamed {
    /// The new title.
    pub title: Text,
}

/// `conversation.reopened`: the session is resumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reopened {
    /// True if an incomplete last line was repaired first.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub repaired: bool,
    /// True if a person is at the keyboard.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub attended: bool,
    /// True if a program can send commands although no operator can be asked.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub steered: bool,
}

/// `conversation.forked`: the lines before this one come from the parent session.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Forked {
    /// The id of the parent session.
    pub parent: Text,
    /// The `seq` of the parent's last event in this session.
    pub at: Seq,
    /// The parent's end at this point, ignored by the branch.
    pub passed: Option<StopReason>,
    /// A new random seed from here on.
    pub seed: Option<u64>,
    /// True if a person is at the keyboard.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub attended: bool,
    /// True if a program can send commands although no operator can be asked.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub steered: bool,
}

/// `conversation.ended`: the conversation has ended; it can be extended or resumed.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// The stop reason.
    pub reason: StopReason,
    /// True if it ended by its own rules, not by a limit, a failure or a person.
    pub settled: bool,
    /// True if participants, steps or the result are missing; lists of sessions read this event alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// The cause as text, if the reason alone does not explain it.
    pub text: Option<Text>,
    /// Index of the stop rule that ended it.
    pub rule: Option<u32>,
    /// The result of the policy or the verdict; null if none exists.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
}

/// `thread.opened`: a conversation inside the conversation begins, such as a phase or a step of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadOpened {
    /// Display name of the thread.
    pub name: Text,
    /// Name of the policy that decides who speaks.
    pub policy: Text,
    /// Options of the policy, by key.
    pub options: Value,
    /// The participants of the thread, in order.
    pub seats: Vec<SeatId>,
    /// True if its participants see the messages of the parent thread.
    pub inherits: bool,
    /// Limits of this thread.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub limits: Limits,
    /// The subject as the policy needs it: the phase, or plan, step, attempt and goal.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub about: Value,
    /// Memo of the policy that opened it, as of this decision.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub memo: Value,
}

/// `thread.closed`: the thread has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadClosed {
    /// The stop reason.
    pub reason: StopReason,
    /// The result of its policy; null if none exists.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
}

/// First word of the reason for a turn in the order of the seats.
const PLACE: &str = "place ";

/// Returns the reason for a turn in the order of the seats; `place` counts from 1.
pub fn place_reason(place: usize, seats: usize) -> String {
    format!("{PLACE}{place} of {seats}")
}

impl BatchOpened {
    /// Returns whether the seats speak because it is their place in the order. The log keeps only the text of the
    /// reason, also in sessions of earlier versions.
    pub fn is_by_place(&self) -> bool {
        self.why.starts_with(PLACE)
    }
}

/// `batch.opened`: one decision about who speaks.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BatchOpened {
    /// The requester: policy, operator or engine.
    #[serde(rename = "for")]
    pub requester: Requester,
    /// Purpose of the turns.
    pub purpose: Purpose,
    /// The participants who speak in parallel.
    pub seats: Vec<SeatId>,
    /// The reason for this choice, as text.
    pub why: Text,
    /// The participants expected next, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<SeatId>,
    /// Round number, from 1, if the policy counts rounds.
    pub round: Option<u32>,
    /// Memo of the policy from here on.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub memo: Value,
    /// The task of the judges, if the purpose is `judge`: verdict, casting or stop.
    pub judge: Option<JudgeTask>,
    /// The reader and the last event of the summary, if the purpose is `summarise`.
    pub summary: Option<SummaryTask>,
    /// The end that follows, if the purpose is `result`.
    pub result: Option<ResultTask>,
    /// Indexes of stop rules that have asked and are no longer true; they may ask again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rearmed: Vec<u32>,
    /// The turn that is retried; it sees the same messages again.
    pub replaces: Option<TurnId>,
    /// True if the replaced turn, which was cut, is continued instead of repeated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continues: bool,
    /// The question for voters or judges.
    pub question: Option<Text>,
    /// The choices of a vote, in display order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Text>,
    /// Ways of counting the vote; the first decides. Absent: majority.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub count: Vec<Aggregation>,
    /// Rule for a tie of the vote. Absent: no winner.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub tie: AnswerTie,
    /// The time of the poll that the vote is part of.
    pub poll: Option<PollTime>,
    /// Questions to participants by name that are not answered yet, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owes: Vec<QuestionDebt>,
}

impl BatchOpened {
    /// Returns the task of the judges, if it has one.
    pub fn judge_task(&self) -> Option<JudgeTask> {
        if self.purpose != Purpose::Judge {
            return None;
        }
        self.judge.clone().or_else(|| JudgeTask::in_memo(&self.memo))
    }

    /// Returns the task of a summary, if it has one.
    pub fn summary_task(&self) -> Option<SummaryTask> {
        if self.purpose != Purpose::Summarise {
            return None;
        }
        // earlier versions noted it where a policy has its memo
        self.summary.clone().or_else(|| serde_json::from_value(self.memo.clone()).ok())
    }
}

/// `floor.granted`: a turn begins.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FloorGranted {
    /// The batch (the `seq` of its `batch.opened`).
    pub batch: BatchId,
    /// The participant who has the floor.
    pub participant: SeatId,
    /// Turn number, from 1, if the purpose is `speak`.
    pub number: Option<u32>,
    /// Operator notes in its prompt, by the `seq` of their commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Seq>,
    /// The act that its prompt asks for.
    pub act: Option<TurnAct>,
}

/// `call.started`: a call to a voice begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallStarted {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// Display name of the model, script or rehearsed lines.
    pub model: Text,
    /// The rehearsed line, or the token limits of the call.
    #[serde(default, skip_serializing_if = "super::is_default", deserialize_with = "or_default")]
    pub parameters: CallParameters,
    /// SHA-256 of the prompt, in hex.
    pub digest: Text,
    /// Version of the prompt texts: another version may build a different prompt from the same log.
    #[serde(default = "first_wording")]
    pub wording: u32,
    /// Number of blocks that did not fit in the prompt, or only without their middle.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub left_out: u32,
    /// Labels of the participants in an anonymous prompt.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<SeatId, Text>,
}

/// Details of a call.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallParameters {
    /// Index of the rehearsed line, from 0.
    pub line: Option<usize>,
    /// Index of the rehearsed line that is spoken before it in the same turn.
    pub lead: Option<usize>,
    /// Estimated tokens of the prompt.
    pub prompt_tokens: Option<u64>,
    /// Maximum tokens of the reply.
    pub max_tokens: Option<u64>,
    /// Maximum tokens of the prompt, if a limit applies.
    pub prompt_most: Option<u64>,
    /// Margin of the estimate over one token per four bytes, in thousandths.
    pub prompt_margin: Option<u32>,
}

/// Reads null as the default.
fn or_default<'de, D: serde::Deserializer<'de>>(d: D) -> Result<CallParameters, D::Error> {
    Option::deserialize(d).map(Option::unwrap_or_default)
}

/// Version of logs without this field.
fn first_wording() -> u32 {
    1
}

/// `call.retried`: a call failed; another call of the same turn follows.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallRetried {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// The failed call (the `seq` of its `call.started`).
    pub call: CallId,
    /// Class and text of the failure.
    pub error: CallError,
    /// Milliseconds until the next call.
    pub wait_ms: u64,
    /// The question that the next call is asked, if the reply was unclear.
    pub ask: Option<Text>,
    /// The fallback model used from here on, if no retry was left.
    pub model: Option<Text>,
    /// Tokens used by the failed call, if it is charged.
    pub usage: Option<Usage>,
}

/// `delta`: pieces of all streams in order of arrival, sealed together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Delta {
    /// Runs `[turn, "say" or "think", text, [len, dt, ...]]`: UTF-8 bytes, milliseconds since the piece before.
    pub pieces: Vec<PieceRun>,
}

/// `human.said`: the place of the operator's words in the transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HumanSaid {
    /// Key of the command that contains the text.
    pub of: Key,
}

/// `receipt`: the outcome of a command.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    /// Key of the command.
    pub of: Key,
    /// Outcome: queued, delivered, done or too_late.
    pub is: ReceiptIs,
    /// The `id` of the line.
    pub id: Option<Text>,
    /// The turns that its text reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnId>,
    /// The reason, as text.
    pub why: Option<Text>,
    /// The reason why it was not executed.
    pub reason: Option<LateReason>,
    /// The line, if it never became a command.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub line: Value,
}

/// `paused`: no turn starts until `resumed`.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Paused {
    /// The reason, if the operator did not ask for it.
    pub why: Option<Text>,
    /// Index of the stop rule that asks.
    pub rule: Option<u32>,
    /// The tied sides, from which the operator chooses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<Text>,
}

/// `resumed`: turns start again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resumed {
    /// Number of turns after which it pauses again; absent: no pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
}

/// `model.adapted`: a request was changed because its server refused a part of it. Later calls of this model have the
/// same change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelAdapted {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// The call (the `seq` of its `call.started`).
    pub call: CallId,
    /// The model, as `provider:name`.
    pub model: Text,
    /// The change, as in `leave out temperature`.
    pub did: Text,
    /// The refusal, in the server's words.
    pub because: Text,
    /// True if a setting of the scenario is lost.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loses: bool,
}

impl ModelAdapted {
    /// Describes the change in one sentence.
    pub fn sentence(&self) -> String {
        format!("requests to {} are changed: {}, because {}", self.model, self.did, self.because)
    }
}

/// `warning`: a message for the operator; it changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// One sentence for the operator.
    pub text: Text,
    /// The subject, if a second warning about it has an effect, as in `{"loop": N}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<WarningAbout>,
}

/// The subject of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WarningAbout {
    /// The turn since which the conversation repeats itself; one more such round may end it.
    Loop(u32),
    /// A result that is missing at an end, after this number of turns.
    Result(u32),
}

impl From<String> for Warning {
    fn from(text: String) -> Warning {
        Warning { text: text.into(), about: None }
    }
}

/// `log.repaired`: an incomplete last line was moved to another file before the first append.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogRepaired {
    /// Offset of the first byte that was cut off.
    pub from: u64,
    /// End of the range, exclusive.
    pub to: u64,
    /// Name of the file that keeps these bytes, next to the session.
    pub kept: Text,
}

/// `command.refused`: a steering line that could not be executed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommandRefused {
    /// Key of the line.
    pub key: Key,
    /// The line as received.
    pub line: Value,
    /// The `id` of the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Text>,
    /// The reason, and an accepted form.
    pub why: Text,
}
