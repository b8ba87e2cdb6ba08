//! Completion of words in a shell: names of scenarios, sessions, models and topics besides those of commands and options.
//!
//! The script of `completions` asks the program itself for the next words, by an environment variable.

use crate::catalogue::{self, SessionSummary};
use crate::cli::source::own_names;
use crate::scenario::bundled_names;
use crate::session::ReadProgress;
use crate::settings::{Environment, ModelList, Paths};
use crate::{analysis, text};
use clap::{Arg, Command};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::CompleteEnv;
use std::ffi::OsStr;
use std::path::Path;

/// Variable by which a shell asks: its value is the name of the shell.
pub const ASKS: &str = "COLLOQUIUM_COMPLETE";
/// Sessions that are offered, the most recent first.
const SESSIONS_MAX: usize = 50;

/// Answers a shell that asks for completions; returns whether one did.
pub fn answer(parser: fn() -> Command, topics: fn() -> Vec<String>) -> clap::error::Result<bool> {
    let asked = CompleteEnv::with_factory(move || with_names(parser(), topics)).var(ASKS);
    asked.try_complete(std::env::args_os(), Some(Path::new(".")))
}

/// Lets every argument with a known kind of value complete it.
fn with_names(command: Command, topics: fn() -> Vec<String>) -> Command {
    let complete = |arg: Arg| {
        let kind = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
        match kind.as_deref() {
            Some("SCENARIO") => arg.add(ArgValueCompleter::new(scenarios)),
            Some("SESSION") => arg.add(ArgValueCompleter::new(sessions)),
            Some("MODEL" | "MODEL,...") => arg.add(ArgValueCompleter::new(models)),
            Some("TOPIC") => arg.add(ArgValueCompleter::new(move |begun: &OsStr| {
                beginning(begun, topics().into_iter())
            })),
            _ => arg,
        }
    };
    command.mut_args(complete).mut_subcommands(|command| with_names(command, topics))
}

/// Completes the name of a scenario: a bundled one, an own one, or a file.
fn scenarios(begun: &OsStr) -> Vec<CompletionCandidate> {
    let own = paths().map(|paths| own_names(&paths)).unwrap_or_default();
    let bundled = bundled_names().map(str::to_owned);
    let mut all = beginning(begun, own.into_iter().chain(bundled));
    all.extend(PathCompleter::file().complete(begun));
    all
}

/// Completes the id of a session; its title is the help.
fn sessions(begun: &OsStr) -> Vec<CompletionCandidate> {
    let Some(paths) = paths() else { return vec![] };
    let all = catalogue::list(&paths.sessions(), analysis::headline, &ReadProgress::default())
        .unwrap_or_default();
    let begun = begun.to_string_lossy();
    let fits = all.into_iter().filter(|session| session.id.starts_with(&*begun));
    let candidate = |session: SessionSummary| {
        let title = text::label(&session.title).into_owned();
        CompletionCandidate::new(session.id).help(Some(title.into()))
    };
    fits.take(SESSIONS_MAX).map(candidate).collect()
}

/// Completes a word for models; behind a comma, one more.
fn models(begun: &OsStr) -> Vec<CompletionCandidate> {
    let text = begun.to_string_lossy();
    let before = text.rfind(',').map_or("", |at| &text[..=at]);
    let words = ModelList::bundled().families.keys();
    beginning(begun, words.map(|word| format!("{before}{word}")))
}

fn paths() -> Option<Paths> {
    Paths::find(&Environment::read(), None).ok()
}

fn beginning(begun: &OsStr, all: impl Iterator<Item = String>) -> Vec<CompletionCandidate> {
    let begun = begun.to_string_lossy();
    all.filter(|name| name.starts_with(&*begun)).map(CompletionCandidate::new).collect()
}
