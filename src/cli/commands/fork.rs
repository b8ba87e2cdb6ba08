//! `fork`: branches off a session. The new one begins with the lines of the old one, which stays as it is.

use crate::cli::args::play::{Keep, Play};
use crate::cli::commands::resume::{fold, seats};
use crate::cli::commands::run;
use crate::cli::commands::sessions::Which;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::home::screen as start;
use crate::cli::models::providers::Providers;
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::headless::{DISK_PATIENCE, Table, began, clock, fixed_epoch, virtual_time};
use crate::cli::play::screen::After;
use crate::cli::trust::allowed::{Allowed, Cast};
use crate::clock::wall_now;
use crate::engine::Engine;
use crate::model::{Command, Key, Limits, Participant, SteerLine, VoiceSpec};
use crate::scenario;
use crate::session::replay::Recording;
use crate::session::{self, Feed, Log, Mode, Session};
use crate::state::State;
use crate::ui::act::branches::Leaf;
use clap::Args;
use serde_json::Map;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

/// Branch off a session after an utterance; the session itself stays as it is
#[derive(Debug, Args)]
pub struct Fork {
    #[command(flatten)]
    which: Which,
    /// After which utterance; 0 is before the first
    #[arg(long, value_name = "N")]
    at: u32,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    keep: Keep,
    #[command(flatten)]
    play: Play,
}

/// What is other in the branch, from its first moment on.
#[derive(Debug, Default, Args)]
pub struct Changes {
    /// Let the others read this in place of that utterance
    #[arg(long, value_name = "TEXT", value_parser = words)]
    edit: Option<String>,
    /// Say something to the table there
    #[arg(long, value_name = "TEXT", value_parser = words)]
    say: Option<String>,
    /// Another seed for all dice from there on
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Reads what is to be said.
fn words(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("words are needed".into()) } else { Ok(text.to_owned()) }
}

/// Where a branch leaves its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The session's file.
    pub path: PathBuf,
    /// The last event that the branch keeps, and whose dice it has.
    pub leaf: Leaf,
}

impl Fork {
    /// Branches off.
    pub fn run(mut self, context: &Context) -> Result<Exit, Failure> {
        self.play.check_terminal("colloquium fork SESSION --at N", context)?;
        let path = self.which.find(context)?;
        let log = session::read(&path)?;
        let recording = Recording::new(log.records.clone());
        let Some(spot) = recording.after(self.at) else {
            let last = fold(&log).utterances;
            let message = format!("no utterance {} has ended; {last} did", self.at);
            return Err(Failure::usage(message, "`colloquium sessions show` shows them all"));
        };
        let mut commands = Vec::new();
        match (&self.changes.edit, self.at) {
            (Some(_), 0) => {
                return Err(Failure::usage("--edit has no utterance to edit at 0", "use --at 1"));
            }
            (Some(text), utterance) => {
                commands.push(Command::Edit { utterance, text: text.as_str().into() });
            }
            (None, _) => {}
        }
        commands.extend(self.changes.say.as_deref().map(|text| Command::Say { text: text.into() }));
        let (events, seed, keep) = (spot.events, self.changes.seed, &self.keep);
        let branch = Branch { log: &log, events, seed, commands, keep };
        start::after(branch.start(&self.play, None, context)?, context)
    }
}

/// Branches off at a point that was chosen on the screen, and pauses there: whatever is to be other can be said first.
pub fn at(
    point: &Point,
    play: &Play,
    allowed: &Allowed,
    context: &Context,
) -> Result<After, Failure> {
    let log = session::read(&point.path)?;
    let events = log.records.iter().take_while(|r| r.event.seq <= point.leaf.at).count();
    let commands = vec![Command::Pause {}];
    let keep = Keep::default();
    let branch = Branch { log: &log, events, seed: point.leaf.seed, commands, keep: &keep };
    // the limits and the file of steering lines were the old future's
    let play = Play { steer: None, models: play.models.clone(), ..Play::default() };
    branch.start(&play, Some(allowed), context)
}

