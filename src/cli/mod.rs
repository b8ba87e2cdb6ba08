//! Command line: one module per sub-command. This module connects all others, and no other depends on it.
//!
//! Data goes to standard output, messages to standard error, and the result to the exit code.

mod agreements;
mod appearance;
mod args;
mod command_line;
mod commands;
mod completing;
mod context;
pub mod crash;
mod document;
mod error;
mod exporting;
mod go;
mod home;
#[cfg(test)]
#[path = "../../tests/hostile_values/mod.rs"]
mod hostile_values;
mod inputs;
mod log_file;
mod memory;
mod models;
mod output;
mod play;
#[cfg(test)]
#[path = "../../tests/program/mod.rs"]
mod program;
mod running;
mod runtime;
#[cfg(any(feature = "mcp", feature = "acp"))]
mod saved_id;
mod session_file;
mod source;
mod trust;

use crate::model::near::nearest;
use crate::session;
use crate::spawn;
use crate::voice::program::INSIDE;
use args::Global;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command as ClapCommand, CommandFactory, FromArgMatches, Parser, Subcommand};
use context::Context;
use error::{Exit, Failure, LABEL};
use go::go;
use play::next::{Home, Next};
use std::ffi::OsString;
use std::process::ExitCode;

/// The commands to start with.
const FIRST: [&str; 11] = crate::strings![
    "talk" "demo" "run" "ask" "replay" "resume" "export" "sessions" "scenarios" "models" "help"
];

/// Messages of Rust's parsers of numbers, and their meaning.
const PARSER_WORDS: [(&str, &str); 6] = [
    ("invalid digit found in string", "not a whole number"),
    ("cannot parse integer from empty string", "not a whole number"),
    ("number too large to fit in target type", "the number is too large"),
    ("invalid float literal", "not a number"),
    ("is not in 1..=4294967295", "is less than 1"),
    ("is not in 1..=18446744073709551615", "is less than 1"),
];
/// An option and its other name; messages use the one that was typed.
const UTTERANCES: &str = "--max-utterances";
const TURNS: &str = "--max-turns";

/// Let several AIs talk to each other in your terminal, and watch, steer and join in.
#[derive(Debug, Parser)]
#[command(name = "colloquium", version, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

impl Cli {
    /// Parses the arguments of this process. Help has a line for each of [`FIRST`] and names the others.
    fn of_process() -> Result<Cli, clap::Error> {
        let mut program = Cli::command();
        let listed = program.get_subcommands().filter(|command| !command.is_hide_set());
        let names = listed.map(|command| command.get_name().to_owned());
        let more: Vec<String> = names.filter(|name| !FIRST.contains(&&**name)).collect();
        for name in &more {
            program = program.mut_subcommand(name, |command| command.hide(true));
        }
        let note = format!("More commands (`colloquium help COMMAND`): {}", more.join(", "));
        let mut program = program.after_help(note);
        let mut matches = program.try_get_matches_from_mut(std::env::args_os())?;
        Cli::from_arg_matches_mut(&mut matches).map_err(|e| e.format(&mut program))
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(commands::demo::DemoArgs),
    Run(commands::run::RunArgs),
    Ask(commands::ask::AskArgs),
    Talk(Box<commands::talk::TalkArgs>),
    #[cfg(feature = "mcp")]
    Mcp(commands::mcp::McpArgs),
    #[cfg(feature = "acp")]
    Acp(commands::acp::AcpArgs),
    Replay(commands::replay::ReplayArgs),
    Watch(commands::watch::WatchArgs),
    Resume(commands::resume::ResumeArgs),
    Fork(commands::fork::ForkArgs),
    Attach(commands::attach::AttachArgs),
    Steer(commands::steer::SteerArgs),
    Say(commands::steer::SayArgs),
    Stop(commands::steer::StopArgs),
    #[cfg(feature = "serve")]
    Serve(commands::serve::ServeArgs),
    Export(commands::export::ExportArgs),
    Import(commands::import::ImportArgs),
    Analyze(commands::analyze::AnalyzeArgs),
    /// Manage saved sessions; without a sub-command, list them
    #[command(aliases = ["list", "ls"])]
    Sessions {
        #[command(subcommand)]
        action: Option<commands::sessions::SessionsArgs>,
    },
    /// List, show and create scenarios; without a sub-command, list them
    Scenarios {
        #[command(subcommand)]
        action: Option<commands::scenarios::ScenariosArgs>,
    },
    Check(commands::check::CheckArgs),
    Test(commands::test::TestCommand),
    Batch(Box<commands::batch::BatchArgs>),
    Models(commands::models::ModelsArgs),
    Doctor(commands::doctor::DoctorArgs),
    Schema(commands::schema::SchemaArgs),
    Keys(commands::keys::KeysArgs),
    Themes(commands::themes::ThemesArgs),
    #[command(hide = true)]
    Paths(commands::paths::PathsArgs),
    Completions(commands::manual::CompletionsArgs),
    Man(commands::manual::ManArgs),
    Help(commands::help::HelpArgs),
}

/// Returns the parser of all commands and their arguments.
pub fn parser() -> ClapCommand {
    Cli::command()
}

/// Runs the program with the arguments of this process.
pub fn main() -> ExitCode {
    spawn::mark_descendants();
    if spawn::is_descendant() {
        session::refuse_changes();
    }
    spawn::hide_memory();
    play::signals::let_writes_fail();
    match completing::answer(Cli::command, commands::help::topics) {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(e) => e.exit(),
    }
    let done = match Cli::of_process() {
        Ok(cli) => dispatch(cli),
        Err(e) => parse_error(&e),
    };
    spawn::reap_all();
    let exit = done.unwrap_or_else(|failure| {
        output::failure(&failure);
        failure.code
    });
    exit.into()
}

fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    let context = Context::new(cli.global)?;
    refuse_inside(cli.command.as_ref(), &context)?;
    let context = match &cli.command {
        // the output of `ask` is the answer alone
        Some(Command::Ask(_)) => context.brief(),
        _ => context,
    };
    crash::install(context.paths.state.clone());
    appearance::check_theme(&context)?;
    let done = execute(cli.command, &context);
    if let Err(failure) = &done {
        context.keep(&format!("{LABEL}{}", failure.message));
    }
    done
}

