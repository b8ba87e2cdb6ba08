//! Exit codes: the one table from how it went to the number that scripts see.

use crate::export::utterances;
use crate::policy;
use crate::state::State;

/// How the program ends, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Ended by its own rules or by the operator, or done as asked.
    Done = 0,
    /// The conversation failed, or the program did.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// A scenario, a setting or a steer file is invalid or not trusted.
    Invalid = 3,
    /// No model can be reached, or none is chosen.
    NoModel = 4,
    /// A budget was used up.
    Budget = 5,
    /// The session cannot be read or written.
    Session = 6,
    /// Finished, but not all of it was done, and `--strict` was asked for.
    Skipped = 7,
    /// The terminal is gone (SIGHUP).
    HungUp = 129,
    /// Interrupted by Ctrl-C (SIGINT).
    Interrupted = 130,
    /// Told to quit at once (SIGQUIT).
    Quit = 131,
    /// Told to terminate (SIGTERM).
    Terminated = 143,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        (exit as u8).into()
    }
}

/// Returns the code of a conversation, if it ended.
pub fn ended(state: &State) -> Option<Exit> {
    Some(match state.exit_code()? {
        0 => Exit::Done,
        4 => Exit::NoModel,
        5 => Exit::Budget,
        130 => Exit::Interrupted,
        _ => Exit::Failed,
    })
}

/// Returns what was not done in a conversation that ended well, for `--strict`: a part for each kind of loss.
pub fn losses(state: &State) -> Vec<String> {
    let skipped =
        (state.failed > 0).then(|| format!("{} skipped after failures", utterances(state.failed)));
    let steps = state.plan().map_or(0, |plan| plan.lost());
    let steps = match steps {
        0 => None,
        1 => Some("1 step of the plan failed or is blocked".to_owned()),
        n => Some(format!("{n} steps of the plan failed or are blocked")),
    };
    let idle = policy::never_ran(state).into_iter().filter(|seat| seat.starved);
    let idle = idle.map(|idle| format!("`{}` never ran: {}", idle.seat, idle.why));
    skipped.into_iter().chain(steps).chain(idle).collect()
}
