//! The command line: one sub-command a file. It wires the rooms together, knows all of them, and is known by none.
//!
//! Data goes to standard output, everything said to a person to standard error, and how it went to the exit code.

mod appearance;
mod args;
mod commands;
mod context;
pub mod crash;
mod document;
mod error;
mod exit;
mod home;
mod memory;
mod models;
mod output;
mod play;
mod source;
mod trust;

use crate::spawn;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use context::{Context, Global};
use error::Failure;
use exit::Exit;
use std::ffi::OsString;
use std::process::ExitCode;

/// Several AIs talk to each other at one table; you watch, steer and join in.
#[derive(Debug, Parser)]
#[command(name = "colloquium", version, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(commands::demo::Demo),
    Run(commands::run::Run),
    Replay(commands::replay::Replay),
    Resume(commands::resume::Resume),
    Fork(commands::fork::Fork),
    Export(commands::export::Export),
    Analyze(commands::analyze::Analyze),
    #[command(subcommand)]
    Sessions(commands::sessions::Sessions),
    #[command(subcommand)]
    Scenarios(commands::scenarios::Scenarios),
    Check(commands::check::Check),
    Test(commands::test::TestCommand),
    Models(models::survey::Models),
    Doctor(models::survey::Doctor),
    Schema(commands::schema::Schema),
    Keys(commands::keys::Keys),
    Themes(commands::themes::Themes),
    Paths(commands::paths::Paths),
    Completions(commands::manual::Completions),
    Man(commands::manual::Man),
    Help(commands::help::Help),
}

/// Runs the program with the arguments of this process.
pub fn main() -> ExitCode {
    play::signals::let_writes_fail();
    let done = match Cli::try_parse() {
        Ok(cli) => dispatch(cli),
        Err(e) => parse_error(&e),
    };
    spawn::reap_all();
    let exit = done.unwrap_or_else(|failure| {
        failure.print();
        failure.code
    });
    exit.into()
}

fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    let context = Context::new(cli.global)?;
    crash::install(context.paths.state.clone());
    let done = execute(cli.command, &context);
    if let Err(failure) = &done {
        context.keep(&format!("error: {}", failure.message));
    }
    done
}

fn execute(command: Option<Command>, context: &Context) -> Result<Exit, Failure> {
    match command {
        None => home::screen::open(context, None),
        Some(Command::Demo(demo)) => demo.run(context),
        Some(Command::Run(run)) => run.run(context),
        Some(Command::Replay(replay)) => replay.run(context),
        Some(Command::Fork(fork)) => fork.run(context),
        Some(Command::Resume(resume)) => resume.run(context),
        Some(Command::Export(export)) => export.run(context),
        Some(Command::Analyze(analyze)) => analyze.run(context),
        Some(Command::Sessions(sessions)) => sessions.run(context),
        Some(Command::Scenarios(scenarios)) => scenarios.run(context),
        Some(Command::Check(check)) => check.run(context),
        Some(Command::Test(test)) => test.run(context),
        Some(Command::Models(models)) => models.run(context),
        Some(Command::Doctor(doctor)) => doctor.run(context),
        Some(Command::Schema(schema)) => schema.run(),
        Some(Command::Themes(themes)) => themes.run(context),
        Some(Command::Keys(keys)) => keys.run(context),
        Some(Command::Paths(paths)) => paths.run(context),
        Some(Command::Completions(completions)) => completions.run(Cli::command()),
        Some(Command::Man(man)) => man.run(Cli::command()),
        Some(Command::Help(help)) => help.run(Cli::command()),
    }
}

/// Arguments that are no command of ours: help and version are no errors, a word that is no command gets the nearest.
fn parse_error(e: &clap::Error) -> Result<Exit, Failure> {
    let word = match e.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => Some(word),
        Some(_) | None => None,
    };
    match (e.kind(), word) {
        (ErrorKind::DisplayHelp | ErrorKind::DisplayVersion, _) => {
            output::data(e.render().to_string().as_bytes())?;
            Ok(Exit::Done)
        }
        (ErrorKind::InvalidSubcommand, Some(word)) if word.contains(char::is_whitespace) => {
            start_with_topic(word)
        }
        (ErrorKind::InvalidSubcommand, Some(word)) => Err(unknown_command(word)),
        _ => Err(Failure::new(Exit::Usage, e.render().to_string())),
    }
}

/// A topic is no command: the start screen opens with it, and everything else that was said holds as always.
fn start_with_topic(topic: &str) -> Result<Exit, Failure> {
    let mut topics = 0;
    let rest = std::env::args_os().filter(|arg| {
        topics += usize::from(arg.to_str() == Some(topic));
        arg.to_str() != Some(topic) || topics > 1
    });
    let rest: Vec<OsString> = rest.collect();
    if topics == 0 {
        // what was read as the topic is not what was typed
        return Err(Failure::usage(
            format!("`{topic}` is not valid UTF-8"),
            "type the topic in UTF-8, or check the locale of the terminal",
        ));
    }
    match Cli::try_parse_from(rest) {
        Ok(Cli { global, command: None }) => {
            home::screen::open(&Context::new(global)?, Some(topic))
        }
        Ok(_) => {
            Err(Failure::usage("a topic and a command do not go together", "name one of them"))
        }
        Err(e) => parse_error(&e),
    }
}

/// A word that is no command, of the program itself or of the group of commands it stands behind.
fn unknown_command(word: &str) -> Failure {
    let program = Cli::command();
    let group = std::env::args_os()
        .take_while(|arg| *arg != *word)
        .find_map(|arg| program.find_subcommand(arg).filter(|command| command.has_subcommands()));
    let (commands, called) = match group {
        Some(group) => (group, format!("colloquium {} ", group.get_name())),
        None => (&program, "colloquium ".to_owned()),
    };
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let near = names.min_by_key(|name| strsim::damerau_levenshtein(name, word));
    let topic = if group.is_none() { "; a topic needs a space in it" } else { "" };
    Failure::usage(
        format!("there is no command `{word}`; the nearest is `{}`", near.unwrap_or("demo")),
        format!("`{called}--help` lists all commands{topic}"),
    )
}
