//! Opens a session: reads and folds its file once, with its last page on the screen meanwhile.
//!
//! Nothing is locked or written here, so that a later refusal leaves the file unchanged.

use crate::cli::args::{ModelOptions, Play};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output::watched;
use crate::cli::play::assemble::OpenedSession;
use crate::cli::play::next::{Home, Next};
use crate::cli::play::outside;
use crate::cli::play::screen::{failed, new_screen};
use crate::cli::play::signals::Signals;
use crate::cli::runtime::{block_on, refused};
use crate::clock::Clock;
use crate::model::{Kind, Ms, Seq};
use crate::session::{self, Feed, Finished, ReadProgress, SessionError, Survey, Tail};
use crate::state::State;
use crate::ui::run::LeaveTo;
use crate::ui::view::transcript::Transcript;
use crate::ui::{ScreenMode, ViewState};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

/// Size in bytes above which a part of a file is shown while the rest is read.
const LONG_BYTES: u64 = 1024 * 1024;
/// Bytes read from the end of the file for that part.
const END_BYTES: u64 = 256 * 1024;

/// Reader that follows a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// A user at a screen.
    Screen,
    /// A user who reads plain text.
    Text,
    /// Standard output, which gets only new events.
    Output,
}

/// Returns the reader of a conversation with these options.
pub fn follows(play: &Play, context: &Context) -> Follows {
    match (play.headless, context.text_mode()) {
        (true, _) => Follows::Output,
        (false, Some(_)) => Follows::Text,
        (false, None) => Follows::Screen,
    }
}

/// Reads a session for its reader; on a screen, the last page and the progress are shown at once. Breaks with the next
/// step if the user went elsewhere in the meantime.
pub fn open(
    path: &Path,
    follows: Follows,
    context: &Context,
) -> Result<ControlFlow<Next, OpenedSession>, Failure> {
    Ok(ControlFlow::Continue(match follows {
        Follows::Screen => match read(path, context)? {
            Meanwhile::Read((survey, transcript), view) => {
                let past = transcript.state().clone();
                OpenedSession { survey, past, before: vec![], told: Some((transcript, view)) }
            }
            Meanwhile::Left(next) => return Ok(ControlFlow::Break(next)),
        },
        Follows::Text => remember(path)?,
        Follows::Output => open_for_output(path)?,
    }))
}

/// Reads a session for standard output, which gets only new events.
pub fn open_for_output(path: &Path) -> Result<OpenedSession, Failure> {
    Ok(watched("reading the session", |progress| fold(path, progress))?)
}

/// Facts about a session's file, and its transcript for the screen.
type ToldSession = (Survey, Box<Transcript>);

/// Reads a session for the screen; if it is long, its last page is shown in the meantime.
pub fn read(path: &Path, context: &Context) -> Result<Meanwhile<ToldSession>, Failure> {
    if !is_long(path) {
        return Ok(Meanwhile::Read(read_session(path, &ReadProgress::default())?, None));
    }
    let reading = path.to_owned();
    let read = move |progress: &ReadProgress| read_session(&reading, progress);
    meanwhile(path, end(path, END_BYTES)?, read, context)
}

/// Returns true if a session takes so long to read that a part of it is shown first.
pub fn is_long(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.len() > LONG_BYTES)
}

/// Reads a session for its state alone.
fn fold(path: &Path, progress: &ReadProgress) -> Result<OpenedSession, SessionError> {
    let mut past = State::default();
    let survey = session::fold(path, progress, &mut |event| past.apply(event))?;
    Ok(OpenedSession { survey, past, before: vec![], told: None })
}

/// Reads a session and keeps its events, which are printed again.
fn remember(path: &Path) -> Result<OpenedSession, SessionError> {
    let mut log = session::load(path)?;
    let finished = Finished::from_events(log.events());
    log.records.retain(|r| !finished.repeats(&r.event));
    let past = State::fold(log.events());
    Ok(OpenedSession { survey: log.survey, past, before: log.records, told: None })
}

/// Reads a session for the screen.
fn read_session(path: &Path, progress: &ReadProgress) -> Result<ToldSession, SessionError> {
    let mut transcript = Transcript::default();
    let survey = session::fold(path, progress, &mut |event| transcript.apply_unkept(event))?;
    transcript.keep_in(survey.archive.clone());
    Ok((survey, Box::new(transcript)))
}

