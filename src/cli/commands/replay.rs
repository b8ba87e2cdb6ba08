//! `replay`: plays a recorded conversation again. It runs no command from the file and calls no model.

use crate::cli::args::{ModelOptions, Play, PrintFormat, SessionName};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output::{self, watched};
use crate::cli::play::next::{Home, Next, Replay, Resume, StartAt};
use crate::cli::play::opening::{Meanwhile, beginning, is_long, meanwhile};
use crate::cli::play::outcome::resume_command;
use crate::cli::play::printer::Printer;
use crate::cli::play::signals::Signals;
use crate::cli::play::{outside, screen, terminal as place};
use crate::cli::runtime::{block_on, refused};
use crate::cli::session_file::{self, report_faults};
use crate::clock::Clock;
use crate::model::{Kind, Ms, Seq};
use crate::session::replay::{IDLE_LIMIT_MS, Recording, Speed, Spot, Transport};
use crate::session::{Item, ReadProgress, SessionError, Survey};
use crate::state::State;
use crate::text;
use crate::text::clock;
use crate::ui::act::{branches, intents};
use crate::ui::run::LeaveTo;
use crate::ui::view::player::Playback;
use crate::ui::view::timeline::{Timeline, TimelineMaking};
use crate::ui::view::transcript::Transcript;
use crate::ui::view::waypoints::Waypoints;
use crate::ui::{ScreenMode, ViewState};
use clap::Args;
use std::io;
use std::path::Path;
use tokio::sync::mpsc;

/// Maximum number of events handed to the printer between two checks for a signal.
const AT_ONCE_EVENTS: usize = 256;
/// Minimum duration of a recording, in milliseconds, to be watchable at normal speed.
const AT_ONCE_MS: u64 = 1_000;

/// Replay a session exactly; no model is called
#[derive(Debug, Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    which: SessionName,
    #[command(flatten)]
    replay: Replay,
}

impl ReplayArgs {
    /// Returns the next action.
    pub fn next(self, context: &Context) -> Result<Next, Failure> {
        // in text mode the readers set their own pace
        let headless = self.replay.headless || context.text_mode().is_some();
        if headless && self.replay.beside.is_some() {
            return Err(Failure::usage(
                "--beside needs the full screen",
                "export two sessions side by side: colloquium export A B --format html",
            ));
        }
        let path = session_file::find(&self.which, context)?;
        if !headless {
            place::check_screen(&place::headless(context), context)?;
        }
        Ok(Next::Replay(Box::new(Replay { path, headless, ..self.replay })))
    }
}

/// Plays a recording, on the screen or as printed text.
pub fn play(replay: &Replay, context: &Context) -> Result<Next, Failure> {
    let (read, view) = match read(replay, context)? {
        Meanwhile::Read(read, view) => (*read, view),
        Meanwhile::Left(next) => return Ok(next),
    };
    let Read { survey, recording, state, shown } = read;
    let transport = Transport::from_recording(recording, Clock::real(Ms(0)));
    let fast = if replay.headless { Speed::Max } else { Speed::RECORDED };
    transport.set_speed(replay.speed.unwrap_or(fast));
    transport.set_idle_limit(Some(replay.idle_limit_ms.unwrap_or(IDLE_LIMIT_MS)));
    seek(&transport, replay.from)?;
    let next = if replay.headless {
        Next::Over(print(&transport, replay.format)?)
    } else {
        show(&transport, &survey, shown, view, replay, context)?
    };
    let (Next::Over(exit) | Next::Left(exit)) = next else { return Ok(next) };
    let over = |exit| match next {
        Next::Left(_) => Next::Left(exit),
        _ => Next::Over(exit),
    };
    if state.ended.is_none() && !state.is_finished() {
        let resume = resume_command(&context.name_of(&survey.files), &Play::default(), context);
        context.say(&format!("unfinished; resume: {resume}"));
    }
    // the user has seen all readable events and has left; a damaged file only affects the exit code
    let faults = report_faults(&survey, context).unwrap_or_else(|failure| context.fail(&failure));
    Ok(over(if exit == Exit::Done { faults } else { exit }))
}

