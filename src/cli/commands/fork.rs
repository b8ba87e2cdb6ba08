//! `fork`: branches off a session. The branch starts with a copy of the original's lines; the original is unchanged.

use crate::cli::args::{Keep, Play, SessionName};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::inputs::steer_lines;
use crate::cli::models::providers::Providers;
use crate::cli::models::resolve::{CHANGE_ALL, ModelSource};
use crate::cli::output::watched;
use crate::cli::play::cast::Cast;
use crate::cli::play::next::{self, ForkPoint, Next, Setup};
use crate::cli::play::opening::{Follows, Meanwhile, beginning, follows, is_long, meanwhile};
use crate::cli::play::toolbox::{decisions, meet_again, toolbox};
use crate::cli::play::{assemble, changes, terminal};
use crate::cli::session_file::{self, seats};
use crate::cli::trust::allowed::{Allowed, Consent, admit_project};
use crate::engine::inherited;
use crate::host::{self, Opening, Parts};
use crate::model::{Command, Kind, Wall};
use crate::session::replay::Recording;
use crate::session::{self, Mode, ReadProgress, SessionError, Survey};
use crate::state::State;
use crate::ui::view::transcript::Transcript;
use clap::Args;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
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

/// Differences of the branch, from its start.
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

/// Parses a non-empty text.
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
        if let Some(text) = &self.changes.say {
            commands.push(session_file::read_typed(text, &path)?);
        }
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

/// Session to branch off.
struct Parent {
    survey: Survey,
    recording: Recording,
    /// State after the last event of the session.
    whole: State,
    /// Number of events that the branch keeps; `None` if the session does not contain the fork point.
    events: Option<usize>,
    /// Transcript or state of the kept events.
    past: Past,
}

/// Kept events of the parent, folded.
enum Past {
    /// Transcript for the screen.
    Told(Box<Transcript>),
    /// State only, for outputs that print no history or print it from the events.
    Folded(Box<State>),
}

impl Parent {
    fn read(
        path: &Path,
        at: ForkPoint,
        follows: Follows,
        progress: &ReadProgress,
    ) -> Result<Parent, SessionError> {
        let mut whole = State::default();
        let (survey, recording) = Recording::read(path, progress, &mut |event| {
            if !matches!(event.kind, Kind::Delta(_)) {
                whole.apply(event);
            }
        })?;
        let spot = match at {
            ForkPoint::Event(seq) => Some(recording.after_event(seq)),
            ForkPoint::Utterance(number) => recording.after(number),
        };
        let events = spot.map(|spot| spot.events);
        let kept = recording.records().iter().take(events.unwrap_or(0));
        let past = match follows {
            Follows::Screen => {
                let mut transcript = Box::<Transcript>::default();
                kept.for_each(|record| transcript.apply_unkept(&record.event));
                let archive = recording.records().archive();
                transcript.keep_in(archive.map(|archive| archive.first(events.unwrap_or(0))));
                Past::Told(transcript)
            }
            Follows::Text | Follows::Output => Past::Folded(Box::new(State::fold(kept))),
        };
        Ok(Parent { survey, recording, whole, events, past })
    }
}

/// Reads the session to branch off. On a screen, the beginning of a long session is shown while it loads.
fn read(fork: &next::Fork, context: &Context) -> Result<Meanwhile<Box<Parent>>, Failure> {
    let path = fork.path.clone();
    let at = fork.at;
    let follows = follows(&fork.play, context);
    if follows == Follows::Screen && is_long(&path) {
        let reading = path.clone();
        let read = move |progress: &ReadProgress| Parent::read(&reading, at, follows, progress);
        return meanwhile(&path, beginning(&path)?, move |p| read(p).map(Box::new), context);
    }
    let read = |progress: &ReadProgress| Parent::read(&path, at, follows, progress);
    let parent = watched("reading the session", read)?;
    Ok(Meanwhile::Read(Box::new(parent), None))
}

