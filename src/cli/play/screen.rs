//! Plays a conversation on the screen: the engine and the reader run side by side, and leaving does not end the
//! session.
//!
//! The screen and the engine do not know each other: commands go one way, the tail the other. A session that the user
//! left, by a key or by a signal, can be resumed.

use crate::cli::appearance::ScreenAppearance;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::memory::{drafts, input_history, preferences};
use crate::cli::play::assemble::{COMMANDS_WAITING, hand_over};
use crate::cli::play::call_log::CallLog;
use crate::cli::play::leaving::Leaving;
use crate::cli::play::next::{Home, Next, Setup};
use crate::cli::play::signals::Signals;
use crate::cli::play::{door, outside};
use crate::cli::runtime::{block_on, refused};
use crate::clock::Clock;
use crate::engine::{Owner, Stopped};
use crate::model::Seq;
use crate::session::{Item, Tail};
use crate::settings::{Habits, StartFocus};
use crate::state::State;
use crate::text;
use crate::ui::terminal::{self, Terminal};
use crate::ui::view::modal::Vim;
use crate::ui::{Screen, run};
use std::cell::Cell;
use std::future::pending;
use std::io;
use tokio::sync::mpsc;

/// Reason for leaving the screen.
enum Left {
    /// The user left.
    Quit(io::Result<run::LeaveTo>),
    /// A signal asked the program to stop.
    Signal(Exit),
    /// The session can no longer be written.
    Unwritable(String),
}

/// Plays a conversation on the screen until the user leaves.
pub fn play(setup: Setup, context: &Context) -> Result<Next, Failure> {
    block_on(async {
        let mut signals = Signals::at_terminal().map_err(refused)?;
        let Setup { mut conversation, play, allowed, inquiry, notice, .. } = setup;
        let door = door::open(&mut conversation, Owner::Operator, context);
        let (mut engine, tail, files) =
            (conversation.engine, conversation.tail, conversation.files);
        let since = Seq(engine.live.state.next_seq.0.saturating_sub(1));
        let lent = Cell::new(false);
        let mut screen = new_screen(since, conversation.clock, context)?;
        if let Some((transcript, view)) = conversation.told {
            screen.view = view.unwrap_or(screen.view);
            screen.adopt(transcript);
        }
        screen.view.unsaved = !conversation.saved;
        screen.view.stays = door.fault().map(str::to_owned);
        screen.view.notice = notice.map(|notice| text::line(&notice).into_owned());
        let log = context.log_of_screen()?;
        let state_folder = &context.paths.state;
        let draft = drafts::read(state_folder, &files.id());
        draft.iter().for_each(|draft| screen.view.composer.rewrite(draft));
        let terminal = Terminal::enter(screen.modes).map_err(refused)?;
        let (commands, given) = mpsc::channel(COMMANDS_WAITING);
        let (inputs, to_engine) = mpsc::channel(COMMANDS_WAITING);
        let log_tail = context.keeps().then(|| engine.tail());
        let show = outside::with(&files, Some(&lent), &play.models, context, async |outside| {
            run::run(&mut screen, tail, terminal, terminal::events, commands, outside).await
        });
        let mut notes = Vec::new();
        let left = {
            let asked = async {
                match inquiry {
                    Some(inquiry) => inquiry.answer().await,
                    None => Ok(vec![]),
                }
            };
            let running = engine.run(to_engine, pending());
            let hand_over = hand_over(given, inputs);
            let keep_log = keep_log(log_tail, conversation.past, since, context);
            tokio::pin!(asked, running, hand_over, keep_log, show);
            let mut asks = true;
            let mut runs = true;
            let mut shows = true;
            loop {
                tokio::select! { biased;
                    // an editor that uses the terminal gets the interrupt alone
                    code = signals.next() => {
                        if !(lent.get() && matches!(code, Exit::Interrupted | Exit::Quit)) {
                            break Ok(Left::Signal(code));
                        }
                    }
                    () = &mut keep_log => {}
                    left = &mut show, if shows => match left {
                        Ok(run::LeaveTo::Detach) if runs => {
                            shows = false;
                            door.hand_over();
                            context.say("detaching after the current turn; Ctrl-C leaves at once");
                        }
                        // a conversation that has ended needs no process
                        Ok(run::LeaveTo::Detach) => break Ok(Left::Quit(Ok(run::LeaveTo::Quit))),
                        left => break Ok(Left::Quit(left)),
                    },
                    () = &mut hand_over => {}
                    answer = &mut asked, if asks => match answer {
                        Ok(said) => (notes, asks) = (said, false),
                        Err(failure) => break Err(failure),
                    },
                    stopped = &mut running, if runs && !asks => match stopped {
                        Stopped::Ended if shows => runs = false,
                        Stopped::Ended => break Ok(Left::Quit(Ok(run::LeaveTo::Quit))),
                        Stopped::HandedOver => break Ok(Left::Quit(Ok(run::LeaveTo::Detach))),
                        Stopped::Unwritable(why) => break Ok(Left::Unwritable(why)),
                    },
                }
            }
        };
        // a failure to keep the user's input and preferences is not worth failing now
        let _ = input_history::write(state_folder, &screen.view.composer.history);
        let _ = drafts::keep(state_folder, &files.id(), &screen.view.composer.whole());
        let _ = preferences::keep_panels(state_folder, screen.view.panels);
        let _ = keep_theme(&screen, context);
        let _ = preferences::keep_commands(state_folder, &screen.view.used);
        let left = match left {
            Ok(left) => left,
            // no turn has started
            Err(failure) => {
                engine.abandon().await;
                return Err(failure);
            }
        };
        notes.iter().for_each(|note| context.say(note));
        let saved = conversation.saved;
        let leaving = Leaving { engine, door, signals, files, saved, play };
        let left = match left {
            Left::Unwritable(why) => return Err(leaving.fail(&why).await),
            Left::Quit(Ok(run::LeaveTo::Detach)) => return leaving.detach(context).await,
            Left::Signal(code) => Err(code),
            Left::Quit(left) => Ok(left),
        };
        let (session, play) = (leaving.files.log().to_owned(), leaving.play.clone());
        let state = leaving.save(context).await?;
        if let Some(path) = log {
            context.note(&format!("log: {}", path.display()));
        }
        match left {
            Err(code) => Ok(Next::Over(code)),
            Ok(Err(e)) => Ok(Next::Over(failed(&e)?)),
            Ok(Ok(run::LeaveTo::Home)) => Ok(Next::Home(Home::default())),
            Ok(Ok(run::LeaveTo::Fork(_) | run::LeaveTo::Extend(_))) if !saved => {
                Err(Failure::usage(
                    "--no-save sessions cannot be branched or extended",
                    "run without --no-save",
                ))
            }
            Ok(Ok(run::LeaveTo::Fork(leaf))) => {
                Ok(Next::fork(&session, leaf, Some(allowed), &play, state.ended.is_none()))
            }
            Ok(Ok(run::LeaveTo::Extend(commands))) => Ok(Next::again(&session, commands, &play)),
            Ok(Ok(run::LeaveTo::Quit | run::LeaveTo::Detach)) => {
                Ok(Next::Left(Exit::from_state(&state).unwrap_or(Exit::Done)))
            }
        }
    })
}

