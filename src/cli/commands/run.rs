//! `run`: plays a scenario.

use crate::cli::args::play::{Keep, Play, one_reader, read_stdin};
use crate::cli::commands::fork;
use crate::cli::commands::resume;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::home::screen as start;
use crate::cli::models::providers::{ModelOptions, Providers};
use crate::cli::models::resolve;
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::dry_run as dry;
use crate::cli::play::headless::{self, DISK_PATIENCE, Table, clock, fixed_epoch, virtual_time};
use crate::cli::play::history::{self, History};
use crate::cli::play::linear;
use crate::cli::play::screen::{self, After, Onward};
use crate::cli::source;
use crate::cli::trust::allowed::{Allowed, Cast};
use crate::clock::wall_now;
use crate::engine::Engine;
use crate::model::payload::Opened;
use crate::model::{Limits, VoiceSpec};
use crate::scenario::{self, Loaded, Setting};
use crate::session::{self, FORMAT, Feed, Mode, Session};
use crate::state::State;
use crate::{policy, text};
use clap::Args;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

/// The seed of a rehearsal on virtual time that names none.
const REHEARSAL_SEED: u64 = 0;

/// What is shifted out of a random seed, so that every reader of JSON can hold it (53 bits).
const SEED_SHIFT: u32 = 11;

/// Play a scenario: a file, `-` for standard input, or the name of a bundled or of an own one
#[derive(Debug, Args)]
pub struct Run {
    /// The scenario
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    #[command(flatten)]
    options: Options,
}

impl Run {
    /// Plays it.
    pub fn run(mut self, context: &Context) -> Result<Exit, Failure> {
        self.options.check_terminal(&format!("colloquium run {}", self.scenario), context)?;
        start::after(play(&self.scenario, &self.options, context)?, context)
    }
}

/// What `run` and `demo` take.
#[derive(Debug, Default, Args)]
pub struct Options {
    #[command(flatten)]
    pub play: Play,
    /// What to talk about; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    pub topic: Option<String>,
    /// Let the rehearsed cast speak
    #[arg(long)]
    pub rehearsed: bool,
    /// Set a key of the scenario, as in --set limits.utterances=9
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The seed of all dice
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub keep: Keep,
    /// What was said before: a JSON list of role, name and content; a user's last words become the topic
    #[arg(long, value_name = "FILE")]
    pub history: Option<String>,
    /// Who an assistant without a name was in --history: a seat, or a name; "assistant", unless it says so
    #[arg(long, value_name = "NAME", requires = "history")]
    pub history_as: Option<String>,
    /// Print who would speak when, the first prompts and an estimate; ask nobody, and keep nothing
    #[arg(long)]
    pub dry_run: bool,
}

impl Options {
    /// Refuses a screen where there is no terminal for it; what is only planned needs none.
    pub fn check_terminal(&mut self, command: &str, context: &Context) -> Result<(), Failure> {
        if self.dry_run { Ok(()) } else { self.play.check_terminal(command, context) }
    }
}

/// Plays the scenario of a name or path.
pub fn play(name: &str, options: &Options, context: &Context) -> Result<After, Failure> {
    let play = &options.play;
    one_reader([
        ("SCENARIO", Some(name)),
        ("--topic", options.topic.as_deref()),
        ("--steer", play.steer.as_deref()),
    ])?;
    let mut found = source::find(context, name)?;
    for setting in &options.set {
        let setting = Setting::parse(setting)
            .map_err(|why| Failure::usage(format!("--set {setting}: {why}"), "use KEY=VALUE"))?;
        found.source.settings.push(setting);
    }
    let mut loaded = scenario::load(&found.source, &policy::rows())?;
    if !loaded.warnings.list.is_empty() {
        context.report(&loaded.warnings.to_string());
    }
    let history = match &options.history {
        Some(path) => {
            let other = options.history_as.as_deref().unwrap_or(history::OTHER);
            history::read(path, &loaded.participants, options.topic.as_deref(), other)?
        }
        None => History::default(),
    };
    let lines = play.steer_lines()?;
    prepare(&mut loaded, options, history.topic)?;
    refuse_waits(&loaded, play)?;
    if !(options.dry_run || loaded.all_rehearsed()) {
        context.admit_project(play)?;
    }
    let providers = Providers::new(context, &play.models)?;
    let models = ModelSource::new(providers, &play.models);
    models.assign(&mut loaded.participants)?;
    models.count(&loaded.participants, &loaded.scenario.limits)?;
    if options.dry_run {
        let opened = opened(loaded.clone(), options.seed.unwrap_or(REHEARSAL_SEED), false)?;
        return dry::run(name, &loaded, opened, history.lines, play.format).map(After::Over);
    }
    let allowed = Allowed::by_scenario(&loaded.participants, &found, play, context)?;
    models.meet(&loaded.participants, context)?;
    resolve::report_unknown_windows(&loaded.participants, context);

    let virtual_time = virtual_time(&loaded.participants, play);
    let random = RandomState::new().build_hasher().finish();
    let seed =
        options.seed.unwrap_or(if virtual_time { REHEARSAL_SEED } else { random >> SEED_SHIFT });
    // a made-up date never stands in somebody's archive, unless runs are to be equal byte for byte
    let fixed = fixed_epoch(options.seed, context).filter(|_| virtual_time);
    let (at, dice) = fixed.map_or_else(|| (wall_now(), random), |at| (at, seed));
    let sessions = context.paths.sessions();
    let place = options.keep.place(&sessions, (at, dice));
    let Session { files, writer } = session::create(place, Mode::Normal)?;
    let feed = Feed::new();
    let tail = feed.tail();
    let cast = Cast::new(allowed.clone(), found.folder, &context.environment, models);
    let past = State::default();
    let clock = clock(virtual_time, &past, at);
    let mut engine = Engine::new(writer, feed, clock.clone(), Arc::new(cast));
    engine.patience = Some(DISK_PATIENCE);
    engine.steer(history.lines);
    engine.steer(lines);
    engine.open(opened(loaded, seed, !play.headless)?);
    let saved = !options.keep.no_save;
    show(Table { engine, tail, past, files, saved, clock, play, allowed }, context)
}

