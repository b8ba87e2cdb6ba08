//! Stop reasons: exactly one for each end of a conversation or thread.

use super::ids::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason for an end of the conversation, with its details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndCause {
    /// The stop reason.
    pub reason: StopReason,
    /// The cause as text, if the reason alone does not explain it.
    pub text: Option<Text>,
    /// Index of the stop rule, if one causes the end.
    pub rule: Option<u32>,
}

impl EndCause {
    /// Returns a cause other than a stop rule.
    pub fn new(reason: StopReason, text: Option<Text>) -> EndCause {
        EndCause { reason, text, rule: None }
    }
}

impl From<StopReason> for EndCause {
    fn from(reason: StopReason) -> EndCause {
        EndCause::new(reason, None)
    }
}

crate::words! {
    /// Reason for an end: by itself (settled), or by a limit, a failure or a person (capped).
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
    )]
    #[serde(rename_all = "snake_case")]
    #[allow(missing_docs, reason = "the names are the documentation: conversation ends by them")]
    pub enum StopReason {
        Goal = "goal",
        Consensus = "consensus",
        NoVotes = "no_votes",
        Verdict = "verdict",
        AllPassed = "all_passed",
        StopWord = "stop_word",
        Condition = "condition",
        Loop = "loop",
        UtteranceLimit = "utterance_limit",
        RoundLimit = "round_limit",
        TimeLimit = "time_limit",
        TokenLimit = "token_limit",
        CostLimit = "cost_limit",
        Exhausted = "exhausted",
        Starved = "starved",
        Completed = "completed",
        BatchLimit = "batch_limit",
        Failure = "failure",
        Operator = "operator",
        Signal = "signal",
    }
    /// Returns the spelling in the log and on the screen.
    fn as_str()
}

impl StopReason {
    /// Returns the exit code of a conversation with this reason. Signals have their own codes; this is that of an
    /// interrupt.
    pub fn exit_code(self) -> u8 {
        match self {
            StopReason::Signal => 130,
            StopReason::TimeLimit | StopReason::TokenLimit | StopReason::CostLimit => 5,
            other => u8::from(other.is_failure()),
        }
    }

    /// Returns the reason as text.
    pub fn words(self) -> String {
        match self {
            length if length.is_length() => "as planned".into(),
            StopReason::Signal => "interrupted".into(),
            other => other.as_str().replace('_', " "),
        }
    }

    /// Returns whether rules and limits count again after a reopening, because the conversation ended by itself. After
    /// a limit, a failure or a stop by a person it continues unchanged.
    pub fn is_passed(self) -> bool {
        self.settled() || matches!(self, StopReason::Loop | StopReason::RoundLimit)
    }

    /// Returns whether a conversation with this end is finished: after a reopening no model is called before something new
    /// is said.
    pub fn is_finished(self) -> bool {
        self.is_passed() || self.is_length()
    }

    /// Returns whether the conversation reached its planned length.
    pub fn is_length(self) -> bool {
        self.class() == EndClass::Length
    }

    /// Returns whether the conversation ended by its own rules, not by a limit, a failure or a person.
    pub fn settled(self) -> bool {
        self.class() == EndClass::Settled
    }

    /// Returns whether the conversation could not go on.
    pub fn is_failure(self) -> bool {
        self.class() == EndClass::Failed
    }

    fn class(self) -> EndClass {
        match self {
            StopReason::Goal
            | StopReason::Consensus
            | StopReason::NoVotes
            | StopReason::Verdict
            | StopReason::AllPassed
            | StopReason::StopWord
            | StopReason::Condition
            | StopReason::Completed
            | StopReason::Exhausted => EndClass::Settled,
            StopReason::UtteranceLimit | StopReason::RoundLimit => EndClass::Length,
            StopReason::Failure | StopReason::Starved => EndClass::Failed,
            _ => EndClass::Stopped,
        }
    }
}

/// Class of an end.
#[derive(PartialEq, Eq)]
enum EndClass {
    /// By the rules of the conversation.
    Settled,
    /// At the planned length.
    Length,
    /// By a failure.
    Failed,
    /// By another limit, a guard or a person.
    Stopped,
}
