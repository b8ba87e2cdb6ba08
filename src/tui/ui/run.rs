//! The loop of the screen: keys and events in, frames and commands out.
//!
//! It draws only if something changed: at once if the last frame is old, otherwise when the frame clock allows. The
//! effect of a key is drawn at once, however fast text arrives; of several pending keys only the last one is drawn.
//! While nobody speaks, only a key or an event wakes the loop.

pub mod start;

use crate::clock::Clock;
use crate::engine::Input;
use crate::model::{Command, Ms, SeatId};
use crate::session::Durable;
use crate::session::tail::Tail;
use crate::text;
use crate::ui::act::{branches, mouse, undo, update};
use crate::ui::frame::Change;
use crate::ui::request::{Request, ServiceFault};
use crate::ui::screen::Screen;
use crate::ui::view::branches::{BranchPoint, OtherSession, SessionList};
use crate::ui::view::models::{self, ReachableModel};
use crate::ui::view::{away, hold, rest};

use crate::ui::draw;
use crate::ui::terminal::{AGAIN, STOP, Terminal};
use crate::ui::view::floor::Status;
use crossterm::event::Event;
use futures::future::LocalBoxFuture;
use futures::{Stream, StreamExt};
use std::future::{pending, ready};
use std::io;
use std::panic::resume_unwind;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, spawn_blocking, yield_now};
use tokio::time::sleep;

/// Minimum milliseconds between two frames, locally and over a slow link.
const FRAME_MS: u64 = 16;
const FAR_FRAME_MS: u64 = 33;
/// Milliseconds between two frames while only the clock changes.
pub(super) const TICK_MS: u64 = 1_000;
/// Minimum milliseconds between two saves of the draft.
const DRAFT_MS: u64 = 1_000;
/// Milliseconds between two polls of the progress of reading a long session.
const PROGRESS_MS: u64 = 100;

/// Callbacks for actions outside the screen; each returns the reason if it fails.
pub struct Outside<'a> {
    /// Saves a copied text as well, because a terminal does not confirm a copy; returns the file's path.
    pub keep: &'a dyn Fn(&str) -> Result<String, ServiceFault>,
    /// Saves the draft, so that it survives the process.
    pub draft: &'a dyn Fn(&str),
    /// Writes the session in the format of a name; returns the file's path.
    pub export: &'a dyn Fn(&str) -> Result<String, ServiceFault>,
    /// Opens an address in the default program of the system; returns the name of that program.
    pub open: &'a dyn Fn(&str) -> Result<&'static str, ServiceFault>,
    /// Starts the person's own notification of an event.
    pub notify: &'a dyn Fn(&str) -> Result<(), ServiceFault>,
    /// Opens a draft in the person's editor, which has the terminal meanwhile; returns the edited draft.
    pub edit: &'a dyn Fn(String) -> LocalBoxFuture<'a, Result<String, ServiceFault>>,
    /// Finds the reachable models.
    pub models: &'a dyn Fn() -> LocalBoxFuture<'a, Result<Vec<ReachableModel>, ServiceFault>>,
    pub sessions: &'a dyn Fn() -> Result<SessionList, ServiceFault>,
    /// Reads another session, by its name or path.
    pub other: &'a dyn Fn(&str) -> Result<OtherSession, ServiceFault>,
}

/// Destination after leaving the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum LeaveTo {
    /// The start screen.
    Home,
    Fork(BranchPoint),
    /// The same conversation, which had ended, extended with these commands.
    Extend(Vec<Command>),
    /// End of the program; the conversation goes on in the background.
    Detach,
    /// End of the program.
    Quit,
}

