//! `watch`: follows a conversation that another process runs, over its socket or by its file: the viewer cannot steer,
//! and the writer is never blocked.

use crate::cli::args::{Play, PrintFormat, SessionName};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::play::attached::{self, Visit};
use crate::cli::play::next::Next;
use crate::cli::play::outcome::resume_command;
use crate::cli::play::printer::Printer;
use crate::cli::play::signals::Signals;
use crate::cli::play::terminal as place;
use crate::cli::running::{RunningSession, has_socket};
use crate::cli::runtime::{block_on, refused};
use crate::cli::{output, session_file};
use crate::clock::Clock;
use crate::live::client::{ClientError, Received, Receiver, Sender, greet};
use crate::live::protocol::Attach;
use crate::model::{Kind, Ms, Seq};
use crate::session::Follower;
use crate::state::State;
use clap::Args;
use std::future::pending;
use std::io;
use std::path::Path;

/// Interval between two checks of the file, in milliseconds. Text is written a few times per second.
const LOOK_MS: u64 = 100;
/// Number of checks of an empty file without a writer before `watch` gives up: a writer creates the file a moment before
/// it locks it.
const EMPTY_LOOKS: u32 = 20;

/// Follow a running session from another terminal, read-only
#[derive(Debug, Args)]
pub struct WatchArgs {
    #[command(flatten)]
    which: SessionName,
    /// Print it instead of opening the screen; ends with the conversation
    #[arg(long)]
    headless: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = PrintFormat::Text)]
    format: PrintFormat,
}

impl WatchArgs {
    /// Follows the conversation until it ends or the user leaves.
    pub fn next(self, context: &Context) -> Result<Next, Failure> {
        let headless = self.headless || context.text_mode().is_some();
        if !headless {
            place::check_screen(&place::headless(context), context)?;
        }
        let path = session_file::find(&self.which, context)?;
        if headless {
            let follower = Follower::open(&path)?;
            print(follower, self.format, RunningSession::at(path, context)?, context)
        } else {
            let attaches = has_socket(&path, context) && attaches(&path, context);
            let name = attaches.then(|| "watch".to_owned());
            let running = RunningSession::at(path, context)?;
            attached::show(&Visit { running, name, watches: true }, context)
        }
    }
}

/// Returns whether the conversation takes clients.
fn attaches(path: &Path, context: &Context) -> bool {
    let greeted = RunningSession::at(path.to_owned(), context)
        .and_then(|running| block_on(async { running.greet(context).await }));
    greeted.is_ok()
}

/// Returns true if no more events will come: the session has events, but no process has it open.
fn is_over(state: &State, follower: &Follower) -> bool {
    !follower.is_written() && (state.ended.is_some() || state.next_seq > Seq(0))
}

/// Prints the past events and follows the new ones.
///
/// The lines come from the file; the socket of the conversation, if any, only signals new ones.
fn print(
    mut follower: Follower,
    format: PrintFormat,
    running: RunningSession,
    context: &Context,
) -> Result<Next, Failure> {
    block_on(async {
        let mut bell = Bell::connect(&running, context).await;
        let mut signals = Signals::listen().map_err(refused)?;
        let mut printer = Printer::start(Some(format), State::default()).map_err(refused)?;
        let clock = Clock::real(Ms(0));
        let mut state = State::default();
        let room = printer.room();
        let mut ends = false;
        let mut empty_looks = 0;
        let printed = loop {
            // check before reading, so that events written in between are not missed
            let over = is_over(&state, &follower);
            let fresh = follower.fresh()?;
            for record in &fresh {
                state.apply(&record.event);
            }
            printer.print(fresh.clone());
            let ends_here = fresh.iter().any(|r| matches!(r.event.kind, Kind::Ended(_)));
            let ended = ends_here && state.ended.is_some();
            if fresh.is_empty() && (over || ends) {
                break printer.finish().await;
            }
            if state.next_seq == Seq(0) && !follower.is_written() {
                empty_looks += 1;
                if empty_looks > EMPTY_LOOKS {
                    return Err(no_writer(&follower));
                }
            }
            // an end counts only if no events follow it
            ends = ended || (ends && fresh.is_empty());
            tokio::select! { biased;
                code = signals.next() => return Ok(Next::Over(code)),
                printed = &mut printer.done => {
                    break printed.unwrap_or_else(|e| Err(io::Error::other(e)));
                }
                () = room.wait(), if !fresh.is_empty() => {}
                () = bell.ring(), if fresh.is_empty() => {}
                () = clock.advance(Some(clock.now().plus(LOOK_MS))), if fresh.is_empty() => {}
            }
        };
        output::written(printed)?;
        if state.ended.is_none() {
            let files = follower.files();
            let resume = resume_command(&context.name_of(files), &Play::default(), context);
            context.say(&format!("unfinished, but no process is running it; resume: {resume}"));
        }
        Ok(Next::Over(Exit::Done))
    })
}

/// A connection to the conversation that reports new events.
struct Bell(Option<(Receiver, Sender)>);

impl Bell {
    async fn connect(running: &RunningSession, context: &Context) -> Bell {
        let attach = Attach { from: None, name: Some("watch".into()), watch: true };
        let connected = async {
            let (_, receiver, sender) = greet(&running.socket).await?.attach(attach).await?;
            Ok((receiver, sender))
        };
        let connected = running.await_process(context, connected).await;
        if let Err(fault @ ClientError::Silent) = &connected {
            context.say(&format!("{fault}; following its file; Ctrl-C stops"));
        }
        Bell(connected.ok())
    }

    /// Waits for the next event in the file. Cancel safe.
    async fn ring(&mut self) {
        while let Some((receiver, _)) = &mut self.0 {
            match receiver.next().await {
                Received::Event(_) => return,
                Received::Piece(_) => {}
                Received::Error(_) | Received::Bye(_) | Received::Lost => self.0 = None,
            }
        }
        pending().await
    }
}

fn no_writer(follower: &Follower) -> Failure {
    let message =
        format!("{} is empty, and no process writes it", follower.files().log().display());
    Failure::new(Exit::Session, message).hint("`colloquium sessions list` names the sessions")
}
