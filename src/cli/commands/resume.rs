//! `resume`: goes on with a session where it stopped.

use crate::cli::args::play::Play;
use crate::cli::commands::run;
use crate::cli::commands::sessions::{Which, report_missing_texts};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::home::screen as start;
use crate::cli::models::providers::Providers;
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::headless::{DISK_PATIENCE, Table, began, clock, virtual_time};
use crate::cli::play::screen::After;
use crate::cli::trust::allowed::{Allowed, Cast};
use crate::engine::Engine;
use crate::model::{Command, Key, Limits, Participant};
use crate::session::{self, Feed, Log, Mode, Resumed};
use crate::state::State;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Go on with a session where it stopped
#[derive(Debug, Args)]
pub struct Resume {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    play: Play,
}

impl Resume {
    /// Goes on.
    pub fn run(mut self, context: &Context) -> Result<Exit, Failure> {
        self.play.check_terminal("colloquium resume", context)?;
        let path = self.which.own(context)?;
        start::after(resume(&path, &self.play, context)?, context)
    }
}

/// Goes on with the session of a file.
pub fn resume(path: &Path, play: &Play, context: &Context) -> Result<After, Failure> {
    again(path, play, vec![], context)
}

/// Goes on with the session of a file; the operator's commands come first.
pub fn again(
    path: &Path,
    play: &Play,
    commands: Vec<Command>,
    context: &Context,
) -> Result<After, Failure> {
    let lines = play.steer_lines()?;
    let folder = PathBuf::from(".");
    let (allowed, models) = looked_at(path, &folder, play, context)?;
    let Resumed { log, repaired, writer } = session::resume(path, Mode::Normal)?;
    let past = fold(&log);
    let began = began(&log);
    let Log { files, mut records, .. } = log;
    if play.headless {
        // the screen shows what was before, a format prints what comes
        records.clear();
    }
    let feed = Feed::of(records);
    let virtual_time = virtual_time(seats(&past), play);
    let tail = feed.tail();
    let clock = clock(virtual_time, &past, began);
    let cast = Cast::new(allowed.clone(), folder, &context.environment, models);
    let mut engine = Engine::new(writer, feed, clock.clone(), Arc::new(cast));
    engine.patience = Some(DISK_PATIENCE);
    engine.attended = !play.headless;
    engine.resume(past.clone(), repaired.map(Into::into).into_iter().collect());
    if play.limits() != Limits::default() {
        let reopened = engine.live.state.next_seq.0.saturating_sub(1);
        let key: Key = format!("{reopened}:limit").into();
        engine.steer([(key, Command::Limit { set: play.limits() }.into())]);
    }
    let reopened = engine.live.state.next_seq.0.saturating_sub(1);
    let keyed = |(n, verb): (usize, Command)| (format!("{reopened}:again{n}").into(), verb.into());
    engine.steer(commands.into_iter().enumerate().map(keyed));
    engine.steer(lines);
    let table = Table { engine, tail, past, files, saved: true, clock, play, allowed };
    run::show(table, context)
}

/// Looks at a session before anything is locked or mended: what is refused leaves the file as it was. Returns what may run
/// and who thinks for whom.
fn looked_at(
    path: &Path,
    folder: &Path,
    play: &Play,
    context: &Context,
) -> Result<(Allowed, ModelSource), Failure> {
    let log = session::read(path)?;
    if log.records.is_empty() {
        let path = path.display();
        return Err(Failure::new(Exit::Session, format!("{path} holds nothing to go on with")));
    }
    report_missing_texts(&log, context);
    let past = fold(&log);
    let allowed = Allowed::by_session(seats(&past), folder, play, context)?;
    if play.models.model.is_some() {
        return Err(Failure::usage(
            "every seat of a session keeps its model",
            "swap one with a steering line, as in {\"do\":\"change\",\"who\":\"ada\",\"set\":{\"model\":\"ollama:llama3\"}}",
        ));
    }
    if !past.rehearsed {
        context.admit_project(play)?;
    }
    let models = ModelSource::new(Providers::new(context, &play.models)?, &play.models);
    models.count(seats(&past), &play.limits())?;
    models.meet(seats(&past), context)?;
    Ok((allowed, models))
}

/// Returns what a log says.
pub fn fold(log: &Log) -> State {
    State::fold(log.records.iter().map(|r| &r.event))
}

/// Returns those who sit at the table now.
pub fn seats(state: &State) -> impl Iterator<Item = &Participant> {
    state.seats.iter().filter(|s| !s.gone).map(|s| &*s.spec)
}