/// Timeline and transcript waypoints for the screen, collected on the first pass.
type Shown = (Timeline, Waypoints<Transcript>);

/// Loaded recording.
struct Read {
    survey: Survey,
    recording: Recording,
    /// State after the last event. If the recording is printed, it lacks the partial text of unfinished turns.
    state: State,
    /// Data for the screen; `None` if the recording is printed.
    shown: Option<Shown>,
}

impl Read {
    /// Reads the events only.
    fn plain(path: &Path, progress: &ReadProgress) -> Result<Read, SessionError> {
        let mut state = State::default();
        let (survey, recording) = Recording::read(path, progress, &mut |event| {
            if !matches!(event.kind, Kind::Delta(_)) {
                state.apply(event);
            }
        })?;
        Ok(Read { survey, recording, state, shown: None })
    }

    /// Reads the events and the data for the screen, in one pass.
    fn shown(path: &Path, progress: &ReadProgress) -> Result<Read, SessionError> {
        let waypoints = Waypoints::<Transcript>::default();
        let mut timeline = TimelineMaking::default();
        let mut making = waypoints.making();
        let (survey, recording) = Recording::read(path, progress, &mut |event| {
            timeline.take(event);
            making.take(event);
        })?;
        let state = making.done().state().clone();
        let timeline = timeline.done(&state);
        Ok(Read { survey, recording, state, shown: Some((timeline, waypoints)) })
    }
}

/// Reads a recording. On a screen, the beginning of a long recording is shown while it loads.
fn read(replay: &Replay, context: &Context) -> Result<Meanwhile<Box<Read>>, Failure> {
    let path = &replay.path;
    if replay.headless {
        let read = watched("reading the session", |progress| Read::plain(path, progress))?;
        return Ok(Meanwhile::Read(Box::new(read), None));
    }
    if !is_long(path) {
        let read = Read::shown(path, &ReadProgress::default())?;
        return Ok(Meanwhile::Read(Box::new(read), None));
    }
    let reading = path.clone();
    let read = move |progress: &ReadProgress| Read::shown(&reading, progress).map(Box::new);
    meanwhile(path, beginning(path)?, read, context)
}

fn seek(transport: &Transport, from: Option<StartAt>) -> Result<(), Failure> {
    match from {
        None => {}
        Some(StartAt::End) => transport.seek_time(transport.status().end),
        Some(StartAt::Event(seq)) => {
            transport.seek(transport.recording().after_event(seq));
        }
        Some(StartAt::Time(ms)) if ms <= transport.status().end => transport.seek_time(ms),
        Some(StartAt::Time(_)) => {
            let end = clock(transport.status().end.0);
            return Err(Failure::usage(
                format!("the recording ends at {end}"),
                "choose an earlier time",
            ));
        }
        Some(StartAt::Utterance(number)) => match transport.recording().utterance(number) {
            Some(spot) => transport.seek(spot),
            None => {
                let message = format!("no turn {number}");
                return Err(Failure::usage(
                    message,
                    "`colloquium export SESSION --format txt` lists the turns",
                ));
            }
        },
    }
    Ok(())
}

