//! A conversation on the screen: the engine and the reader run side by side, and leaving writes no end.
//!
//! The screen knows no engine and the engine no screen: commands go one way, the tail the other. Whoever leaves, by a
//! key or by a signal, leaves a session that can be gone on with.

use crate::catalogue;
use crate::cli::appearance::ScreenAppearance;
use crate::cli::commands::export::written;
use crate::cli::commands::fork::Point;
use crate::cli::commands::sessions::Which;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::{self, Exit};
use crate::cli::memory::input_history;
use crate::cli::memory::preferences;
use crate::cli::play::editor;
use crate::cli::play::headless::{Table, unless_told_again, unwritable};
use crate::cli::play::journal::Calls;
use crate::cli::play::signals::Signals;
use crate::clock::Clock;
use crate::config::{Habits, make_private};
use crate::engine::{Input, Stopped};
use crate::export::{reason, spent, utterances};
use crate::model::{Command, Key, Seq, SteerLine};
use crate::session::replay::Recording;
use crate::session::{self, Item, SessionFiles, Tail};
use crate::spawn::open_with_system;
use crate::state::State;
use crate::ui::act::branches::{Other, Sessions};
use crate::ui::act::modal::Vim;
use crate::ui::terminal::{self, Terminal};
use crate::ui::{Screen, run};
use futures::future::LocalBoxFuture;
use std::cell::Cell;
use std::fs::OpenOptions;
use std::future::pending;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tokio::runtime;
use tokio::sync::mpsc;

/// Commands that may wait for the engine; a hand is never faster than that.
pub const COMMANDS_WAITING: usize = 64;

/// What follows a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The program ends, with a code.
    Over(Exit),
    /// The start screen.
    Home,
}

/// Where the person went from a screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Onward {
    /// Away from this conversation.
    To(After),
    /// To a branch of it.
    Fork(Point),
    /// To itself, after its end: its file, and what is done first.
    Again(PathBuf, Vec<Command>),
}

/// How the screen was left.
enum Left {
    /// By the person.
    Quit(io::Result<run::Left>),
    /// Told by the system to stop.
    Signal(Exit),
    /// The session cannot be written any more.
    Unwritable(String),
}

/// Plays a conversation on the screen until the person leaves.
pub fn play(table: Table<'_>, context: &Context) -> Result<Onward, Failure> {
    let refused = |e: io::Error| Failure::new(Exit::Failed, format!("the system refused: {e}"));
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    runtime.block_on(async {
        let mut signals = Signals::at_terminal().map_err(refused)?;
        let Table { mut engine, tail, files, saved, clock, past, .. } = table;
        let since = Seq(engine.live.state.next_seq.0.saturating_sub(1));
        let keep = |words: &str| last_copy(&context.paths.state, words);
        let export = |format: &str| written(files.log(), format, context);
        let lent = Cell::new(false);
        let edit = |draft| lend(draft, &lent, context);
        let sessions = || shelf(&files, context);
        let other = |name: &str| other(name, context).map_err(|f| f.message);
        let outside = run::Outside {
            keep: &keep,
            export: &export,
            open: &open,
            edit: &edit,
            sessions: &sessions,
            other: &other,
        };
        let mut screen = new_screen(since, clock, context)?;
        screen.view.unsaved = !saved;
        let log = context.log_of_screen()?;
        let draft = preferences::draft(&context.paths.state, &files.id());
        draft.iter().for_each(|draft| screen.view.pen.rewrite(draft));
        let left = {
            let (orders, heard) = mpsc::channel(COMMANDS_WAITING);
            let (inputs, to_engine) = mpsc::channel(COMMANDS_WAITING);
            let log_tail = context.keeps().then(|| engine.tail());
            let talk = engine.run(to_engine, pending());
            let hand_over = hand_over(heard, inputs);
            let keep_log = keep_log(log_tail, past, since, context);
            let terminal = Terminal::enter(screen.manner).map_err(refused)?;
            let reader = run::run(&mut screen, tail, terminal, terminal::events, orders, outside);
            tokio::pin!(talk, hand_over, keep_log, reader);
            let mut talking = true;
            loop {
                tokio::select! { biased;
                    // whoever has the terminal meanwhile is interrupted alone
                    code = signals.next() => {
                        if !(lent.get() && matches!(code, Exit::Interrupted | Exit::Quit)) {
                            break Left::Signal(code);
                        }
                    }
                    () = &mut keep_log => {}
                    left = &mut reader => break Left::Quit(left),
                    () = &mut hand_over => {}
                    stopped = &mut talk, if talking => match stopped {
                        Stopped::Ended => talking = false,
                        Stopped::Unwritable(why) => break Left::Unwritable(why),
                    },
                }
            }
        };
        // words that cannot be kept for the next time are no reason to fail now
        let _ = input_history::write(&context.paths.state, &screen.view.pen.history);
        let draft = screen.view.pen.whole();
        let _ = preferences::keep_draft(&context.paths.state, &files.id(), &draft);
        let _ = preferences::keep_panels(&context.paths.state, screen.view.panels);
        let _ = preferences::keep_commands(&context.paths.state, &screen.view.used);
        let state = engine.live.state.clone();
        let synced = unless_told_again(&mut signals, engine.finish()).await;
        if let Left::Unwritable(why) = &left {
            return Err(unwritable(&files, why));
        }
        synced.map_err(|fault| unwritable(&files, &fault.to_string()))?;
        let name = saved.then(|| context.name_of(&files));
        context.say(&farewell(&state, name.as_deref()));
        if let Some(path) = log {
            context.note(&format!("log: {}", path.display()));
        }
        match left {
            Left::Signal(code) => Ok(Onward::To(After::Over(code))),
            Left::Quit(Ok(run::Left::Home)) => Ok(Onward::To(After::Home)),
            Left::Quit(Ok(run::Left::Fork(leaf))) if saved => {
                Ok(Onward::Fork(Point { path: files.log().to_owned(), leaf }))
            }
            Left::Quit(Ok(run::Left::Again(commands))) if saved => {
                Ok(Onward::Again(files.log().to_owned(), commands))
            }
            Left::Quit(Ok(run::Left::Fork(_) | run::Left::Again(_))) => Err(Failure::usage(
                "what is not saved has no branch and does not go on after its end",
                "leave out --no-save",
            )),
            Left::Quit(Err(e)) => Ok(Onward::To(After::Over(failed(&e)?))),
            Left::Quit(Ok(run::Left::Quit)) | Left::Unwritable(_) => {
                Ok(Onward::To(After::Over(exit::ended(&state).unwrap_or(Exit::Done))))
            }
        }
    })
}

