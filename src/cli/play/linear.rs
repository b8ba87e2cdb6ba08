//! Plays a conversation as append-only text at a terminal: the engine runs, lines are printed as they arrive, and the
//! user can type at any time. Leaving does not end the session.

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::cli::play::assemble::{COMMANDS_WAITING, hand_over};
use crate::cli::play::leaving::Leaving;
use crate::cli::play::next::{Next, Setup};
use crate::cli::play::signals::Signals;
use crate::cli::play::{door, stdin};
use crate::cli::runtime::{block_on, refused};
use crate::engine::{Owner, Stopped};
use crate::model::{Command, Seq};
use crate::ui::linear::{AfterLine, Linear};
use std::future::pending;
use tokio::sync::mpsc;

/// Reason for leaving the loop.
enum Left {
    /// The conversation ended, or the user left.
    Done,
    /// The user extends the ended conversation; these commands come first.
    Again(Vec<Command>),
    /// A signal asked the program to stop.
    Signal(Exit),
    /// The session can no longer be written.
    Unwritable(String),
    /// Another process takes the conversation over.
    Detach,
}

/// Plays a conversation as text until the user leaves, or until it ends if the user ended it or it is not kept.
pub fn play(setup: Setup, because: &str, context: &Context) -> Result<Next, Failure> {
    block_on(async {
        let mut signals = Signals::listen().map_err(refused)?;
        let Setup { mut conversation, play, notice, .. } = setup;
        let door = door::open(&mut conversation, Owner::Operator, context);
        let (mut engine, mut tail, files) =
            (conversation.engine, conversation.tail, conversation.files);
        let since = Seq(engine.live.state.next_seq.0.saturating_sub(1));
        let mut reader = Linear::new(since, conversation.saved, door.fault().map(str::to_owned));
        notice.iter().for_each(|notice| context.say(notice));
        output::wrapped(&Linear::greeting(because))?;
        let mut typed = stdin::typed().await.map_err(refused)?;
        let left = {
            let (commands, given) = mpsc::channel(COMMANDS_WAITING);
            let (inputs, to_engine) = mpsc::channel(COMMANDS_WAITING);
            let running = engine.run(to_engine, pending());
            let hand_over = hand_over(given, inputs);
            tokio::pin!(running, hand_over);
            let mut runs = true;
            let mut detaches = false;
            loop {
                let (words, then) = tokio::select! { biased;
                    code = signals.next() => match code {
                        Exit::Interrupted if !detaches => reader.interrupted(),
                        code => break Left::Signal(code),
                    },
                    () = &mut hand_over => continue,
                    Some(item) = tail.next() => (reader.take(&item), AfterLine::Wait),
                    line = typed.recv(), if !detaches => match line {
                        Some(line) => reader.enter_line(&line, conversation.clock.now()),
                        // the end of the input is a request to leave
                        None => break Left::Done,
                    },
                    stopped = &mut running, if runs => match stopped {
                        Stopped::HandedOver => break Left::Detach,
                        Stopped::Ended => {
                            runs = false;
                            let mut rest = String::new();
                            while let Some(item) = tail.try_next() {
                                rest += &reader.take(&item);
                            }
                            if detaches || !reader.goes_on() {
                                output::wrapped(&rest)?;
                                break Left::Done;
                            }
                            (rest, AfterLine::Wait)
                        }
                        Stopped::Unwritable(why) => break Left::Unwritable(why),
                    },
                };
                output::wrapped(&words)?;
                match then {
                    AfterLine::Wait => {}
                    AfterLine::Leave => break Left::Done,
                    AfterLine::Detach => {
                        detaches = true;
                        door.hand_over();
                    }
                    AfterLine::Extend(commands) => break Left::Again(commands),
                    AfterLine::Send(key, line) => {
                        // the end of the engine is noticed by its own future
                        let _ = commands.send((key, *line)).await;
                    }
                }
            }
        };
        while let Some(item) = tail.try_next() {
            output::wrapped(&reader.take(&item))?;
        }
        let saved = conversation.saved;
        let leaving = Leaving { engine, door, signals, files, saved, play };
        let next = match left {
            Left::Detach => return leaving.detach(context).await,
            Left::Unwritable(why) => return Err(leaving.fail(&why).await),
            Left::Again(commands) => {
                Some(Next::again(leaving.files.log(), commands, &leaving.play))
            }
            Left::Signal(code) => Some(Next::Over(code)),
            Left::Done => None,
        };
        let state = leaving.save(context).await?;
        Ok(next.unwrap_or(Next::Over(Exit::from_state(&state).unwrap_or(Exit::Done))))
    })
}