/// Rejects a conversation inside a program that a conversation started: neither its budget nor its record would include
/// it.
fn refuse_inside(command: Option<&Command>, context: &Context) -> Result<(), Failure> {
    let talks = match command {
        #[cfg(feature = "mcp")]
        Some(Command::Mcp(_)) => true,
        #[cfg(feature = "acp")]
        Some(Command::Acp(_)) => true,
        Some(
            Command::Demo(_)
            | Command::Run(_)
            | Command::Talk(_)
            | Command::Ask(_)
            | Command::Resume(_)
            | Command::Fork(_)
            | Command::Batch(_),
        )
        | None => true,
        Some(_) => false,
    };
    if talks && context.environment.get(INSIDE).is_some() {
        return Err(Failure::usage(
            "this is already a conversation of colloquium",
            "a program that takes part in one cannot hold another; ask the person who started it",
        ));
    }
    Ok(())
}

fn execute(command: Option<Command>, context: &Context) -> Result<Exit, Failure> {
    let next = match command {
        None => Next::Home(Home::default()),
        Some(Command::Demo(demo)) => demo.next(context)?,
        Some(Command::Run(run)) => run.next(context)?,
        Some(Command::Talk(talk)) => talk.next(context)?,
        Some(Command::Replay(replay)) => replay.next(context)?,
        Some(Command::Watch(watch)) => watch.next(context)?,
        Some(Command::Fork(fork)) => fork.next(context)?,
        Some(Command::Resume(resume)) => resume.next(context)?,
        Some(Command::Ask(ask)) => return ask.run(context),
        #[cfg(feature = "mcp")]
        Some(Command::Mcp(mcp)) => return mcp.run(context),
        #[cfg(feature = "acp")]
        Some(Command::Acp(acp)) => return acp.run(context),
        Some(Command::Attach(attach)) => attach.next(context)?,
        Some(Command::Steer(steer)) => return steer.run(context),
        Some(Command::Say(say)) => return say.run(context),
        Some(Command::Stop(stop)) => return stop.run(context),
        #[cfg(feature = "serve")]
        Some(Command::Serve(serve)) => return serve.run(context),
        Some(Command::Export(export)) => return export.run(context),
        Some(Command::Import(import)) => return import.run(context),
        Some(Command::Analyze(analyze)) => return analyze.run(context),
        Some(Command::Sessions { action }) => return action.unwrap_or_default().run(context),
        Some(Command::Scenarios { action }) => return action.unwrap_or_default().run(context),
        Some(Command::Check(check)) => return check.run(context),
        Some(Command::Test(test)) => return test.run(context),
        Some(Command::Batch(batch)) => return batch.run(context),
        Some(Command::Models(models)) => return models.run(context),
        Some(Command::Doctor(doctor)) => return doctor.run(context),
        Some(Command::Schema(schema)) => return schema.run(),
        Some(Command::Themes(themes)) => return themes.run(context),
        Some(Command::Keys(keys)) => return keys.run(context),
        Some(Command::Paths(paths)) => return paths.run(context),
        Some(Command::Completions(completions)) => return completions.run(&Cli::command()),
        Some(Command::Man(man)) => return man.run(Cli::command()),
        Some(Command::Help(help)) => return help.run(Cli::command()),
    };
    go(next, context)
}

