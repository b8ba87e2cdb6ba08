//! Plays a conversation on the screen: the engine and the reader run side by side, and leaving does not end the
//! session.
//!
//! The screen and the engine do not know each other: commands go one way, the tail the other. A session that the user
//! left, by a key or by a signal, can be resumed.

use crate::cli::appearance::ScreenAppearance;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::memory::private_file;
use crate::cli::play::attend::{Leaving, Left, attend};
use crate::cli::play::call_log::CallLog;
use crate::cli::play::next::{Home, Next, Setup};
use crate::cli::play::signals::Signals;
use crate::cli::play::{door, outside};
use crate::cli::runtime::{block_on, refused};
use crate::clock::Clock;
use crate::engine::Owner;
use crate::model::Seq;
use crate::session::{Item, Tail};
use crate::settings::Habits;
use crate::state::State;
use crate::ui::view::composer::Vim;
use crate::ui::{Screen, run, terminal};
use crate::{host, text};
use std::cell::Cell;
use std::future::pending;
use std::io;

/// Plays a conversation on the screen until the user leaves.
pub fn play(setup: Setup, context: &Context) -> Result<Next, Failure> {
    block_on(async {
        let mut signals = Signals::at_terminal().map_err(refused)?;
        let Setup { mut conversation, told, play, allowed, inquiry, notice, .. } = setup;
        door::open(&mut conversation, Owner::Operator, context);
        let (files, saved, since) =
            (conversation.files.clone(), conversation.saved, conversation.since());
        let lent = Cell::new(false);
        let mut screen = new_screen(since, conversation.clock.clone(), context)?;
        if let Some((transcript, view)) = told {
            screen.view = view.map_or(screen.view, |view| *view);
            screen.adopt(*transcript);
        }
        screen.view.unsaved = !saved;
        screen.view.durable = Some(conversation.durable());
        screen.view.stays = conversation.closed().map(str::to_owned);
        screen.view.notice = notice.map(|notice| text::line(&notice).into_owned());
        let log = context.log_of_screen()?;
        let state_folder = &context.paths.state;
        let draft = private_file::draft(state_folder, &files.id());
        draft.iter().for_each(|draft| screen.view.composer.rewrite(draft));
        let log_tail = context.keeps().then(|| conversation.another_tail());
        let keep_log = keep_log(log_tail, conversation.past.clone(), since, context);
        let host::RunningConversation { tail, commands, mut run } = conversation.hold();
        let mut notes = Vec::new();
        let left = {
            let (lends, models) = (Some(&lent), &play.models);
            let show = outside::show(&mut screen, tail, commands, &files, lends, models, context);
            let leaves = unless_lent(&lent);
            tokio::pin!(show, keep_log);
            let asked = async {
                let asked = async {
                    match inquiry {
                        Some(inquiry) => inquiry.answer().await,
                        None => Ok(vec![]),
                    }
                };
                tokio::select! { biased;
                    left = &mut show => Ok(Some(left)),
                    said = asked => said.map(|said| {
                        notes = said;
                        None
                    }),
                }
            };
            // no turn starts before the providers have answered
            match attend(&mut run, asked, &mut signals, leaves).await {
                Left::Reader(Ok(None)) => {
                    run.begin();
                    let show = async {
                        tokio::select! { biased;
                            () = &mut keep_log => pending().await,
                            left = &mut show => Ok(Some(left)),
                        }
                    };
                    attend(&mut run, show, &mut signals, leaves).await
                }
                left => left,
            }
        };
        // a failure to keep the user's input and preferences is not worth failing now
        let _ = private_file::keep_inputs(state_folder, &screen.view.composer.history);
        let _ = private_file::keep_draft(state_folder, &files.id(), &screen.view.composer.whole());
        let _ = keep_theme(&screen, context);
        let left = match left {
            // no turn has started
            Left::Reader(Err(failure)) => {
                run.abandon().await;
                return Err(failure);
            }
            Left::Reader(Ok(Some(Ok(run::LeaveTo::Detach)))) => {
                run.hand_over();
                context.say("detaching after the current turn; Ctrl-C leaves at once");
                tokio::select! { biased;
                    code = signals.next() => Err(code),
                    _ = run.stopped() => Ok(Ok(run::LeaveTo::Quit)),
                }
            }
            Left::Reader(Ok(left)) => Ok(left.unwrap_or(Ok(run::LeaveTo::Quit))),
            Left::Signal(code) => Err(code),
            Left::Stopped => Ok(Ok(run::LeaveTo::Quit)),
        };
        notes.iter().for_each(|note| context.say(note));
        let (session, options) = (files.log().to_owned(), play.clone());
        let Some(state) = Leaving { run, signals, files, saved, play }.leave(context).await? else {
            return Ok(Next::Left(Exit::Done));
        };
        let play = options;
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

/// Returns whether a signal leaves the screen: an editor that uses the terminal gets the interrupt alone.
pub fn unless_lent(lent: &Cell<bool>) -> impl Fn(Exit) -> bool + Copy {
    |code| !(lent.get() && matches!(code, Exit::Interrupted | Exit::Quit))
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
    screen.view.hand.patience = habits.hold;
    screen.view.rest.after = habits.poster;
    screen.view.rest.is_reopened = since > Seq(0);
    screen.view.composer.history = private_file::inputs(&context.paths.state);
    Ok(screen)
}

/// Saves the theme that was chosen on a screen, unless an option or the settings name one.
pub fn keep_theme(screen: &Screen, context: &Context) -> io::Result<()> {
    if screen.themes.fixed || !screen.themes.chosen {
        Ok(())
    } else {
        private_file::keep_theme(&context.paths.state, &screen.themes.current)
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
