//! A conversation as text that only grows, at a terminal: the engine runs, lines are told as they come and typed when
//! the person likes. Leaving writes no end.

use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::{self, Exit};
use crate::cli::output;
use crate::cli::play::headless::{Table, unless_told_again, unwritable};
use crate::cli::play::screen::{After, COMMANDS_WAITING, Onward, farewell, hand_over};
use crate::cli::play::signals::Signals;
use crate::cli::play::stdin;
use crate::engine::Stopped;
use crate::model::{Command, Seq};
use crate::ui::linear::{Linear, Then};
use std::future::pending;
use std::io;
use tokio::runtime;
use tokio::sync::mpsc;

/// How it was left.
enum Left {
    /// By its end, or by the person.
    Done,
    /// After its end, to go on with it: these commands come first.
    Again(Vec<Command>),
    /// Told by the system to stop.
    Signal(Exit),
    /// The session cannot be written any more.
    Unwritable(String),
}

/// Plays a conversation as text until the person leaves; one that they ended, or that is kept nowhere, until it ends.
pub fn play(table: Table<'_>, because: &str, context: &Context) -> Result<Onward, Failure> {
    let refused = |e: io::Error| Failure::new(Exit::Failed, format!("the system refused: {e}"));
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    let onward = runtime.block_on(async {
        let mut signals = Signals::listen().map_err(refused)?;
        let Table { mut engine, mut tail, files, saved, clock, .. } = table;
        let since = Seq(engine.live.state.next_seq.0.saturating_sub(1));
        let mut told = Linear::new(since, saved);
        output::data(Linear::greeting(because).as_bytes())?;
        let mut typed = stdin::typed().await.map_err(refused)?;
        let left = {
            let (orders, heard) = mpsc::channel(COMMANDS_WAITING);
            let (inputs, to_engine) = mpsc::channel(COMMANDS_WAITING);
            let playing = engine.run(to_engine, pending());
            let hand_over = hand_over(heard, inputs);
            tokio::pin!(playing, hand_over);
            let mut talking = true;
            loop {
                let (words, then) = tokio::select! { biased;
                    code = signals.next() => match code {
                        Exit::Interrupted => told.interrupted(),
                        code => break Left::Signal(code),
                    },
                    () = &mut hand_over => continue,
                    Some(item) = tail.next() => (told.take(&item), Then::Wait),
                    line = typed.recv() => match line {
                        Some(line) => told.hear(&line, clock.now()),
                        // the end of what is typed is a wish to leave
                        None => break Left::Done,
                    },
                    stopped = &mut playing, if talking => match stopped {
                        Stopped::Ended => {
                            talking = false;
                            let mut rest = String::new();
                            while let Some(item) = tail.try_next() {
                                rest += &told.take(&item);
                            }
                            if !told.goes_on() {
                                output::data(rest.as_bytes())?;
                                break Left::Done;
                            }
                            (rest, Then::Wait)
                        }
                        Stopped::Unwritable(why) => break Left::Unwritable(why),
                    },
                };
                output::data(words.as_bytes())?;
                match then {
                    Then::Wait => {}
                    Then::Leave => break Left::Done,
                    Then::Again(commands) => break Left::Again(commands),
                    Then::Send(key, line) => {
                        // an engine that is done is noticed by its end
                        let _ = orders.send((key, *line)).await;
                    }
                }
            }
        };
        while let Some(item) = tail.try_next() {
            output::data(told.take(&item).as_bytes())?;
        }
        let state = engine.live.state.clone();
        let synced = unless_told_again(&mut signals, engine.finish()).await;
        if let Left::Unwritable(why) = &left {
            return Err(unwritable(&files, why));
        }
        synced.map_err(|fault| unwritable(&files, &fault.to_string()))?;
        let name = saved.then(|| context.name_of(&files));
        context.say(&farewell(&state, name.as_deref()));
        Ok(match left {
            Left::Again(commands) => Onward::Again(files.log().to_owned(), commands),
            Left::Signal(code) => Onward::To(After::Over(code)),
            Left::Done | Left::Unwritable(_) => {
                Onward::To(After::Over(exit::ended(&state).unwrap_or(Exit::Done)))
            }
        })
    });
    // whoever reads what is typed cannot be broken off
    runtime.shutdown_background();
    onward
}
