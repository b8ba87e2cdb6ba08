//! The command line: one sub-command a file. It wires the rooms together, knows all of them, and is known by none.
//!
//! Data goes to standard output, everything said to a person to standard error, and how it went to the exit code.

mod appearance;
mod args;
mod command_line;
mod commands;
mod context;
pub mod crash;
mod document;
mod error;
mod exit;
mod home;
mod inputs;
mod log_file;
mod memory;
mod models;
mod output;
mod play;
mod runtime;
mod session_file;
mod source;
mod trust;
mod watched;

use crate::model::near::nearest;
use crate::spawn;
use args::global::Global;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};
use context::Context;
use error::Failure;
use exit::Exit;
use play::go::go;
use play::next::{Home, Next};
use std::ffi::OsString;
use std::process::ExitCode;

/// Let several AIs talk to each other in your terminal, and watch, steer and join in.
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
    Demo(commands::demo::DemoArgs),
    Run(commands::run::RunArgs),
    Ask(commands::ask::AskArgs),
    Mcp(commands::mcp::McpArgs),
    Replay(commands::replay::ReplayArgs),
    Watch(commands::watch::WatchArgs),
    Resume(commands::resume::ResumeArgs),
    Fork(commands::fork::ForkArgs),
    Export(commands::export::ExportArgs),
    Analyze(commands::analyze::AnalyzeArgs),
    #[command(subcommand)]
    Sessions(commands::sessions::SessionsArgs),
    #[command(subcommand)]
    Scenarios(commands::scenarios::ScenariosArgs),
    Check(commands::check::CheckArgs),
    Test(commands::test::TestCommand),
    Batch(Box<commands::batch::BatchArgs>),
    Models(commands::models::ModelsArgs),
    Doctor(commands::doctor::DoctorArgs),
    Schema(commands::schema::SchemaArgs),
    Keys(commands::keys::KeysArgs),
    Themes(commands::themes::ThemesArgs),
    Paths(commands::paths::PathsArgs),
    Completions(commands::manual::CompletionsArgs),
    Man(commands::manual::ManArgs),
    Help(commands::help::HelpArgs),
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
        output::failure(&failure);
        failure.code
    });
    exit.into()
}

fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    let context = Context::new(cli.global)?;
    let context = match &cli.command {
        // whoever asks a panel wants to read its answer alone
        Some(Command::Ask(_)) => context.brief(),
        _ => context,
    };
    crash::install(context.paths.state.clone());
    appearance::check_theme(&context)?;
    let done = execute(cli.command, &context);
    if let Err(failure) = &done {
        context.keep(&format!("error: {}", failure.message));
    }
    done
}

fn execute(command: Option<Command>, context: &Context) -> Result<Exit, Failure> {
    let next = match command {
        None => Next::Home(Home::default()),
        Some(Command::Demo(demo)) => demo.next(context)?,
        Some(Command::Run(run)) => run.next(context)?,
        Some(Command::Replay(replay)) => replay.next(context)?,
        Some(Command::Watch(watch)) => watch.next(context)?,
        Some(Command::Fork(fork)) => fork.next(context)?,
        Some(Command::Resume(resume)) => resume.next(context)?,
        Some(Command::Ask(ask)) => return ask.run(context),
        Some(Command::Mcp(mcp)) => return mcp.run(context),
        Some(Command::Export(export)) => return export.run(context),
        Some(Command::Analyze(analyze)) => return analyze.run(context),
        Some(Command::Sessions(sessions)) => return sessions.run(context),
        Some(Command::Scenarios(scenarios)) => return scenarios.run(context),
        Some(Command::Check(check)) => return check.run(context),
        Some(Command::Test(test)) => return test.run(context),
        Some(Command::Batch(batch)) => return batch.run(context),
        Some(Command::Models(models)) => return models.run(context),
        Some(Command::Doctor(doctor)) => return doctor.run(context),
        Some(Command::Schema(schema)) => return schema.run(),
        Some(Command::Themes(themes)) => return themes.run(context),
        Some(Command::Keys(keys)) => return keys.run(context),
        Some(Command::Paths(paths)) => return paths.run(context),
        Some(Command::Completions(completions)) => return completions.run(Cli::command()),
        Some(Command::Man(man)) => return man.run(Cli::command()),
        Some(Command::Help(help)) => return help.run(Cli::command()),
    };
    go(next, context)
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
            let home = Home { topic: Some(topic.to_owned()), ..Home::default() };
            go(Next::Home(home), &Context::new(global)?)
        }
        Ok(_) => Err(Failure::usage("a topic and a command cannot be combined", "use one of them")),
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
    let near = nearest(word, names).map(|near| format!("; the nearest is `{near}`"));
    let topic = if group.is_none() { "; a topic needs at least two words" } else { "" };
    Failure::usage(
        format!("no command `{word}`{}", near.unwrap_or_default()),
        format!("`{called}--help` lists all commands{topic}"),
    )
}