/// Starts a branch. Breaks with the next step if the user chose another command while the parent was loading.
pub fn start(fork: &next::Fork, context: &Context) -> Result<ControlFlow<Next, Setup>, Failure> {
    let play = &fork.play;
    let (parent, view) = match read(fork, context)? {
        Meanwhile::Read(parent, view) => (*parent, view),
        Meanwhile::Left(next) => return Ok(ControlFlow::Break(next)),
    };
    let Parent { survey, recording, whole, events, past } = parent;
    let events = events.ok_or_else(|| {
        let at = match fork.at {
            ForkPoint::Utterance(number) => u64::from(number),
            ForkPoint::Event(seq) => seq.0,
        };
        let message = format!("no turn {at} (last is {})", whole.utterances);
        Failure::usage(message, "`colloquium export SESSION --format txt` lists the turns")
    })?;
    let lines = steer_lines(play)?;
    let kept = || recording.records().iter().take(events);
    let (past, before, told) = match past {
        // the screen and text mode show the history, headless output starts with the branch
        Past::Told(told) => (told.state().clone(), vec![], Some((told, view))),
        Past::Folded(past) if play.headless => (*past, vec![], None),
        Past::Folded(past) => (*past, kept().collect(), None),
    };
    let changes = changes::requested(&past, play, context)?;
    let folder = PathBuf::from(".");
    // commands in a session file need permission, unless the session is already running
    let allowed = match &fork.allowed {
        Some(allowed) => allowed.clone(),
        None => {
            let consent = Consent::from_options(play);
            Allowed::by_session(seats(&past), &changes.seats, &folder, consent, context)?
        }
    };
    if !changes.all_rehearsed() {
        admit_project(Consent::from_options(play), context)?;
    }
    let models = ModelSource::new(Providers::new(context, &play.models)?, &play.models);
    models.count(&changes.seats, &changes.limits)?;
    let warning =
        models.meet_again(&changes.seats, !play.headless, &CHANGE_ALL.join(" "), context)?;
    meet_again(&changes.seats, &allowed, &folder, play, context)?;
    let tools = toolbox(&changes.seats, allowed.clone(), folder.clone(), play, context)?;
    let decided = decisions(play, &changes.seats, context)?;
    let virtual_time =
        play.may_be_virtual() && assemble::is_timeless(&changes.seats, play.steered_live());
    let date = context.environment.source_date_epoch().map(Wall);
    let fixed = assemble::fixed_epoch(virtual_time, fork.seed, date);
    let sessions = context.paths.sessions();
    let (at, dice) = assemble::naming(fixed, past.seed);
    // a branch after the last turn of a finished conversation is meant to continue it
    let onward = whole.ended.is_some() && whole.utterances == past.utterances;
    if play.headless
        && let Some(inherited) = inherited(&past)
    {
        context.say(&format!("{inherited}; carried out in the branch"));
    }
    let session =
        session::fork(&survey, kept(), fork.keep.place(&sessions, at, dice), Mode::Normal)?;
    let cast = Cast::new(allowed.clone(), folder, &context.environment, models);
    let clock = assemble::clock(virtual_time, &past, assemble::began(&survey));
    let start = Opening::Fork { past, parent: survey.files.id().into(), seed: fork.seed, onward };
    let conversation = host::assemble(Parts {
        before,
        at_reading_pace: context.is_at_reading_pace(play)?,
        attended: play.attended(),
        steered: play.steered_live(),
        commands: decided
            .into_iter()
            .chain(changes.commands)
            .chain(fork.commands.clone())
            .chain(warning.as_ref().map(|_| Command::Pause {}))
            .collect(),
        lines,
        saved: !fork.keep.no_save,
        ..Parts::new(session, start, Arc::new(cast), tools, clock)
    });
    let (play, notice) = (play.clone(), warning);
    let setup = Setup { conversation, told, play, allowed, inquiry: None, notice, budget: None };
    Ok(ControlFlow::Continue(setup))
}
