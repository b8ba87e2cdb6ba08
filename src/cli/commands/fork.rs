//! `fork`: branches off a session. The new one begins with the lines of the old one, which stays as it is.

use crate::cli::args::keep::Keep;
use crate::cli::args::play::Play;
use crate::cli::args::session::SessionName;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::inputs::steer_lines;
use crate::cli::models::providers::Providers;
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::assemble::{self, Opening, Parts, assemble};
use crate::cli::play::before::Before;
use crate::cli::play::cast::Cast;
use crate::cli::play::changes;
use crate::cli::play::next::{self, ForkPoint, Next};
use crate::cli::play::setup::Setup;
use crate::cli::play::terminal;
use crate::cli::play::toolbox::{decisions, meet_again, toolbox};
use crate::cli::session_file::{self, fold, seats};
use crate::cli::trust::allowed::Allowed;
use crate::cli::trust::untrusted::{Consent, admit_project};
use crate::model::{Command, Wall};
use crate::session::replay::Recording;
use crate::session::{self, Log, Mode};
use crate::state::State;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

/// Branch a session after a turn (the original is kept)
#[derive(Debug, Args)]
pub struct ForkArgs {
    #[command(flatten)]
    which: SessionName,
    /// Turn to branch after; 0 is before the first
    #[arg(long, value_name = "N")]
    at: u32,
    #[command(flatten)]
    changes: BranchChanges,
    #[command(flatten)]
    keep: Keep,
    #[command(flatten)]
    play: Play,
}

/// What is other in the branch, from its first moment on.
#[derive(Debug, Default, Args)]
pub struct BranchChanges {
    /// Replace that turn's text
    #[arg(long, value_name = "TEXT", value_parser = words)]
    edit: Option<String>,
    /// Say something to everyone at that point
    #[arg(long, value_name = "TEXT", value_parser = words)]
    say: Option<String>,
    /// New random seed from there on
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Reads what is to be said.
fn words(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("the text is empty".into()) } else { Ok(text.to_owned()) }
}

impl ForkArgs {
    /// Returns the command that plays the branch.
    pub fn next(mut self, context: &Context) -> Result<Next, Failure> {
        terminal::check(&mut self.play, context)?;
        let path = session_file::find(&self.which, context)?;
        let mut commands = Vec::new();
        match (&self.changes.edit, self.at) {
            (Some(_), 0) => {
                return Err(Failure::usage(
                    "--edit needs a turn, but --at 0 is before the first one",
                    "use --at 1",
                ));
            }
            (Some(text), utterance) => {
                commands.push(Command::Edit { utterance, text: text.as_str().into() });
            }
            (None, _) => {}
        }
        commands.extend(self.changes.say.as_deref().map(|text| Command::Say { text: text.into() }));
        Ok(Next::Fork(Box::new(next::Fork {
            path,
            at: ForkPoint::Utterance(self.at),
            seed: self.changes.seed,
            commands,
            keep: self.keep,
            play: self.play,
            allowed: None,
            from_live: false,
        })))
    }
}

/// Returns how many events of a session are before a point.
fn events_before(log: &Log, point: ForkPoint) -> Result<usize, Failure> {
    match point {
        ForkPoint::Event(seq) => Ok(log.records.iter().take_while(|r| r.event.seq <= seq).count()),
        ForkPoint::Utterance(number) => {
            let spot = Recording::new(log.records.clone()).after(number);
            spot.map(|spot| spot.events).ok_or_else(|| {
                let message = format!("no turn {number} (last is {})", fold(log).utterances);
                Failure::usage(message, "`colloquium sessions show` lists the turns")
            })
        }
    }
}

/// Starts a branch.
pub fn start(fork: &next::Fork, context: &Context) -> Result<Setup, Failure> {
    let (play, log) = (&fork.play, session::read(&fork.path)?);
    let events = events_before(&log, fork.at)?;
    let lines = steer_lines(play)?;
    let kept = || log.records.iter().take(events);
    let past = State::fold(kept().map(|r| &r.event));
    let changes = changes::of(&past, play, context)?;
    let folder = PathBuf::from(".");
    // what a session file says is no reason to run it, unless it is being run already
    let allowed = match &fork.allowed {
        Some(allowed) => allowed.clone(),
        None => Allowed::by_session(seats(&past), &folder, Consent::of(play), context)?,
    };
    if !changes.all_rehearsed() {
        admit_project(Consent::of(play), context)?;
    }
    let models = ModelSource::new(Providers::new(context, &play.models)?, &play.models);
    models.count(&changes.seats, &changes.limits)?;
    models.meet(&changes.seats, !play.headless, context)?;
    meet_again(&changes.seats, &allowed, &folder, play, context)?;
    let tools = toolbox(&changes.seats, allowed.clone(), folder.clone(), play, context)?;
    let decided = decisions(play, &changes.seats, context)?;
    let virtual_time =
        play.may_be_virtual() && assemble::is_timeless(&changes.seats, play.steered_live());
    let date = context.environment.source_date_epoch().map(Wall);
    let fixed = assemble::fixed_epoch(virtual_time, fork.seed, date);
    let (sessions, named) = (context.paths.sessions(), assemble::naming(fixed, past.seed));
    // a branch after the last words of a finished conversation is meant to continue it
    let whole = fold(&log);
    let onward = whole.ended.is_some() && whole.utterances == past.utterances;
    let session = session::fork(&log, events, fork.keep.place(&sessions, named), Mode::Normal)?;
    // the screen shows what was before, a format prints what comes
    let before = match play.headless {
        true => Before::Nothing,
        false => Before::Events(kept().cloned().collect()),
    };
    let cast = Cast::new(allowed.clone(), folder, &context.environment, models);
    let conversation = assemble(Parts {
        session,
        clock: assemble::clock(virtual_time, &past, assemble::began(&log)),
        start: Opening::Fork { past, parent: log.files.id().into(), seed: fork.seed, onward },
        before,
        voices: Arc::new(cast),
        attended: !play.headless,
        tools,
        commands: decided
            .into_iter()
            .chain(changes.commands)
            .chain(fork.commands.clone())
            .collect(),
        lines,
        saved: !fork.keep.no_save,
    });
    Ok(Setup { conversation, play: play.clone(), allowed, notice: None })
}
