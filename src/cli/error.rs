//! Error messages: the failure, its subject, and the remedy; and the table of the exit codes. Only this module knows the
//! errors of all modules, their exit codes and their hints.

use crate::catalogue::{NotMoved, SessionNotFound};
use crate::export::{self, utterances};
#[cfg(any(feature = "mcp", feature = "acp"))]
use crate::ledger::Exhausted;
use crate::model::payload::ModelAdapted;
use crate::scenario::{self, ReadError};
use crate::session::{LogFault, SessionError};
use crate::state::State;
use crate::ui::keymap;
use crate::ui::theme::ThemeError;
use crate::{policy, settings, testing};
use std::error::Error;
use std::io::ErrorKind;

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

    /// Returns the exit code of a conversation; `None` if it has not ended.
    pub fn from_state(state: &State) -> Option<Exit> {
        Some(match state.exit_code()? {
            0 => Exit::Done,
            4 => Exit::NoModel,
            5 => Exit::Budget,
            130 => Exit::Interrupted,
            _ => Exit::Failed,
        })
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        (exit as u8).into()
    }
}

/// Describes the losses in a conversation that ended well, one entry per kind, for `--strict`.
pub fn losses(state: &State) -> Vec<String> {
    let skipped =
        (state.failed > 0).then(|| format!("{} skipped after failures", utterances(state.failed)));
    let refused = match state.refused {
        0 => None,
        1 => Some("1 command was refused".to_owned()),
        n => Some(format!("{n} commands were refused")),
    };
    let steps = state.plan().map_or(0, |plan| plan.lost());
    let steps = match steps {
        0 => None,
        1 => Some("1 step of the plan failed or is blocked".to_owned()),
        n => Some(format!("{n} steps of the plan failed or are blocked")),
    };
    let unclear = match state.remarks() {
        0 => None,
        1 => Some("1 reply was unclear and counts as a remark".to_owned()),
        n => Some(format!("{n} replies were unclear and count as remarks")),
    };
    let adapted = state.lost_settings().map(ModelAdapted::sentence);
    let idle = policy::never_ran(state).into_iter().filter(|seat| seat.starved);
    let idle = idle.map(|idle| format!("`{}` never ran: {}", idle.seat, idle.why));
    skipped
        .into_iter()
        .chain(export::broken(state))
        .chain(refused)
        .chain(steps)
        .chain(unclear)
        .chain(adapted)
        .chain(idle)
        .collect()
}

/// Label of an error on standard error. A report of faults has one for each fault.
pub const LABEL: &str = "error: ";

/// Next step of a client without a model.
const NO_MODEL: &str = "give `model`, as in \"ollama:llama3\", or let the person set default_model, start a server of models, or \
                        look at `colloquium doctor`";

/// Reason for the early end of a command: message, hint and exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Exit code of the program.
    pub code: Exit,
    /// Failure and its subject. Not sanitised until it is printed.
    pub message: String,
    /// Next step for the user; `None` if no good one is known.
    pub hint: Option<String>,
    /// Next step for a client without a command line; `None` if it is `hint`.
    pub client_hint: Option<&'static str>,
    /// Word for a model or provider that caused it; `None` for other failures.
    pub word: Option<String>,
    /// Faults of an invalid scenario or test, which `message` reports; empty for other failures.
    pub faults: Vec<scenario::Faults>,
}

impl Failure {
    /// Creates a failure without a hint.
    pub fn new(code: Exit, message: impl Into<String>) -> Failure {
        let message = without_numbers(message.into());
        let client_hint = (code == Exit::NoModel).then_some(NO_MODEL);
        Failure { code, message, hint: None, client_hint, word: None, faults: vec![] }
    }

    /// Creates the failure for an invalid command line.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::new(Exit::Usage, message).hint(hint)
    }

    /// Sets the hint.
    pub fn hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }

    /// Sets the word that caused it.
    pub fn about(self, word: impl Into<String>) -> Failure {
        Failure { word: Some(word.into()), ..self }
    }

    /// Returns the message and the hint in one line.
    pub fn with_hint(&self) -> String {
        self.with(self.hint.as_deref())
    }

    /// Returns the message and the next step for a client without a command line, in one line.
    #[cfg(feature = "mcp")]
    pub fn for_client(&self) -> String {
        self.with(self.client_hint.or(self.hint.as_deref()))
    }

    fn with(&self, step: Option<&str>) -> String {
        let step = step.iter().map(|step| format!("; {step}"));
        std::iter::once(self.message.clone()).chain(step).collect()
    }

    /// Returns the message and the hint in one line, without the label of the first fault.
    pub fn unlabelled(&self) -> String {
        let line = self.with_hint();
        let label = if self.faults.is_empty() { "" } else { LABEL };
        line.strip_prefix(label).map_or(line.clone(), str::to_owned)
    }
}

/// Removes system error numbers, such as `(os error 2)`. They only repeat the message.
fn without_numbers(message: String) -> String {
    let mut parts = message.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| match part.split_once(')') {
        Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => all + rest,
        Some(_) | None => all + " (os error " + part,
    })
}

/// Formats an error with its causes in one line.
fn chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |e: &&dyn Error| Error::source(*e));
    causes.fold(error.to_string(), |all, cause| format!("{all}: {cause}"))
}