/// Plays the recording on the screen until the user leaves.
fn show(
    transport: &Transport,
    survey: &Survey,
    shown: Option<Shown>,
    view: Option<Box<ViewState>>,
    replay: &Replay,
    context: &Context,
) -> Result<Next, Failure> {
    let beside = replay.beside.as_deref().map(|name| outside::other(name, context)).transpose()?;
    block_on(async {
        let mut signals = Signals::at_terminal().map_err(refused)?;
        let mut screen = screen::new_screen(Seq(0), transport.clock(), context)?;
        screen.view = view.map_or(screen.view, |view| *view);
        if let Some((timeline, waypoints)) = shown {
            let mut playback = Playback::along(transport.clone(), timeline);
            playback.reopens = replay.reopens.is_some();
            screen.view.mode = ScreenMode::Recording(playback);
            screen.transcript.waypoints = waypoints;
        }
        screen.transcript.keep_in(survey.archive.clone());
        let notice = replay.notice.clone().or(survey.faults.first().map(ToString::to_string));
        screen.view.notice = notice.map(|notice| text::line(&notice).into_owned());
        screen.view.rest.is_reopened = true;
        if screen.view.reopens() && screen.view.notice.is_none() {
            screen.view.notice = Some(intents::ways_on(&screen));
        }
        // nobody hears commands here
        let (commands, _) = mpsc::channel(1);
        match beside {
            Some(other) => screen.view.over.page = Some(branches::beside(&screen, &other)),
            None if matches!(replay.from, Some(StartAt::Event(_) | StartAt::End)) => {}
            None if is_over_at_once(transport) => transport.seek(Spot::after(1)),
            None => transport.play(),
        }
        let tail = transport.tail();
        let models = ModelOptions::default();
        let files = &survey.files;
        let reader = outside::show(&mut screen, tail, commands, files, None, &models, context);
        tokio::select! { biased;
            code = signals.next() => Ok(Next::Over(code)),
            left = reader => match left {
                Ok(LeaveTo::Extend(commands)) if let Some(resume) = &replay.reopens => {
                    Ok(Next::Resume(Box::new(Resume { commands, ..Resume::clone(resume) })))
                }
                // a recording is never steered, so nothing comes after its end
                Ok(LeaveTo::Home | LeaveTo::Extend(_)) => Ok(Next::Home(Home::default())),
                Ok(LeaveTo::Quit | LeaveTo::Detach) => Ok(Next::Left(Exit::Done)),
                Ok(LeaveTo::Fork(leaf)) => {
                    Ok(Next::fork(survey.files.log(), leaf, None, &Play::default(), false))
                }
                Err(e) => Ok(Next::Over(screen::failed(&e)?)),
            },
            () = transport.run() => Ok(Next::Over(Exit::Done)),
        }
    })
}

/// Returns true if an untouched recording is too short to watch. It then waits at its beginning.
fn is_over_at_once(transport: &Transport) -> bool {
    let standing = transport.status();
    let begun = transport.recording().records().first().map_or(Ms(0), |r| r.event.ms);
    let untouched = standing.spot == Spot::default() && standing.speed == Speed::RECORDED;
    untouched && standing.end.since(begun) < AT_ONCE_MS
}

/// Prints the recording from its current position to its end.
fn print(transport: &Transport, format: PrintFormat) -> Result<Exit, Failure> {
    let Spot { events: before, .. } = transport.status().spot;
    let records = transport.recording().records();
    let past = State::fold(records.iter().take(before));
    block_on(async {
        let mut signals = Signals::listen().map_err(refused)?;
        let mut printer = Printer::start(Some(format), past).map_err(refused)?;
        let mut tail = transport.tail();
        let mut seen = 0;
        // at maximum speed the events come straight from the file, without waits
        let at_once = transport.status().speed == Speed::Max;
        let mut all = at_once.then(|| records.starting_at(before));
        let room = printer.room();
        let play = transport.play_through();
        tokio::pin!(play);
        let mut playing = true;
        let printed = loop {
            if let Some(all) = &mut all {
                let some: Vec<_> = all.by_ref().take(AT_ONCE_EVENTS).collect();
                if some.is_empty() {
                    break printer.finish().await;
                }
                printer.print(some);
            }
            tokio::select! { biased;
                code = signals.next() => return Ok(code),
                printed = &mut printer.done => {
                    break printed.unwrap_or_else(|e| Err(io::Error::other(e)));
                }
                () = room.wait(), if all.is_some() => {}
                item = tail.next(), if all.is_none() => match item {
                    Some(Item::Event(record)) => {
                        seen += 1;
                        if seen > before {
                            printer.print(vec![record]);
                        }
                    }
                    Some(Item::Past(past)) => seen = past.len(),
                    // only complete turns are printed
                    Some(Item::Piece(_)) => {}
                    None => break printer.finish().await,
                },
                () = &mut play, if playing && all.is_none() => playing = false,
            }
        };
        output::written(printed)
    })
}