/// Shows a conversation until the person leaves.
///
/// `listen` starts to read the events of the terminal. `commands` receives the commands of the person; its receiver may
/// be closed once the conversation has ended.
pub async fn run<Keys: Stream<Item = io::Result<Event>> + Unpin>(
    screen: &mut Screen,
    mut tail: Tail,
    mut terminal: Terminal,
    listen: impl Fn() -> Keys,
    commands: mpsc::Sender<Input>,
    outside: Outside<'_>,
) -> io::Result<LeaveTo> {
    let frame_ms = if screen.modes.far { FAR_FRAME_MS } else { FRAME_MS };
    let mut keys = listen();
    let mut change = Change::Everything;
    let mut open = true;
    let mut suspending = false;
    let mut drawn: Option<Ms> = None;
    // the second shown by the last full frame; the first frame, and one for the clock alone, delay no text
    let mut second = None;
    let mut ticked = true;
    // a key is drawn at once, unless another one is pending: then after that one, or in the next frame
    let mut pressed = false;
    let mut more = false;
    // the pending search for models, and the seat that gets one
    let mut looking: Option<(SeatId, LocalBoxFuture<'_, _>)> = None;
    // the analysis page that is being computed
    let mut counting: Option<JoinHandle<_>> = None;
    let mut draft = SavedDraft { words: screen.view.composer.whole(), at: Ms(0) };
    let mut durable = screen.view.durable.take();
    screen.open_line();
    // a separate clock, because the time of a recording may stop or go back
    let frames = Clock::real(Ms(0));
    // let the engine start, so that its first events are in the first frame
    yield_now().await;
    loop {
        while let Some(item) = tail.try_next() {
            change = change.max(screen.take(&item));
        }
        if std::mem::take(&mut suspending) {
            yield_now().await;
            let stopped = frames.now();
            terminal.suspend()?;
            screen.clock.leave_out(frames.now().since(stopped));
            screen.view.restart_card(screen.clock.now());
            change = Change::Everything;
        }
        if let Some(told) = screen.view.ring.take()
            && terminal.ring(&told, frames.now())?
            && let Err(why) = (outside.notify)(&told)
        {
            screen.view.notice = Some(why.to_string());
            change = Change::Everything;
        }
        if let Some(command) = hold::command(screen, screen.clock.now()) {
            send(screen, &commands, command);
            change = Change::Everything;
        }
        if let Some(request) = update::blank(screen, screen.clock.now()) {
            if let Request::Send(command) = request {
                send(screen, &commands, command);
            }
            change = Change::Everything;
        }
        let now = frames.now();
        let (passes, changed) = undo::pass(&mut screen.view, now);
        if changed {
            change = Change::Everything;
        }
        let left = drawn.map_or(0, |at| frame_ms.saturating_sub(now.since(at)));
        let due = if pressed && !more { 0 } else { left };
        if change != Change::Nothing && due == 0 {
            let current = Some(screen.clock.now().0 / TICK_MS);
            if change == Change::Words && second == current {
                terminal.draw(|frame| draw::draw_words(frame, screen))?;
            } else {
                terminal.draw(|frame| draw::draw(frame, screen))?;
                terminal.entitle(&screen.entitled())?;
                second = current;
            }
            terminal.link(&screen.view.links)?;
            drawn = if std::mem::take(&mut ticked) { drawn } else { Some(now) };
            change = Change::Nothing;
            pressed = false;
            if counting.is_none() {
                counting = draw::counting(screen).map(spawn_blocking);
            }
        }
        let wake = match change {
            Change::Words | Change::Everything => Some(due),
            Change::Nothing => ticking(screen).then(|| TICK_MS - screen.clock.now().0 % TICK_MS),
        };
        let unsaved = save_draft(screen, &mut draft, now, outside.draft);
        let reading = screen.view.is_loading().then_some(PROGRESS_MS);
        let hand = hold::wake(screen, screen.clock.now());
        let blank = update::wake(screen, screen.clock.now());
        // a poster that opens at once is in the frame that is drawn now
        let poster = rest::wake(screen).filter(|ms| *ms > 0);
        let wake = wake
            .into_iter()
            .chain(passes)
            .chain(reading)
            .chain(hand)
            .chain(blank)
            .chain(poster)
            .chain(unsaved)
            .min();
        tokio::select! { biased;
            key = keys.next() => {
                let event = key.ok_or_else(|| io::Error::other("the terminal is gone"))??;
                match handle(screen, &event) {
                    Some(Request::Leave) => return Ok(LeaveTo::Quit),
                    Some(Request::Detach) => return Ok(LeaveTo::Detach),
                    Some(Request::Home) => return Ok(LeaveTo::Home),
                    Some(Request::Fork(leaf)) => return Ok(LeaveTo::Fork(leaf)),
                    Some(Request::Extend(commands)) => return Ok(LeaveTo::Extend(commands)),
                    Some(Request::Copy(words, what)) => {
                        terminal.copy(&words)?;
                        let and = match (outside.keep)(&words) {
                            Ok(path) => format!("; also in {path}"),
                            Err(why) => format!("; {why}"),
                        };
                        screen.view.notice =
                            Some(format!("copied {what}, if your terminal allows it{and}"));
                    }
                    Some(Request::Export(format)) => {
                        screen.view.notice = Some(match (outside.export)(format) {
                            Ok(path) => format!("exported to {path}"),
                            Err(why) => format!("export failed: {why}"),
                        });
                    }
                    Some(Request::Open(address)) => {
                        screen.view.notice = Some(match (outside.open)(&address) {
                            Ok(program) => format!("opened with {program}"),
                            Err(why) => format!("cannot open the link: {}; y copies it", text::line(&why.to_string())),
                        });
                    }
                    Some(Request::Edit(draft)) => {
                        // the editor must be the only reader of the terminal
                        drop(keys);
                        terminal.lend();
                        let written = (outside.edit)(draft).await;
                        terminal.take_back()?;
                        screen.view.restart_card(screen.clock.now());
                        keys = listen();
                        match written {
                            Ok(written) => {
                                screen.view.composer.rewrite(&written);
                                screen.view.writing = true;
                            }
                            Err(why) => {
                                screen.view.notice = Some(text::line(&why.to_string()).into_owned());
                            }
                        }
                    }
                    Some(Request::Sessions(shelf)) => {
                        let listed = (outside.sessions)();
                        let list = listed
                            .map_err(String::from)
                            .and_then(|all| branches::list(screen, &all, shelf));
                        match list {
                            Ok(list) => screen.open_list(Some(list)),
                            Err(why) => screen.view.notice = Some(why),
                        }
                    }
                    Some(Request::Beside(name)) => match (outside.other)(&name) {
                        Ok(other) => {
                            let page = branches::beside(screen, &other);
                            screen.open_page(page);
                        }
                        Err(why) => screen.view.notice = Some(why.into()),
                    },
                    Some(Request::Models(who)) => {
                        screen.view.notice = Some("looking for models...".into());
                        looking = Some((who, (outside.models)()));
                    }
                    Some(Request::Redraw) => terminal.redraw(),
                    Some(Request::Retaken) => {
                        terminal.again()?;
                        screen.view.restart_card(screen.clock.now());
                    }
                    Some(Request::Mouse(taken)) => terminal.mouse(taken)?,
                    Some(Request::Suspend) => {
                        if let Some(playback) = screen.view.playback() {
                            playback.transport.pause();
                        } else if screen.transcript.state().ended.is_none() {
                            send(screen, &commands, Command::Pause {});
                        }
                        // the engine must receive the pause before the program stops
                        suspending = true;
                    }
                    Some(Request::Send(command)) => send(screen, &commands, command),
                    Some(Request::SendAll(all)) => {
                        all.into_iter().for_each(|command| send(screen, &commands, command));
                    }
                    None => {}
                }
                change = Change::Everything;
                pressed = true;
                more = true;
            }
            () = ready(()), if more => more = false,
            item = tail.next(), if open => {
                match item {
                    Some(item) => change = change.max(screen.take(&item)),
                    None => (open, change) = (false, Change::Everything),
                }
            }
            wait = disk(&mut durable, &screen.view.disk) => {
                screen.view.disk = wait;
                change = Change::Everything;
            }
            (who, models) = found(&mut looking) => {
                looking = None;
                match models {
                    Ok(models) => {
                        screen.view.notice = None;
                        screen.open_list(Some(models::list(&screen.transcript, &who, &models)));
                    }
                    Err(why) => {
                        screen.view.notice = Some(text::line(&why.to_string()).into_owned());
                    }
                }
                change = Change::Everything;
            }
            (of, page) = counted(&mut counting) => {
                counting = None;
                if let Some(pane) = &mut screen.view.over.analysis {
                    pane.take(of, page);
                }
                change = Change::Everything;
            }
            // a timed change has reported already whether it changed anything
            () = after(wake) => {
                if wake != passes && change == Change::Nothing {
                    change = Change::Everything;
                    ticked = true;
                }
            }
        }
    }
}

/// Sends a command to the engine.
fn send(screen: &mut Screen, commands: &mpsc::Sender<Input>, command: Command) {
    let (key, line) = screen.command(command);
    if commands.try_send(Input::Command { key, line }).is_err() {
        screen.view.notice = Some("busy, try again".into());
    }
}

/// The draft that was saved last, and the time of that.
struct SavedDraft {
    words: String,
    at: Ms,
}

/// Saves the draft if it has changed since `saved`; returns the milliseconds until that is allowed.
fn save_draft(
    screen: &Screen,
    saved: &mut SavedDraft,
    now: Ms,
    save: &dyn Fn(&str),
) -> Option<u64> {
    let words = screen.view.composer.whole();
    if words == saved.words {
        return None;
    }
    let left = DRAFT_MS.saturating_sub(now.since(saved.at));
    if left > 0 {
        return Some(left);
    }
    save(&words);
    *saved = SavedDraft { words, at: now };
    None
}

/// Handles an event of the terminal.
fn handle(screen: &mut Screen, event: &Event) -> Option<Request> {
    match event {
        Event::Key(key) if key.code == STOP => Some(Request::Suspend),
        Event::Key(key) if key.code == AGAIN => Some(Request::Retaken),
        Event::Key(key) => update::key(screen, key),
        Event::Mouse(event) => mouse::mouse(screen, event),
        Event::Paste(text) => {
            update::paste(screen, text);
            None
        }
        Event::FocusGained | Event::FocusLost => {
            screen.view.unfocused = *event == Event::FocusLost;
            away::note(screen, *event == Event::FocusGained);
            None
        }
        // a resize redraws by itself
        Event::Resize(..) => None,
    }
}

/// Returns whether the screen changes every second; if not, the program needs no timer.
pub fn ticking(screen: &Screen) -> bool {
    if screen.modes.still {
        return false;
    }
    if let Some(playback) = screen.view.playback() {
        return playback.transport.status().playing;
    }
    let state = screen.transcript.state();
    match Status::from_state(state) {
        Status::Running | Status::Stepping | Status::Pausing => true,
        Status::Waiting | Status::Paused => !state.turns.is_empty(),
        Status::Stopped | Status::Reached | Status::Done | Status::Error => false,
    }
}

/// Waits until the wait for space on the disk differs from the one that is shown.
async fn disk(
    durable: &mut Option<watch::Receiver<Durable>>,
    shown: &Option<String>,
) -> Option<String> {
    match durable {
        Some(durable) => match durable.wait_for(|now| now.wait() != *shown).await {
            Ok(now) => now.wait(),
            // nothing more is written
            Err(_) => pending().await,
        },
        None => pending().await,
    }
}

/// Waits for the pending search for models, if any.
async fn found<T>(looking: &mut Option<(SeatId, LocalBoxFuture<'_, T>)>) -> (SeatId, T) {
    match looking {
        Some((who, models)) => (who.clone(), models.await),
        None => pending().await,
    }
}

/// Waits for the work on another thread, if any.
async fn counted<T>(counting: &mut Option<JoinHandle<T>>) -> T {
    match counting {
        Some(work) => match work.await {
            Ok(done) => done,
            Err(failed) => resume_unwind(failed.into_panic()),
        },
        None => pending().await,
    }
}

async fn after(ms: Option<u64>) {
    match ms {
        Some(ms) => sleep(Duration::from_millis(ms)).await,
        None => pending().await,
    }
}
