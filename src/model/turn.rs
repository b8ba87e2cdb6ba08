//! The small words of turns, calls and commands: what for, by whom, how it ended, what it used.

use serde::{Deserialize, Serialize};

/// What a turn is for. A turn to `Speak` makes an utterance; the others never enter the transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
}

/// Who wanted a batch; a policy is shown only its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requester {
    /// The thread's own policy.
    Policy,
    /// A command: floor, retry, re-roll, the final round.
    Operator,
    /// The engine itself: summaries, judges as stop rules.
    Engine,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "one word each, defined on the page about turns")]
pub enum Outcome {
    Said,
    Cut,
    Failed,
    Passed,
}

/// Why a turn was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutWhy {
    /// The operator cut in.
    CutIn,
    /// The operator paused at once.
    PauseNow,
    /// The call ran into one of its time-outs after words had been shown, or the conversation's time was up.
    Timeout,
    /// The program was stopped or killed; it never counts, and the seat is still owed its turn.
    Crash,
    /// The voice ended in the middle of its words.
    BrokenOff,
    /// The provider's content filter ended the reply in the middle of its words.
    Filtered,
    /// Something new came that it has to know; it begins again, and never counts.
    Superseded,
    /// The operator skipped it, ended the conversation, or took the seat away.
    Operator,
}

/// How a reply finished that went on in another's name and was cut there.
pub const IMPERSONATION: &str = "impersonation";
/// How a reply finished that began to repeat itself and was cut there.
pub const REPETITION: &str = "repetition";
/// How a reply finished that had no tokens left, as OpenAI's format has it.
pub const LENGTH: &str = "length";

/// Tokens a call used; `estimated` where nobody reported them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "counts named by their keys")]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// Of `input`: what the server remembered from an earlier call.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_read: u64,
    /// Of `input`: what the server took in to remember it for later calls.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Usage {
    /// Returns the usage of two calls together.
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

    /// Returns the tokens read and written.
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// What became of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReceiptIs {
    /// It waits for its trigger.
    Queued,
    /// Its words reached the turns named.
    Delivered,
    /// It was carried out.
    Done,
    /// It came too late; `reason` and `why` say so.
    TooLate,
}

/// Why a command was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateReason {
    /// Its trigger never came; the line was no command yet.
    NeverDue,
    /// The conversation ended first.
    Ended,
    /// Queued words that were dropped.
    Dropped,
    /// A pause that was resumed before it took hold.
    Resumed,
    /// The note was lifted already.
    NoteGone,
    /// The queued words were delivered already.
    Delivered,
    /// The floor was given to another seat first.
    FloorGiven,
    /// The seat cannot speak any more.
    CannotSpeak,
    /// The seat has left.
    SeatLeft,
    /// Somebody else has spoken since.
    SpokenSince,
    /// The words do not have the form that was asked for.
    WrongForm,
    /// So many commands wait already that looking at them takes long.
    TooMany,
}

impl LateReason {
    /// Returns the reason in words.
    pub fn message(self) -> &'static str {
        match self {
            LateReason::NeverDue => "the conversation ended first",
            LateReason::Ended => "the conversation ended first",
            LateReason::Dropped => "dropped",
            LateReason::Resumed => "it was resumed first",
            LateReason::NoteGone => "the note no longer exists",
            LateReason::Delivered => "it was already delivered",
            LateReason::FloorGiven => "the floor went to another participant first",
            LateReason::CannotSpeak => "the participant can no longer speak",
            LateReason::SeatLeft => "the participant has left",
            LateReason::SpokenSince => "someone else has spoken since",
            LateReason::WrongForm => "the message does not have the required form",
            LateReason::TooMany => "too many commands are waiting",
        }
    }
}
