//! How a session is opened: its file is read once and folded once, and its last page is on the screen meanwhile.
//!
//! A later refusal leaves the file as it was: nothing is locked or written here.

use crate::cli::args::models::ModelOptions;
use crate::cli::args::play::Play;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::play::before::{Before, OpenedSession};
use crate::cli::play::next::{Home, Next};
use crate::cli::play::outside;
use crate::cli::play::screen::{failed, new_screen};
use crate::cli::play::signals::Signals;
use crate::cli::runtime::{block_on, refused};
use crate::cli::watched::watched;
use crate::clock::Clock;
use crate::model::{Event, Kind, Ms, Seq};
use crate::session::{self, Feed, ReadProgress, SessionError, Survey, Tail};
use crate::state::{Finished, Sieve, State};
use crate::ui::ViewState;
use crate::ui::run::{LeaveTo, run};
use crate::ui::terminal::{self, Terminal};
use crate::ui::view::transcript::Transcript;
use std::fs;
use std::path::Path;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

/// A file of more bytes than this takes long enough to read that a part of it is shown first.
const LONG_BYTES: u64 = 1024 * 1024;
/// How much of its end is read for that, in bytes.
const END_BYTES: u64 = 256 * 1024;

/// Who is to follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// A person at a screen.
    Screen,
    /// A reader of plain text.
    Text,
    /// The reader of standard output, which gets what comes.
    Output,
}

/// Returns who follows a conversation that is played in such a way.
pub fn follows(play: &Play, context: &Context) -> Follows {
    match (play.headless, context.text_mode()) {
        (true, _) => Follows::Output,
        (false, Some(_)) => Follows::Text,
        (false, None) => Follows::Screen,
    }
}

/// What came of opening a session.
pub enum OpenOutcome {
    /// The session was read.
    Read(Box<OpenedSession>),
    /// The person went elsewhere meanwhile.
    Left(Next),
}

/// Reads a session for its reader; on a screen, its last page is shown at once, with the progress.
pub fn open(path: &Path, follows: Follows, context: &Context) -> Result<OpenOutcome, Failure> {
    let read = |opened| OpenOutcome::Read(Box::new(opened));
    Ok(match follows {
        Follows::Screen => match self::read(path, context)? {
            Meanwhile::Read(opened, view) => told(opened, view),
            Meanwhile::Left(next) => OpenOutcome::Left(next),
        },
        Follows::Text => read(remember(path)?),
        Follows::Output => read(watched("reading the session", |progress| fold(path, progress))?),
    })
}

/// What a session is on the screen, and what is known of its file.
type ToldSession = (Survey, Box<Transcript>);

/// Reads a session for the screen, which shows its last page meanwhile where it is long.
pub fn read(path: &Path, context: &Context) -> Result<Meanwhile<ToldSession>, Failure> {
    if !is_long(path) {
        return Ok(Meanwhile::Read(tell(path, &ReadProgress::default())?, None));
    }
    let reading = path.to_owned();
    let read = move |progress: &ReadProgress| tell(&reading, progress);
    meanwhile(path, end(path, END_BYTES)?, read, context)
}

/// Returns whether a session takes so long to read that a part of it is shown first.
pub fn is_long(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.len() > LONG_BYTES)
}

/// Reads a session for its state alone.
fn fold(path: &Path, progress: &ReadProgress) -> Result<OpenedSession, SessionError> {
    let (mut past, mut sieve) = (State::default(), Sieve::default());
    let mut each = |event: &Event| past.apply(event);
    let survey = session::scan_for_fold(path, progress, &mut |found| {
        sieve.take(found.event, &mut each);
    })?;
    sieve.finish(&mut each);
    Ok(OpenedSession { survey, past, before: Before::Nothing })
}

/// Reads a session and keeps its events, because they are narrated again.
fn remember(path: &Path) -> Result<OpenedSession, SessionError> {
    let mut log = session::read(path)?;
    let finished = Finished::of(log.events());
    log.records.retain(|r| !finished.repeats(&r.event));
    let past = State::fold(log.events());
    Ok(OpenedSession { survey: log.survey, past, before: Before::Events(log.records) })
}

