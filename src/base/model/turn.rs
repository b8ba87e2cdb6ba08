//! Enumerations of turns, calls and commands: purpose, requester, outcome, usage.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Purpose of a turn. Only turns to `Speak` enter the transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "one word each, defined on the page about turns")]
pub enum Purpose {
    #[default]
    Speak,
    Pick,
    Bid,
    Vote,
    Judge,
    Summarise,
    Result,
}

/// Requester of a batch; a policy is shown only its own batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Requester {
    /// The thread's own policy.
    #[default]
    Policy,
    /// A command of the operator: floor, retry, re-roll, the final round.
    Operator,
    /// The engine: summaries, judges as stop rules.
    Engine,
}

/// Outcome of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "one word each, defined on the page about turns")]
pub enum Outcome {
    #[default]
    Said,
    Cut,
    Failed,
    Passed,
}

/// Message type of an answer under `consensus`.
pub const ANSWERED: &str = "answer";
/// Message type of a vote under `consensus`.
pub const VOTED: &str = "vote";
/// Message type of a reply that stayed unclear on the second try: text without a meaning for the policy.
pub const REMARK: &str = "remark";

/// The way in which the meaning of a reply was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadBy {
    /// In the form that was asked for.
    #[default]
    Plain,
    /// By a label further down, in another language or behind other words.
    Label,
    /// By a name or a label within a sentence.
    Name,
    /// From a JSON object.
    Json,
    /// From text that is almost JSON.
    LooseJson,
    /// From a part of the reply.
    Part,
}

/// Cause of a cut turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CutWhy {
    /// The operator cut in.
    CutIn,
    /// The operator paused immediately.
    PauseNow,
    /// A timeout of the call after text was shown, or the time limit of the conversation.
    Timeout,
    /// The program was stopped or killed. The turn does not count and is repeated on resume.
    Crash,
    /// The stream broke off in the middle of the text.
    BrokenOff,
    /// The provider's content filter ended the reply in the middle of the text.
    Filtered,
    /// New information made the turn obsolete. It does not count and begins again.
    Superseded,
    /// The operator skipped the turn, ended the conversation or removed the participant.
    Operator,
}

/// Finish reason of a reply that continued in another participant's name and was cut there.
pub const IMPERSONATION: &str = "impersonation";
/// Finish reason of a reply that began to repeat itself and was cut there.
pub const REPETITION: &str = "repetition";
/// Finish reason of a reply that reached its token limit, as in OpenAI's format.
pub const LENGTH: &str = "length";

/// Beginning of the finish reason of a reply that its server cut for an unknown reason, followed by the server's word.
pub const OTHER_END: &str = "cut: ";

/// Returns whether a reply finished before its end: at its token limit, or for an unknown reason of its server.
pub fn is_capped(finish: &str) -> bool {
    [LENGTH, "max_tokens"].contains(&finish) || finish.starts_with(OTHER_END)
}

/// Tokens used by a call; `estimated` if the server did not report them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// True if the counts are estimates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// Part of `input` that the server read from its cache.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub cache_read: u64,
    /// Part of `input` that the server wrote to its cache.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub cache_write: u64,
}

impl Usage {
    /// Returns the sum of two usages.
    #[must_use]
    pub fn with(&self, more: &Usage) -> Usage {
        Usage {
            input: self.input.saturating_add(more.input),
            output: self.output.saturating_add(more.output),
            estimated: self.estimated || more.estimated,
            cache_read: self.cache_read.saturating_add(more.cache_read),
            cache_write: self.cache_write.saturating_add(more.cache_write),
        }
    }

    /// Returns input and output tokens together.
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

crate::words! {
    /// Outcome of a command.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum ReceiptIs {
        /// It waits for its trigger.
        Queued = "queued",
        /// Its text reached the named turns.
        Delivered = "delivered",
        /// It was executed.
        Done = "done",
        /// It came too late; `reason` and `why` give the cause.
        TooLate = "too_late",
    }
    /// Returns the outcome as in the log.
    fn word()
}

crate::words! {
    /// Reason why a command was not executed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum LateReason {
        /// Its trigger never occurred; the line had not become a command.
        NeverDue = "the conversation ended first",
        /// The conversation ended first.
        Ended = "the conversation ended first",
        /// The queued message was dropped.
        Dropped = "dropped",
        /// The pause was resumed before it took effect.
        Resumed = "it was resumed first",
        /// The note was already removed.
        NoteGone = "the note no longer exists",
        /// The queued message was already delivered.
        Delivered = "it was already delivered",
        /// The floor went to another participant first.
        FloorGiven = "the floor went to another participant first",
        /// The participant can no longer speak.
        CannotSpeak = "the participant can no longer speak",
        /// The participant has left.
        SeatLeft = "the participant has left",
        /// Someone else has spoken since.
        SpokenSince = "someone else has spoken since",
        /// The text does not have the required form.
        WrongForm = "the message does not have the required form",
        /// Too many commands are waiting.
        TooMany = "too many commands are waiting",
    }
    /// Returns the reason as text.
    fn message()
}