/// Handles an error of the parser: help and version succeed, a text with spaces is a topic, and an unknown command is
/// reported with the nearest name.
fn parse_error(e: &clap::Error) -> Result<Exit, Failure> {
    let word = match e.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => Some(word),
        Some(_) | None => None,
    };
    match (e.kind(), word) {
        (ErrorKind::DisplayHelp | ErrorKind::DisplayVersion, _) => {
            output::data(e.render().to_string().as_bytes())
        }
        (ErrorKind::InvalidSubcommand, Some(word)) if is_topic(word) => start_with_topic(word),
        (ErrorKind::InvalidSubcommand, Some(word)) => Err(unknown_command(word)),
        _ => Err(refused_arguments(e)),
    }
}

/// Returns the failure for arguments that the parser rejects: its message in the words of the command line.
fn refused_arguments(e: &clap::Error) -> Failure {
    let mut message = e.render().to_string();
    for (theirs, ours) in PARSER_WORDS {
        message = message.replace(theirs, ours);
    }
    if std::env::args_os().any(|arg| arg.to_string_lossy().starts_with(TURNS)) {
        message = message.replace(UTTERANCES, TURNS);
    }
    Failure::new(Exit::Usage, message.trim_start_matches(LABEL))
}

/// Returns whether a first word is a topic: no command has a blank, a question mark or a letter beyond ASCII.
fn is_topic(word: &str) -> bool {
    word.contains(|c: char| c.is_whitespace() || c == '?' || !c.is_ascii())
}

/// Opens the start screen with a topic, or begins the talk if models follow it. All other options apply as usual.
fn start_with_topic(topic: &str) -> Result<Exit, Failure> {
    let mut topics = 0;
    let rest = std::env::args_os().filter(|arg| {
        topics += usize::from(arg.to_str() == Some(topic));
        arg.to_str() != Some(topic) || topics > 1
    });
    let mut rest: Vec<OsString> = rest.collect();
    if topics == 0 {
        // the topic was converted lossily, so no argument equals it
        return Err(Failure::usage(
            format!("`{topic}` is not valid UTF-8"),
            "type the topic in UTF-8, or check the locale of the terminal",
        ));
    }
    match Cli::try_parse_from(&rest) {
        // a word after the topic is a model
        Err(e) if e.kind() == ErrorKind::InvalidSubcommand => {
            let place = std::env::args_os().position(|arg| arg.to_str() == Some(topic));
            let place = place.unwrap_or(1).min(rest.len());
            rest.splice(place..place, ["talk".into(), topic.into()]);
            dispatch(Cli::try_parse_from(rest).map_err(|e| refused_arguments(&e))?)
        }
        Ok(Cli { global, command: None }) => {
            let home = Home { topic: Some(topic.to_owned()), ..Home::default() };
            go(Next::Home(home), &Context::new(global)?)
        }
        Ok(_) => Err(Failure::usage("a topic and a command cannot be combined", "use one of them")),
        Err(e) => parse_error(&e),
    }
}

/// Returns the failure for an unknown command, of the program or of a command group.
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
    let near = nearest(word, names).map(|near| format!("; the nearest is `{near}`"));
    let topic = if group.is_none() { "; a topic needs at least two words" } else { "" };
    Failure::usage(
        format!("no command `{word}`{}", near.unwrap_or_default()),
        format!("`{called}--help` lists all commands{topic}"),
    )
}
