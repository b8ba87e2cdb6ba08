//! Shows a conversation that another process runs, over its socket. Leaving does not change the conversation.

use crate::cli::args::{ModelOptions, Play};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::memory::{input_history, preferences};
use crate::cli::play::assemble::COMMANDS_WAITING;
use crate::cli::play::next::{Home, Next};
use crate::cli::play::opening::{self, Meanwhile};
use crate::cli::play::signals::Signals;
use crate::cli::play::{outside, screen};
use crate::cli::running::RunningSession;
use crate::cli::runtime::{block_on, refused};
use crate::clock::{Clock, wall_now};
use crate::live::client::{Received, Receiver, Sender};
use crate::live::protocol::{Attach, Bye};
use crate::model::{Key, Ms, Seq, SteerLine};
use crate::session::{Feed, SessionFiles, Survey};
use crate::ui::ViewState;
use crate::ui::run::{self, LeaveTo};
use crate::ui::terminal::{self, Terminal};
use crate::ui::view::transcript::Transcript;
use serde_json::Value;
use std::cell::Cell;
use std::future::pending;
use tokio::sync::mpsc;

/// Usual name of a visitor in the log.
pub const GUEST: &str = "guest";

/// A visit to a running conversation.
pub struct Visit {
    /// The conversation.
    pub running: RunningSession,
    /// Name of the visitor in its log.
    pub name: String,
    /// True if the visitor gives no commands.
    pub watches: bool,
}

/// Reason for leaving the screen.
enum Left {
    Signal(Exit),
    Quit(std::io::Result<LeaveTo>),
    /// The connection ended before the conversation.
    Gone(Option<Bye>),
}

/// Shows a running conversation until the user leaves.
pub fn show(visit: &Visit, context: &Context) -> Result<Next, Failure> {
    // before anything is drawn
    block_on(async { visit.running.greet(context).await.map(drop) })?;
    match opening::read(&visit.running.path, context)? {
        Meanwhile::Left(next) => Ok(next),
        Meanwhile::Read((survey, transcript), view) => {
            block_on(follow(visit, &survey, *transcript, view, context))
        }
    }
}

async fn follow(
    visit: &Visit,
    survey: &Survey,
    transcript: Transcript,
    view: Option<Box<ViewState>>,
    context: &Context,
) -> Result<Next, Failure> {
    let Visit { running, name, watches } = visit;
    let mut signals = Signals::at_terminal().map_err(refused)?;
    let from = transcript.state().next_seq;
    let attach = Attach { from: Some(from), name: Some(name.clone()), watch: *watches };
    let attached = running.greet(context).await?.attach(attach).await;
    let (attached, mut receiver, sender) =
        attached.map_err(|fault| running.failure(&fault, context))?;
    let files = SessionFiles::at(&running.path);
    let now = survey.latest.map_or(Ms(0), |latest| {
        let behind = wall_now().0.saturating_sub(latest.0).max(0);
        transcript.state().ms.plus(behind.unsigned_abs())
    });
    let mut screen = screen::new_screen(Seq(0), Clock::real(now), context)?;
    screen.view = view.map_or(screen.view, |view| *view);
    screen.set_keys(attached.keys);
    screen.view.watching = *watches;
    screen.view.attached = true;
    screen.adopt(transcript);
    let leaves = "leaving does not end the conversation";
    screen.view.notice = Some(if *watches {
        format!("watching as {}: {leaves}", attached.name)
    } else {
        format!("attached as {}: {leaves}", attached.name)
    });
    let feed = Feed::new();
    let tail = feed.tail();
    let (commands, given) = mpsc::channel(COMMANDS_WAITING);
    let terminal = Terminal::enter(screen.modes).map_err(refused)?;
    let models = ModelOptions::default();
    let lent = Cell::new(false);
    let lends = if *watches { None } else { Some(&lent) };
    let left = {
        let show = outside::with(&files, lends, &models, context, async |outside| {
            run::run(&mut screen, tail, terminal, terminal::events, commands, outside).await
        });
        let receive = receive(&mut receiver, &feed);
        let pass_on = pass_on(given, sender);
        tokio::pin!(show, receive, pass_on);
        loop {
            tokio::select! { biased;
                // an editor that uses the terminal gets the interrupt alone
                code = signals.next() => {
                    if !(lent.get() && matches!(code, Exit::Interrupted | Exit::Quit)) {
                        break Left::Signal(code);
                    }
                }
                left = &mut show => break Left::Quit(left),
                bye = &mut receive => break Left::Gone(bye),
                () = &mut pass_on => {}
            }
        }
    };
    let folder = &context.paths.state;
    // a failure to keep the user's input and preferences is not worth failing now
    let _ = input_history::write(folder, &screen.view.composer.history);
    let _ = preferences::keep_panels(folder, screen.view.panels);
    let _ = screen::keep_theme(&screen, context);
    let ended = screen.transcript.state().ended.is_some();
    let name = context.name_of(&files);
    let again = context.command(&["attach", &name]);
    match left {
        Left::Signal(code) => Ok(Next::Over(code)),
        Left::Quit(Err(e)) => Ok(Next::Over(screen::failed(&e)?)),
        Left::Quit(Ok(LeaveTo::Extend(commands))) => {
            Ok(Next::again(files.log(), commands, &Play::default()))
        }
        Left::Quit(Ok(LeaveTo::Home)) => Ok(Next::Home(Home::default())),
        Left::Quit(Ok(LeaveTo::Fork(leaf))) => {
            Ok(Next::fork(files.log(), leaf, None, &Play::default(), !ended))
        }
        Left::Quit(Ok(LeaveTo::Quit | LeaveTo::Detach)) => {
            if !ended {
                context.say(&format!("the conversation goes on; attach again: {again}"));
            }
            Ok(Next::Left(Exit::Done))
        }
        Left::Gone(Some(Bye::Detached)) => {
            context.say(&format!("the conversation moves to the background; attach: {again}"));
            Ok(Next::Left(Exit::Done))
        }
        Left::Gone(bye) => {
            let message = match bye {
                Some(Bye::Left) => "the terminal that ran the conversation has left it",
                Some(Bye::Slow) => "this terminal read too slowly and was cut off",
                Some(Bye::Ended | Bye::Detached) | None => {
                    "the process that ran the conversation is gone"
                }
            };
            let resume = context.command(&["resume", &name]);
            Err(Failure::new(Exit::Session, message)
                .hint(format!("resume it: {resume}; if it runs again: {again}")))
        }
    }
}

/// Shows events and pieces until the connection ends; never returns after the end of the conversation, so that it can
/// still be read.
async fn receive(receiver: &mut Receiver, feed: &Feed) -> Option<Bye> {
    loop {
        match receiver.next().await {
            Received::Event(record) => feed.push(record),
            Received::Piece(piece) => feed.piece(piece),
            Received::Bye(Bye::Ended) => pending().await,
            Received::Bye(bye) => return Some(bye),
            Received::Error(_) | Received::Lost => return None,
        }
    }
}

/// Sends the user's commands. Never returns: the connection reports its own end.
async fn pass_on(mut given: mpsc::Receiver<(Key, SteerLine)>, mut sender: Sender) {
    while let Some((_, line)) = given.recv().await {
        let line = Value::Object(line.to_map()).to_string();
        // the receiving end notices a lost connection
        let _ = sender.steer(&line).await;
    }
    pending().await
}
