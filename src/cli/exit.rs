//! Table of the exit codes.

use crate::export::utterances;
use crate::policy;
use crate::state::State;

/// Exit code of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The conversation ended by its own rules or by the operator, or the command succeeded.
    Done = 0,
    /// The conversation or the program failed.
    Failed = 1,
    /// The command line is invalid.
    Usage = 2,
    /// A scenario, a setting or a steer file is invalid or not trusted.
    Invalid = 3,
    /// No model is reachable or selected.
    NoModel = 4,
    /// A budget is exhausted.
    Budget = 5,
    /// The session cannot be read or written.
    Session = 6,
    /// The conversation ended, but was incomplete and `--strict` is set.
    Skipped = 7,
    /// The terminal was closed (SIGHUP).
    HungUp = 129,
    /// Interrupted by Ctrl-C (SIGINT).
    Interrupted = 130,
    /// Quit (SIGQUIT).
    Quit = 131,
    /// Terminated (SIGTERM).
    Terminated = 143,
}

impl Exit {
    /// Returns the exit code with this number.
    pub fn from_code(code: i32) -> Option<Exit> {
        let all = [
            Exit::Done,
            Exit::Failed,
            Exit::Usage,
            Exit::Invalid,
            Exit::NoModel,
            Exit::Budget,
            Exit::Session,
            Exit::Skipped,
            Exit::HungUp,
            Exit::Interrupted,
            Exit::Quit,
            Exit::Terminated,
        ];
        all.into_iter().find(|exit| i32::from(*exit as u8) == code)
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        (exit as u8).into()
    }
}

/// Returns the exit code of a conversation; `None` if it has not ended.
pub fn ended(state: &State) -> Option<Exit> {
    Some(match state.exit_code()? {
        0 => Exit::Done,
        4 => Exit::NoModel,
        5 => Exit::Budget,
        130 => Exit::Interrupted,
        _ => Exit::Failed,
    })
}

/// Describes the losses in a conversation that ended well, one entry per kind, for `--strict`.
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