/// Returns the transcript of the last lines of a session, as far as they determine it.
fn end(path: &Path, bytes: u64) -> Result<Transcript, SessionError> {
    let mut transcript = Transcript::default();
    let [first, last] = session::ends(path, bytes)?;
    // the seats and the threads; the turns in between are unknown
    let frame = first.iter().filter(|e| matches!(e.kind, Kind::Opened(_) | Kind::ThreadOpened(_)));
    let from = last.iter().position(|e| matches!(e.kind, Kind::BatchOpened(_)));
    let told = last.iter().skip(from.unwrap_or(last.len()));
    let behind = first.last().map_or(Seq(0), |e| e.seq.next());
    frame.chain(told.filter(|e| e.seq >= behind)).for_each(|event| transcript.apply_unkept(event));
    Ok(transcript)
}

/// Returns the transcript of the opening of a session.
pub fn beginning(path: &Path) -> Result<Transcript, SessionError> {
    let mut transcript = Transcript::default();
    let [first, _] = session::ends(path, END_BYTES)?;
    first.iter().take(1).for_each(|event| transcript.apply_unkept(event));
    Ok(transcript)
}

/// Result of reading a session while a part of it was on the screen.
pub enum Meanwhile<T> {
    /// The session was read, with the view if a part was shown.
    Read(T, Option<Box<ViewState>>),
    /// The user went elsewhere in the meantime.
    Left(Next),
}

/// Shows a part of a session and the progress until `read` has read all of it.
pub fn meanwhile<T: Send + 'static>(
    path: &Path,
    part: Transcript,
    read: impl FnOnce(&ReadProgress) -> Result<T, SessionError> + Send + 'static,
    context: &Context,
) -> Result<Meanwhile<T>, Failure> {
    let files = session::proven(path)?;
    block_on(async {
        let mut signals = Signals::at_terminal().map_err(refused)?;
        let mut screen = new_screen(Seq(0), Clock::real(Ms(0)), context)?;
        screen.adopt(part);
        let progress = ReadProgress::default();
        screen.view.mode = ScreenMode::Read(progress.clone());
        let reading = spawn_blocking(move || read(&progress));
        // commands are ignored until everything is read
        let (commands, _) = mpsc::channel(1);
        let feed = Feed::new();
        let tail: Tail = feed.tail();
        let models = ModelOptions::default();
        let reader = outside::show(&mut screen, tail, commands, &files, None, &models, context);
        let opened = tokio::select! { biased;
            code = signals.next() => return Ok(Meanwhile::Left(Next::Over(code))),
            opened = reading => opened.map_err(|e| {
                Failure::new(Exit::Failed, format!("reading {} failed: {e}", path.display()))
            })??,
            left = reader => return Ok(Meanwhile::Left(match left {
                Ok(LeaveTo::Quit | LeaveTo::Detach) => Next::Over(Exit::Done),
                // a branch needs the whole session
                Ok(LeaveTo::Home | LeaveTo::Extend(_) | LeaveTo::Fork(_)) => Next::Home(Home::default()),
                Err(e) => Next::Over(failed(&e)?),
            })),
        };
        screen.view.mode = ScreenMode::Live;
        Ok(Meanwhile::Read(opened, Some(Box::new(screen.view))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::view::transcript::RowView;

    const EXAMPLE: &str = "assets/sessions/example-rehearsed.jsonl";

    /// Returns the messages of a transcript with numbers and speakers, the last first.
    fn words(transcript: &Transcript) -> Vec<String> {
        let row = |at| match transcript.shown(at) {
            Some(RowView::Words(e, at)) => {
                Some(format!("{:?} {:?} {at} {}", e.number, e.who, e.text()))
            }
            Some(RowView::Speaking(_) | RowView::Aside(..)) | None => None,
        };
        (0..transcript.len()).rev().filter_map(row).collect()
    }

    #[test]
    fn the_end_of_a_session_reads_as_in_the_whole_of_it() {
        let path = Path::new(EXAMPLE);
        let (_, whole) = read_session(path, &ReadProgress::default()).unwrap();
        let whole = words(&whole);
        for bytes in [32_000, 40_000] {
            let end = words(&end(path, bytes).unwrap());
            assert!(end.len() > 2, "{} words of {bytes} bytes", end.len());
            assert_eq!(end, whole[..end.len()], "{bytes} bytes");
        }
    }

    #[test]
    fn however_it_is_read_it_says_the_same() {
        let path = Path::new(EXAMPLE);
        let (_, told) = read_session(path, &ReadProgress::default()).unwrap();
        let (folded, remembered) =
            (fold(path, &ReadProgress::default()).unwrap(), remember(path).unwrap());
        assert!(folded.past == *told.state() && remembered.past == folded.past);
    }
}
