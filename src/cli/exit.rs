//! Exit codes: the one table from how it went to the number that scripts see.

use crate::model::StopReason;
use crate::state::State;

/// How the program ends, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Ended by its own rules or by the operator, or done as asked.
    Done = 0,
    /// The conversation failed, or the program did.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
    /// A scenario, a setting or a steer file is invalid or not trusted.
    Invalid = 3,
    /// No model.
    NoModel = 4,
    /// Stopped by a budget.
    Budget = 5,
    /// The session cannot be read or written.
    Session = 6,
    /// Finished with skipped utterances, and `--strict` was asked for.
    Skipped = 7,
    /// The terminal hung up.
    HungUp = 129,
    /// Interrupted.
    Interrupted = 130,
    /// Told to quit at once.
    Quit = 131,
    /// Told to end.
    Terminated = 143,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        (exit as u8).into()
    }
}

/// Returns the code of a conversation, if it ended; where keys and names of models are all that failed, there was no model.
pub fn ended(state: &State) -> Option<Exit> {
    let mut failed = state.seats.iter().filter_map(|s| s.failed.as_ref()).peekable();
    match of(state.ended.as_ref()?.reason) {
        Exit::Failed if failed.peek().is_some() && failed.all(|e| e.class.lacks_a_model()) => {
            Some(Exit::NoModel)
        }
        code => Some(code),
    }
}

/// Returns the code of a stop reason; of a signal, the one of an interrupt.
fn of(reason: StopReason) -> Exit {
    match reason {
        StopReason::Goal
        | StopReason::Consensus
        | StopReason::Verdict
        | StopReason::AllPassed
        | StopReason::StopWord
        | StopReason::Condition
        | StopReason::Loop
        | StopReason::UtteranceLimit
        | StopReason::RoundLimit
        | StopReason::Exhausted
        | StopReason::Completed
        | StopReason::BatchLimit
        | StopReason::Operator => Exit::Done,
        StopReason::Failure | StopReason::Starved => Exit::Failed,
        StopReason::TimeLimit | StopReason::TokenLimit | StopReason::CostLimit => Exit::Budget,
        StopReason::Signal => Exit::Interrupted,
    }
}
