//! Plays a conversation as append-only text at a terminal: lines are printed as they arrive, and the user can type at any
//! time. Leaving does not end the session.

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::cli::play::attend::{Leaving, Left, attend};
use crate::cli::play::next::{Next, Setup};
use crate::cli::play::signals::Signals;
use crate::cli::play::{door, stdin};
use crate::cli::runtime::{block_on, refused};
use crate::clock::Clock;
use crate::engine::{Input, Owner};
use crate::host;
use crate::model::Command;
use crate::session::{Durable, Tail};
use crate::ui::linear::{AfterLine, Linear};
use std::future::pending;
use tokio::sync::{mpsc, watch};

/// Reason for leaving at the reader's wish.
enum Wish {
    /// The conversation ended, or the user left.
    Leave,
    /// The user extends the ended conversation; these commands come first.
    Extend(Vec<Command>),
    /// Another process takes the conversation over.
    Detach,
}

/// Plays a conversation as text until the user leaves, or until it ends if the user ended it or it is not kept.
pub fn play(setup: Setup, because: &str, context: &Context) -> Result<Next, Failure> {
    block_on(async {
        let mut signals = Signals::listen().map_err(refused)?;
        let Setup { mut conversation, play, notice, .. } = setup;
        door::open(&mut conversation, Owner::Operator, context);
        let (files, saved, clock) =
            (conversation.files.clone(), conversation.saved, conversation.clock.clone());
        let mut durable = conversation.durable();
        let closed = conversation.closed().map(str::to_owned);
        let mut reader = Linear::new(conversation.since(), saved, closed);
        notice.iter().for_each(|notice| context.say(notice));
        output::wrapped(&Linear::greeting(because))?;
        let mut typed = stdin::typed().await.map_err(refused)?;
        let host::RunningConversation { mut tail, commands, mut run } = conversation.start();
        let (interrupt, mut interrupts) = mpsc::unbounded_channel();
        let mut detaches = false;
        let left = loop {
            let lines = if detaches { None } else { Some(&mut *typed) };
            let stops = &mut interrupts;
            let reads = read(&mut reader, &mut tail, &mut durable, lines, stops, &commands, &clock);
            // an interrupt drops the typed line; the receiver lives as long as this loop
            let leaves =
                |code| detaches || code != Exit::Interrupted || interrupt.send(()).is_err();
            match attend(&mut run, reads, &mut signals, leaves).await {
                Left::Reader(Ok(Wish::Detach)) => {
                    detaches = true;
                    run.hand_over();
                }
                left => break left,
            }
        };
        while let Some(item) = tail.try_next() {
            output::wrapped(&reader.take(&item))?;
        }
        let next = match left {
            Left::Reader(Err(failure)) => return Err(failure),
            Left::Reader(Ok(Wish::Extend(all))) => Some(Next::again(files.log(), all, &play)),
            Left::Signal(code) => Some(Next::Over(code)),
            Left::Reader(Ok(Wish::Leave | Wish::Detach)) | Left::Stopped => None,
        };
        let leaving = Leaving { run, signals, files, saved, play };
        Ok(match leaving.leave(context).await? {
            None => Next::Left(Exit::Done),
            Some(state) => {
                next.unwrap_or(Next::Over(Exit::from_state(&state).unwrap_or(Exit::Done)))
            }
        })
    })
}

/// Prints the conversation and carries out the lines that the user types, until a line asks for more, or the
/// conversation ends; without `typed`, until it ends.
async fn read(
    reader: &mut Linear,
    tail: &mut Tail,
    durable: &mut watch::Receiver<Durable>,
    mut typed: Option<&mut mpsc::Receiver<String>>,
    interrupts: &mut mpsc::UnboundedReceiver<()>,
    commands: &mpsc::Sender<Input>,
    clock: &Clock,
) -> Result<Wish, Failure> {
    let mut runs = true;
    let mut full = None;
    loop {
        let line = async {
            match &mut typed {
                Some(typed) => typed.recv().await,
                None => pending().await,
            }
        };
        let (words, then) = tokio::select! { biased;
            Some(()) = interrupts.recv() => reader.interrupted(),
            item = tail.next(), if runs => match item {
                Some(item) => (reader.take(&item), AfterLine::Wait),
                None => {
                    runs = false;
                    if typed.is_none() || !reader.goes_on() {
                        return Ok(Wish::Leave);
                    }
                    continue;
                }
            },
            Ok(wait) = async { durable.wait_for(|now| now.wait() != full).await.map(|now| now.wait()) } => {
                full = wait;
                (Linear::disk(full.as_deref()), AfterLine::Wait)
            }
            line = line => match line {
                Some(line) => reader.enter_line(&line, clock.now()),
                // the end of the input is a request to leave
                None => return Ok(Wish::Leave),
            },
        };
        output::wrapped(&words)?;
        match then {
            AfterLine::Wait => {}
            AfterLine::Leave => return Ok(Wish::Leave),
            AfterLine::Detach => return Ok(Wish::Detach),
            AfterLine::Extend(commands) => return Ok(Wish::Extend(commands)),
            AfterLine::Send(key, line) => {
                // a conversation that has ended takes no commands
                let _ = commands.send(Input::Command { key, line: *line }).await;
            }
        }
    }
}
