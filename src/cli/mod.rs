//! Command line: one module per sub-command. This module connects all others, and no other depends on it.
//!
//! Data goes to standard output, messages to standard error, and the result to the exit code.

mod agreements;
mod appearance;
mod args;
mod command_line;
mod commands;
mod context;
pub mod crash;
mod document;
mod error;
mod exit;
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
mod running;
mod runtime;
#[cfg(any(feature = "mcp", feature = "acp"))]
mod saved_id;
mod session_file;
mod source;
mod trust;
mod watched;

use crate::model::near::nearest;
use crate::spawn;
use args::global::Global;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{
    ArgMatches, Args, Command as ClapCommand, CommandFactory, FromArgMatches, Parser, Subcommand,
};
use context::Context;
use error::Failure;
use exit::Exit;
use go::go;
use play::next::{Home, Next};
use std::ffi::OsString;
use std::process::ExitCode;

/// The commands to start with.
const FIRST: [&str; 10] =
    ["demo", "run", "ask", "replay", "resume", "export", "sessions", "scenarios", "models", "help"];

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
    /// Parses the arguments of this process.
    ///
    /// Building the parser for all commands takes much of the start-up time, so commands that open a screen are parsed
    /// with their own arguments only. Input that this rejects goes to the full parser, for its errors and help.
    fn of_process() -> Result<Cli, clap::Error> {
        Cli::parse_alone(&std::env::args_os().collect::<Vec<_>>()).map_or_else(Cli::parse_fully, Ok)
    }

    /// Parses with all commands. Help has a line for each of [`FIRST`] and names the others.
    fn parse_fully() -> Result<Cli, clap::Error> {
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

    fn parse_alone(typed: &[OsString]) -> Option<Cli> {
        match typed.get(1).map(|name| name.to_str()) {
            None => {
                Cli::parse_options(typed, None).map(|(global, _)| Cli { global, command: None })
            }
            Some(Some("demo")) => Cli::parse_one("demo", typed, Command::Demo),
            Some(Some("run")) => Cli::parse_one("run", typed, Command::Run),
            Some(Some("replay")) => Cli::parse_one("replay", typed, Command::Replay),
            Some(Some("watch")) => Cli::parse_one("watch", typed, Command::Watch),
            Some(Some("resume")) => Cli::parse_one("resume", typed, Command::Resume),
            Some(Some("fork")) => Cli::parse_one("fork", typed, Command::Fork),
            Some(_) => None,
        }
    }

    /// Parses the command `name` with arguments of type `A`.
    fn parse_one<A: Args>(
        name: &'static str,
        typed: &[OsString],
        command: fn(A) -> Command,
    ) -> Option<Cli> {
        let arguments = A::augment_args(ClapCommand::new(name));
        let (global, mut rest) = Cli::parse_options(typed, Some(arguments))?;
        let command = command(A::from_arg_matches_mut(rest.as_mut()?).ok()?);
        Some(Cli { global, command: Some(command) })
    }

    /// Parses the global options. Returns them with the matches of the command, if any.
    fn parse_options(
        typed: &[OsString],
        command: Option<ClapCommand>,
    ) -> Option<(Global, Option<ArgMatches>)> {
        let program =
            Global::augment_args(ClapCommand::new("colloquium")).disable_help_subcommand(true);
        let mut matches = program.subcommands(command).try_get_matches_from(typed).ok()?;
        let rest = matches.remove_subcommand().map(|(_, rest)| rest);
        Some((Global::from_arg_matches_mut(&mut matches).ok()?, rest))
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(commands::demo::DemoArgs),
    Run(commands::run::RunArgs),
    Ask(commands::ask::AskArgs),
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
    spawn::hide_memory();
    play::signals::let_writes_fail();
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
    let context = match &cli.command {
        // the output of `ask` is the answer alone
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
        Some(Command::Completions(completions)) => return completions.run(Cli::command()),
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
            output::data(e.render().to_string().as_bytes())?;
            Ok(Exit::Done)
        }
        (ErrorKind::InvalidSubcommand, Some(word)) if word.contains(char::is_whitespace) => {
            start_with_topic(word)
        }
        (ErrorKind::InvalidSubcommand, Some(word)) => Err(unknown_command(word)),
        _ => {
            let message = e.render().to_string();
            Err(Failure::new(Exit::Usage, message.trim_start_matches("error: ")))
        }
    }
}

/// Opens the start screen with a topic. All other options apply as usual.
fn start_with_topic(topic: &str) -> Result<Exit, Failure> {
    let mut topics = 0;
    let rest = std::env::args_os().filter(|arg| {
        topics += usize::from(arg.to_str() == Some(topic));
        arg.to_str() != Some(topic) || topics > 1
    });
    let rest: Vec<OsString> = rest.collect();
    if topics == 0 {
        // the topic was converted lossily, so no argument equals it
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_parsed_alone_as_with_all_the_others() {
        for (line, alone) in [
            ("", true),
            ("--theme nord", false),
            ("demo", true),
            ("run table.toml", true),
            ("run duo --topic T --model a:b --seed 7 --headless -q --theme nord", true),
            ("run duo --data-dir d --config-set a=b --config-set c=d --color never -v", true),
            ("run a --endpoint http://x/v1 --max-usd 0.1 --no-save --steer s.jsonl", true),
            ("replay --last --speed 2 --glyphs ascii", true),
            ("resume abc --max-utterances 9 --mouse off", true),
            ("fork abc --at 3 --log-file l", true),
            ("watch abc", true),
            ("run", false),
            ("run duo --seed x", false),
            ("run duo -q -v", false),
            ("run duo --help", false),
            ("fork abc --at", false),
            ("demo --version", false),
            ("keys", false),
            ("a topic", false),
            ("runn duo", false),
        ] {
            let typed: Vec<OsString> =
                ["colloquium"].into_iter().chain(line.split_whitespace()).map(Into::into).collect();
            let parsed = Cli::parse_alone(&typed);
            assert_eq!(parsed.is_some(), alone, "{line}");
            if let Some(parsed) = parsed {
                let whole = Cli::try_parse_from(&typed).unwrap();
                assert_eq!(format!("{parsed:?}"), format!("{whole:?}"), "{line}");
            }
        }
    }
}