/// Returns the exit code after a terminal error: a hang-up if the terminal is gone.
pub fn failed(e: &io::Error) -> Result<Exit, Failure> {
    if terminal::is_gone() {
        return Ok(Exit::HungUp);
    }
    Err(Failure::new(Exit::Failed, format!("the terminal failed: {e}")))
}

/// Creates a screen with the configured colours, symbols and key bindings.
pub fn new_screen(since: Seq, clock: Clock, context: &Context) -> Result<Screen, Failure> {
    let appearance = ScreenAppearance::here(context)?;
    let mut screen = Screen::new(since, clock, appearance.theme, appearance.glyphs);
    (screen.keymap, screen.modes, screen.themes) =
        (appearance.keymap, appearance.modes, appearance.themes);
    let habits = appearance.habits;
    screen.view.vim = (habits.keys == Habits::Vim).then(Vim::default);
    // vim has a mode of its own for letters as keys
    screen.view.line = habits.start == StartFocus::Line && screen.view.vim.is_none();
    screen.view.hand.patience = habits.hold;
    screen.view.rest.after = habits.poster;
    screen.view.rest.is_reopened = since > Seq(0);
    screen.view.panels = preferences::panels(&context.paths.state);
    screen.view.used = preferences::commands(&context.paths.state);
    screen.view.composer.history = input_history::read(&context.paths.state);
    Ok(screen)
}

/// Saves the theme that was chosen on a screen, unless an option or the settings name one.
pub fn keep_theme(screen: &Screen, context: &Context) -> io::Result<()> {
    if screen.themes.fixed || !screen.themes.chosen {
        Ok(())
    } else {
        preferences::keep_theme(&context.paths.state, &screen.themes.current)
    }
}

/// Writes the outcome of each call to the log file; earlier calls are there already.
async fn keep_log(tail: Option<Tail>, past: State, since: Seq, context: &Context) {
    if let Some(mut tail) = tail {
        let mut calls = CallLog::from_state(&past);
        while let Some(item) = tail.next().await {
            if let Item::Event(record) = item
                && record.event.seq > since
                && let Some(message) = calls.message(&record.event)
            {
                context.keep(&message);
            }
        }
    }
    pending().await
}