/// A session that is to branch off another one.
struct Branch<'a> {
    log: &'a Log,
    /// How many of its events are kept.
    events: usize,
    seed: Option<u64>,
    /// What is done first.
    commands: Vec<Command>,
    keep: &'a Keep,
}

impl Branch<'_> {
    /// Makes the session and plays it.
    fn start(
        self,
        play: &Play,
        allowed: Option<&Allowed>,
        context: &Context,
    ) -> Result<After, Failure> {
        let lines = play.steer_lines()?;
        let kept = || self.log.records.iter().take(self.events);
        let past = State::fold(kept().map(|r| &r.event));
        let (others, swaps) = with_model(&past, play)?;
        let folder = PathBuf::from(".");
        // what a session file says is no reason to run it, unless it is being run already
        let allowed = match allowed {
            Some(allowed) => allowed.clone(),
            None => Allowed::by_session(seats(&past), &folder, play, context)?,
        };
        if !past.rehearsed {
            context.admit_project(play)?;
        }
        let models = ModelSource::new(Providers::new(context, &play.models)?, &play.models);
        models.count(&others, &play.limits())?;
        models.meet(&others, context)?;
        let virtual_time = virtual_time(seats(&past), play);
        let random = RandomState::new().build_hasher().finish();
        let fixed = fixed_epoch(self.seed, context).filter(|_| virtual_time);
        let named = fixed.map_or_else(|| (wall_now(), random), |at| (at, past.seed));
        let sessions = context.paths.sessions();
        let Session { files, writer } =
            session::fork(self.log, self.events, self.keep.place(&sessions, named), Mode::Normal)?;

        // the screen shows what was before, a format prints what comes
        let before = if play.headless { vec![] } else { kept().cloned().collect() };
        let feed = Feed::of(before);
        let tail = feed.tail();
        let clock = clock(virtual_time, &past, began(self.log));
        let cast = Cast::new(allowed.clone(), folder, &context.environment, models);
        let mut engine = Engine::new(writer, feed, clock.clone(), Arc::new(cast));
        engine.patience = Some(DISK_PATIENCE);
        engine.attended = !play.headless;
        let forked = past.next_seq;
        // whoever branches off after the last words of a conversation that is over wants it to go on
        let whole = fold(self.log);
        let onward = whole.ended.is_some() && whole.utterances == past.utterances;
        engine.fork(past.clone(), self.log.files.id().into(), self.seed, onward);
        let limits = play.limits();
        let limit = (limits != Limits::default()).then_some(Command::Limit { set: limits });
        let commands = swaps.into_iter().chain(self.commands).chain(limit);
        engine.steer(commands.enumerate().map(|(n, verb)| -> (Key, SteerLine) {
            (format!("{forked}:fork-{n}").into(), verb.into())
        }));
        engine.steer(lines);
        let saved = !self.keep.no_save;
        run::show(Table { engine, tail, past, files, saved, clock, play, allowed }, context)
    }
}

/// Returns the seats as they will be, and the commands that give those that speak with a model the one asked for.
fn with_model(past: &State, play: &Play) -> Result<(Vec<Participant>, Vec<Command>), Failure> {
    let mut others: Vec<Participant> = seats(past).cloned().collect();
    let Some(model) = &play.models.model else { return Ok((others, vec![])) };
    let set = Map::from_iter([("model".to_owned(), model.as_str().into())]);
    let mut swaps = Vec::new();
    for seat in others.iter_mut().filter(|p| matches!(p.voice, VoiceSpec::Model(_))) {
        *seat = scenario::change(seat, &set).map_err(|why| {
            Failure::usage(format!("--model {model}: {why}"), "spell it PROVIDER:NAME")
        })?;
        swaps.push(Command::Change { who: seat.id.clone(), set: set.clone() });
    }
    match swaps.is_empty() {
        true => Err(Failure::usage("nobody in it speaks with a model", "leave out --model")),
        false => Ok((others, swaps)),
    }
}