/// Reads a session for the screen.
fn tell(path: &Path, progress: &ReadProgress) -> Result<ToldSession, SessionError> {
    let (mut transcript, mut sieve) = (Transcript::default(), Sieve::default());
    let mut each = |event: &Event| transcript.tell(event);
    let survey = session::scan_for_fold(path, progress, &mut |found| {
        sieve.take(found.event, &mut each);
    })?;
    sieve.finish(&mut each);
    transcript.keep_in(survey.archive.clone());
    Ok((survey, Box::new(transcript)))
}

fn told(
    (survey, transcript): (Survey, Box<Transcript>),
    view: Option<Box<ViewState>>,
) -> OpenOutcome {
    let past = transcript.state().clone();
    let before = Before::Told(transcript, view);
    OpenOutcome::Read(Box::new(OpenedSession { survey, past, before }))
}

/// Returns the transcript of a session's last lines, as far as they contain it.
fn end(path: &Path, bytes: u64) -> Result<Transcript, SessionError> {
    let mut transcript = Transcript::default();
    let [first, last] = session::ends(path, bytes)?;
    // the seats and the threads; whose turn it was in between is not known
    let frame = first.iter().filter(|e| matches!(e.kind, Kind::Opened(_) | Kind::ThreadOpened(_)));
    let from = last.iter().position(|e| matches!(e.kind, Kind::BatchOpened(_)));
    let told = last.iter().skip(from.unwrap_or(last.len()));
    let behind = first.last().map_or(Seq(0), |e| e.seq.next());
    frame.chain(told.filter(|e| e.seq >= behind)).for_each(|event| transcript.tell(event));
    Ok(transcript)
}

/// Returns the transcript of how a session begins: its opening.
pub fn beginning(path: &Path) -> Result<Transcript, SessionError> {
    let mut transcript = Transcript::default();
    let [first, _] = session::ends(path, END_BYTES)?;
    first.iter().take(1).for_each(|event| transcript.tell(event));
    Ok(transcript)
}

/// What came of reading a session while a part of it was on the screen.
pub enum Meanwhile<T> {
    /// It was read; the reader is there, if a part was shown.
    Read(T, Option<Box<ViewState>>),
    /// The person went elsewhere meanwhile.
    Left(Next),
}

/// Shows a part of a session, and how far it is read, until `read` has read all of it.
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
        screen.view.loading = Some(progress.clone());
        let reading = spawn_blocking(move || read(&progress));
        let terminal = Terminal::enter(screen.modes).map_err(refused)?;
        // commands are ignored until everything is read
        let (commands, _) = mpsc::channel(1);
        let feed = Feed::new();
        let tail: Tail = feed.tail();
        let models = ModelOptions::default();
        let reader = outside::with(&files, (None, &models), context, async |outside| {
            run(&mut screen, tail, terminal, terminal::events, commands, outside).await
        });
        let opened = tokio::select! { biased;
            code = signals.next() => return Ok(Meanwhile::Left(Next::Over(code))),
            opened = reading => opened.map_err(|e| {
                Failure::new(Exit::Failed, format!("reading {} failed: {e}", path.display()))
            })??,
            left = reader => return Ok(Meanwhile::Left(match left {
                Ok(LeaveTo::Quit) => Next::Over(Exit::Done),
                // a branch needs the whole of it
                Ok(LeaveTo::Home | LeaveTo::Extend(_) | LeaveTo::Fork(_)) => Next::Home(Home::default()),
                Err(e) => Next::Over(failed(&e)?),
            })),
        };
        screen.view.loading = None;
        Ok(Meanwhile::Read(opened, Some(Box::new(screen.view))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::view::transcript::RowView;

    const EXAMPLE: &str = "assets/sessions/example-rehearsed.jsonl";

    /// The words of a transcript, each with its number and its speaker, the last first.
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
        let (_, whole) = tell(path, &ReadProgress::default()).unwrap();
        let whole = words(&whole);
        for bytes in [20_000, 28_000] {
            let end = words(&end(path, bytes).unwrap());
            assert!(end.len() > 2, "{} words of {bytes} bytes", end.len());
            assert_eq!(end, whole[..end.len()], "{bytes} bytes");
        }
    }

    #[test]
    fn however_it_is_read_it_says_the_same() {
        let path = Path::new(EXAMPLE);
        let (_, told) = tell(path, &ReadProgress::default()).unwrap();
        let (folded, remembered) =
            (fold(path, &ReadProgress::default()).unwrap(), remember(path).unwrap());
        assert!(folded.past == *told.state() && remembered.past == folded.past);
    }
}