/// Returns how the program ends when its terminal failed: a hang-up, if it has vanished.
pub fn failed(e: &io::Error) -> Result<Exit, Failure> {
    match terminal::is_gone() {
        true => Ok(Exit::HungUp),
        false => Err(Failure::new(Exit::Failed, format!("the terminal failed: {e}"))),
    }
}

/// Returns a screen in the colours, the signs and with the keys that were asked for.
pub fn new_screen(since: Seq, clock: Clock, context: &Context) -> Result<Screen, Failure> {
    let appearance = ScreenAppearance::here(context)?;
    let mut screen = Screen::new(since, clock, appearance.theme, appearance.glyphs);
    (screen.keymap, screen.manner, screen.wardrobe) =
        (appearance.keymap, appearance.manner, appearance.wardrobe);
    screen.view.vim = (appearance.habits == Habits::Vim).then(Vim::default);
    screen.view.panels = preferences::panels(&context.paths.state);
    screen.view.used = preferences::commands(&context.paths.state);
    screen.view.pen.history = input_history::read(&context.paths.state);
    Ok(screen)
}

/// Opens an address with the program that the system has for it.
pub fn open(address: &str) -> Result<&'static str, String> {
    open_with_system(address).map_err(|e| e.to_string())
}

/// Lets the person write on in their own editor, and remembers that it has the terminal.
fn lend<'a>(
    draft: String,
    lent: &'a Cell<bool>,
    context: &'a Context,
) -> LocalBoxFuture<'a, Result<String, String>> {
    Box::pin(async move {
        lent.set(true);
        let written = editor::edit(&draft, context).await;
        lent.set(false);
        written
    })
}

/// Hands commands to the engine; the engine's ear stays open as long as the screen is there.
pub async fn hand_over(mut heard: mpsc::Receiver<(Key, SteerLine)>, inputs: mpsc::Sender<Input>) {
    while let Some((key, line)) = heard.recv().await {
        // an engine that is done has no use for commands; the screen shows that it ended
        let _ = inputs.send(Input::Command { key, line }).await;
    }
    pending().await
}

/// Returns which sessions there are, for the screen of one of them.
pub fn shelf(here: &SessionFiles, context: &Context) -> Result<Sessions, String> {
    let folder = context.paths.sessions();
    let all = catalogue::list(&folder);
    let all = all.map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    Ok(Sessions { all, here: here.id() })
}

/// Reads another session for the screen of one.
pub fn other(name: &str, context: &Context) -> Result<Other, Failure> {
    let log = session::read(&Which::named(Some(&name.to_owned())).find(context)?)?;
    Ok(Other { name: log.files.id(), recording: Recording::new(log.records) })
}

/// Keeps what each call came to in the log file; what was before is there already.
async fn keep_log(tail: Option<Tail>, past: State, since: Seq, context: &Context) {
    if let Some(mut tail) = tail {
        let mut calls = Calls::of(&past);
        while let Some(item) = tail.next().await {
            if let Item::Event(record) = item
                && record.event.seq > since
                && let Some(told) = calls.told(&record.event)
            {
                context.keep(&told);
            }
        }
    }
    pending().await
}

/// Keeps what was copied last, for terminals that have no clipboard.
pub fn last_copy(folder: &Path, words: &str) -> Result<String, String> {
    let path = folder.join("last-copy.txt");
    make_private(folder).map_err(|e| e.to_string())?;
    write_private(&path, words).map_err(|e| format!("not in {}: {e}", path.display()))?;
    Ok(path.display().to_string())
}

/// Writes a file that only its owner can read.
pub fn write_private(path: &Path, words: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(words.as_bytes())
}

/// Says what was saved and how to go on.
pub fn farewell(state: &State, name: Option<&str>) -> String {
    let kept = name.map_or("not saved".into(), |name| format!("saved: {name}"));
    let spoken = utterances(state.utterances);
    let end = match &state.ended {
        Some(ended) => format!("ended: {}", reason(ended.reason)),
        None => "not ended".into(),
    };
    let go_on = name.map_or(String::new(), |n| format!("; go on with: colloquium resume {n}"));
    let used = spent(&state.spent()).iter().map(|s| format!(", {s}")).collect::<String>();
    format!("{kept}, {spoken}{used}, {end}{go_on}")
}