/// Returns what a conversation would use, in words; nobody is asked and nothing is kept.
pub fn estimate(name: &str, options: &Options, context: &Context) -> Result<String, Failure> {
    let mut loaded = scenario::load(&source::find(context, name)?.source, &policy::rows())?;
    prepare(&mut loaded, options, None)?;
    let models =
        ModelSource::new(Providers::new(context, &options.play.models)?, &options.play.models);
    models.assign(&mut loaded.participants)?;
    Ok(dry::estimate(opened(loaded, REHEARSAL_SEED, true)?))
}

/// Plays a conversation where it was asked for: on the screen, as text that is typed to, or without anybody.
pub fn show(table: Table<'_>, context: &Context) -> Result<After, Failure> {
    match (table.play.headless, context.text_mode()) {
        (true, _) => headless::play(table, context).map(After::Over),
        (false, because) => {
            let (play, allowed) = (table.play, table.allowed.clone());
            let onward = match because {
                Some(because) => linear::play(table, because, context)?,
                None => screen::play(table, context)?,
            };
            match onward {
                Onward::Fork(point) => fork::at(&point, play, &allowed, context),
                Onward::Again(path, commands) => {
                    // the limits and the file of steering lines were those of the time before the end
                    let models = ModelOptions { model: None, ..play.models.clone() };
                    let play = Play { trust: play.trust, models, ..Play::default() };
                    resume::again(&path, &play, commands, context)
                }
                Onward::To(after) => Ok(after),
            }
        }
    }
}

/// Does to a loaded scenario what the options ask for.
fn prepare(loaded: &mut Loaded, options: &Options, asked: Option<String>) -> Result<(), Failure> {
    if options.rehearsed {
        loaded.rehearse();
    }
    if options.play.headless {
        loaded.unattended();
    }
    let topic = match options.topic.as_deref() {
        Some("-") => Some(read_stdin("a topic")?.trim().to_owned()),
        Some(topic) => Some(topic.to_owned()),
        None => asked,
    };
    if let Some(topic) = topic {
        let speaks_lines = |v: &VoiceSpec| matches!(v, VoiceSpec::Lines { .. });
        let rehearsed = loaded.participants.iter().any(|p| speaks_lines(&p.voice));
        match &loaded.scenario.topic {
            Some(own) if rehearsed && **own != topic => {
                return Err(Failure::usage(
                    format!("rehearsed voices keep their own topic: {}", text::line(own)),
                    "leave out --topic",
                ));
            }
            Some(own) if **own == *topic => {}
            Some(_) | None => {
                // whoever names a topic finds the conversation again by it
                let words: Vec<&str> = topic.split_whitespace().collect();
                loaded.scenario.title = words.join(" ").into();
                loaded.scenario.topic = Some(topic.into());
            }
        }
    }
    let limits: Limits = options.play.limits();
    loaded.scenario.limits.merge(&limits);
    Ok(())
}

/// Refuses what would wait for an operator who is not there.
fn refuse_waits(loaded: &Loaded, play: &Play) -> Result<(), Failure> {
    let waits = loaded.waits(&policy::rows());
    if waits.is_empty() || play.steer.is_some() || !play.headless {
        return Ok(());
    }
    let waits: Vec<String> = waits.iter().map(ToString::to_string).collect();
    let message = format!("this would wait for somebody: {}", waits.join("; "));
    Err(Failure::new(Exit::Invalid, message)
        .hint("steer it with --steer FILE or --steer -, or give the seat a stand_in"))
}

fn opened(loaded: Loaded, seed: u64, attended: bool) -> Result<Opened, Failure> {
    let scenario = serde_json::to_value(&loaded.scenario)
        .map_err(|e| Failure::new(Exit::Failed, format!("the scenario cannot be written: {e}")))?;
    Ok(Opened {
        format: FORMAT,
        program: concat!("colloquium ", env!("CARGO_PKG_VERSION")).into(),
        seed,
        rehearsed: loaded.all_rehearsed(),
        scenario,
        participants: loaded.participants,
        parallel: loaded.parallel,
        attended,
    })
}