impl From<settings::Error> for Failure {
    fn from(e: settings::Error) -> Failure {
        Failure::new(Exit::Session, chain(&e)).hint("name a folder with --data-dir")
    }
}

impl From<settings::SettingsError> for Failure {
    fn from(e: settings::SettingsError) -> Failure {
        Failure::new(Exit::Invalid, chain(&e)).hint("`colloquium doctor` explains every setting")
    }
}

impl From<keymap::Unfit> for Failure {
    fn from(e: keymap::Unfit) -> Failure {
        Failure::new(Exit::Invalid, e.to_string()).hint("`colloquium keys` prints the key map")
    }
}

impl From<ThemeError> for Failure {
    fn from(e: ThemeError) -> Failure {
        Failure::new(Exit::Invalid, e.to_string()).hint("`colloquium themes` lists them all")
    }
}

impl From<ReadError> for Failure {
    fn from(e: ReadError) -> Failure {
        let message = chain(&e);
        match e {
            ReadError::File { source, .. } if source.kind() == ErrorKind::InvalidInput => {
                Failure::new(Exit::Invalid, message).hint(
                    "name a regular file, not a link to another folder; `-` reads standard input",
                )
            }
            ReadError::File { .. } => {
                Failure::usage(message, "`colloquium scenarios list` lists the bundled ones")
            }
            ReadError::NotText { .. } => {
                Failure::new(Exit::Invalid, message).hint("save it as UTF-8")
            }
            ReadError::TooLarge(_) => Failure::new(Exit::Invalid, message)
                .hint("put long texts into --topic or --history"),
        }
    }
}

impl From<scenario::Faults> for Failure {
    fn from(faults: scenario::Faults) -> Failure {
        Failure { faults: vec![faults.clone()], ..Failure::new(Exit::Invalid, faults.to_string()) }
    }
}

impl From<testing::Invalid> for Failure {
    fn from(invalid: testing::Invalid) -> Failure {
        let message = invalid.to_string();
        Failure { faults: invalid.0, ..Failure::new(Exit::Invalid, message) }
    }
}

impl From<SessionNotFound> for Failure {
    fn from(e: SessionNotFound) -> Failure {
        let hint = match &e {
            SessionNotFound::Ambiguous { .. } => "type a longer prefix of the id",
            SessionNotFound::Unknown { .. } => {
                "`colloquium sessions list` lists them; --last is the most recent one"
            }
            SessionNotFound::None => "`colloquium demo` makes one",
        };
        Failure::usage(e.to_string(), hint)
    }
}

impl From<NotMoved> for Failure {
    fn from(e: NotMoved) -> Failure {
        match e {
            NotMoved::Session(e) => e.into(),
            NotMoved::Unknown(e) => Failure::usage(
                format!("not in the trash: {e}"),
                "use the session's id or a prefix of it",
            ),
            e @ NotMoved::Taken(_) => Failure::new(Exit::Session, e.to_string())
                .hint("move the existing file first; nothing was changed"),
            e @ NotMoved::Io { .. } => Failure::new(Exit::Session, chain(&e))
                .hint("check permissions and free space of the data folder"),
        }
    }
}

#[cfg(any(feature = "mcp", feature = "acp"))]
impl From<Exhausted> for Failure {
    fn from(Exhausted(most): Exhausted) -> Failure {
        let message = format!("the budget of {} for all conversations is used up", most.usd);
        Failure::new(Exit::Budget, message)
    }
}

impl From<SessionError> for Failure {
    fn from(e: SessionError) -> Failure {
        let failure = Failure::new(Exit::Session, chain(&e));
        match e {
            SessionError::Locked { path, .. } => {
                let id = path.file_stem().unwrap_or_default().to_string_lossy();
                failure.hint(format!("watch it there: colloquium watch {id}"))
            }
            e @ SessionError::Inside => {
                Failure::usage(e.to_string(), "run this command in a terminal of your own")
            }
            SessionError::ReadOnly { faults, .. }
                if faults.iter().any(|f| matches!(f, LogFault::Newer { .. })) =>
            {
                failure.hint("written by a newer version: read-only here (show, replay, export)")
            }
            SessionError::ReadOnly { path, .. } => {
                failure.hint(format!("colloquium sessions repair {}", path.display()))
            }
            SessionError::NotASession { .. } => {
                failure.hint("`colloquium sessions list` lists the sessions")
            }
            SessionError::Io { source, .. } if source.kind() == ErrorKind::AlreadyExists => {
                failure.hint("choose a file name that does not exist yet")
            }
            SessionError::Io { .. } => {
                failure.hint("check the folder's permissions and free space")
            }
            SessionError::Unspeakable { .. }
            | SessionError::LineTooLong { .. }
            | SessionError::Endless { .. }
            | SessionError::Checksum
            | SessionError::Shape(_)
            | SessionError::TooLarge { .. } => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_system_are_left_out() {
        for (message, plain) in [
            (
                "cannot read a: No such file or directory (os error 2)",
                "cannot read a: No such file or directory",
            ),
            ("a (os error 13); b (os error 2)", "a; b"),
            ("a (os error x)", "a (os error x)"),
        ] {
            assert_eq!(Failure::new(Exit::Failed, message).message, plain);
        }
    }
}
