//! The terminal: every enabled mode is disabled again, in reverse order, on every exit path.
//!
//! One function restores; the guard, the panic hook and suspension all call it, and it is idempotent. The hook is
//! installed before the first mode is enabled.

mod ask;
mod choice;
mod input;
mod keys;
mod layout;
mod painter;
mod sequences;

pub use crate::ui::terminal::ask::{TerminalReport, ask};
pub use crate::ui::terminal::choice::{CardKey, read_choice};
pub use crate::ui::terminal::layout::english;
pub use crate::ui::terminal::painter::Painter;

use crate::clock::Clock;
use crate::model::Ms;
use crate::ui::frame::Frame;
use crate::ui::terminal::keys::{BEGUN, FAR, TerminalKeys, gone};
use crate::ui::text::links::ScreenLink;
use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyModifiers,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::style::Print;
use crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, SetTitle, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor::Show, execute, queue};
use futures::{Stream, StreamExt, stream};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::io::{self, Stdout, Write, stdin, stdout};
use std::panic;
use std::pin::Pin;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll};

/// Enabled modes as bits: the screen, then optional ones.
static MODES: AtomicU8 = AtomicU8::new(0);
const ENTERED: u8 = 1;
const KEYBOARD: u8 = 2;
const MOUSE: u8 = 4;
const TITLE: u8 = 8;
const FOCUS: u8 = 16;
/// True from the first mode change of the terminal until it is completely restored.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Reports of buttons, the wheel and drags, without coordinate limits; not of plain movement, which would wake the
/// program for nothing.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// Stops the wheel from sending arrow keys; the previous state is saved and restored.
const WHEEL_KEPT: &str = "\x1b[?1007s\x1b[?1007l";
const WHEEL_BACK: &str = "\x1b[?1007r";

/// Reports of focus changes.
const FOCUS_ON: &str = "\x1b[?1004h";
const FOCUS_OFF: &str = "\x1b[?1004l";
/// Minimum milliseconds between two rings.
const RING_MS: u64 = 30_000;

/// Saves the terminal's title, to be restored.
const TITLE_KEPT: &str = "\x1b[22;2t";
const TITLE_BACK: &str = "\x1b[23;2t";

/// Key event that represents the signal to stop.
pub const STOP: KeyCode = KeyCode::Null;
/// Key event that represents the signal to continue; no keyboard has this key.
pub const AGAIN: KeyCode = KeyCode::F(u8::MAX);

/// Optional features of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalModes {
    /// True if the program captures the mouse.
    pub mouse: bool,
    /// True if keys that are otherwise one byte are distinguished.
    pub keyboard: bool,
    /// True if it has a title.
    pub title: bool,
    /// True if only text and keys change the screen (no animation).
    pub still: bool,
    /// True at the end of a slow link, which gets fewer frames.
    pub far: bool,
    /// True if it rings while the user looks elsewhere.
    pub rings: bool,
    /// True if it opens addresses itself.
    pub links: bool,
}

/// The terminal while the screen is on it.
pub struct Terminal {
    painter: Painter<Stdout>,
    /// Last frame, and position of its cursor.
    last: Buffer,
    cursor: Option<Position>,
    modes: TerminalModes,
    /// Current title.
    entitled: String,
    /// True if the next frame is drawn completely.
    redraw: bool,
    /// Time of the last ring.
    rang: Option<Ms>,
}

impl Terminal {
    /// Enters raw mode, the alternate screen and bracketed paste.
    ///
    /// # Errors
    /// If the terminal refuses; no mode stays enabled then.
    pub fn enter(modes: TerminalModes) -> io::Result<Terminal> {
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                restore();
                before(info);
            }));
        });
        if let Err(e) = switch_on(modes) {
            restore();
            return Err(e);
        }
        BEGUN.store(true, Ordering::SeqCst);
        Ok(Terminal {
            painter: Painter::new(stdout()),
            last: Buffer::default(),
            cursor: None,
            modes,
            entitled: String::new(),
            redraw: true,
            rang: None,
        })
    }

    /// Sets the addresses of cells in the last frame, if the terminal opens addresses.
    pub fn link(&mut self, links: &[ScreenLink]) -> io::Result<()> {
        if self.modes.links { self.painter.link(links) } else { Ok(()) }
    }

    /// Draws one frame, as a difference to the last one unless the terminal changed its size or content; synchronised
    /// if the terminal supports it. Writes nothing if nothing changed.
    ///
    /// # Errors
    /// If the terminal is gone or was released.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if MODES.load(Ordering::SeqCst) == 0 {
            return Err(io::Error::other("the terminal was given back"));
        }
        let area = area()?;
        let mut frame = if std::mem::take(&mut self.redraw) || self.last.area != area {
            self.last = Buffer::empty(area);
            self.painter.forget();
            Frame::new(&mut self.last)
        } else {
            Frame::over(&mut self.last, self.cursor)
        };
        draw(&mut frame);
        self.cursor = frame.cursor;
        let rows = frame.rows;
        self.painter.show(&self.last, rows, self.cursor)
    }

    /// Releases the terminal, stops until the shell continues the program, and takes it again.
    pub fn suspend(&mut self) -> io::Result<()> {
        self.lend();
        // not TSTP, which is caught and would stop nothing
        rustix::process::kill_current_process_group(rustix::process::Signal::STOP)?;
        self.take_back()
    }

    /// Takes the terminal again after an unannounced stop: a shell may have changed it.
    pub fn again(&mut self) -> io::Result<()> {
        self.lend();
        self.take_back()
    }

    /// Releases the terminal for a while; nothing is drawn until it is taken again.
    pub fn lend(&mut self) {
        restore();
    }

    /// Takes the terminal again after anything was drawn on it; keys meant for another program are dropped.
    pub fn take_back(&mut self) -> io::Result<()> {
        use rustix::termios::{QueueSelector, tcflush};
        // an input that cannot be dropped is read as before
        let _ = tcflush(stdin(), QueueSelector::IFlush);
        switch_on(self.modes)?;
        self.entitled.clear();
        self.redraw();
        Ok(())
    }

    /// Sends a text to the clipboard of the terminal, which may ignore it.
    pub fn copy(&mut self, words: &str) -> io::Result<()> {
        execute!(stdout(), CopyToClipboard::to_clipboard_from(words))
    }

    /// Sets the title if it changed; it must be safe for one line.
    pub fn entitle(&mut self, title: &str) -> io::Result<()> {
        if !self.modes.title || self.entitled == title {
            return Ok(());
        }
        self.entitled = title.to_owned();
        execute!(stdout(), SetTitle(title))
    }

    /// Captures the mouse, or releases it for selecting text.
    pub fn mouse(&mut self, taken: bool) -> io::Result<()> {
        self.modes.mouse = taken;
        if taken {
            MODES.fetch_or(MOUSE, Ordering::SeqCst);
        } else {
            MODES.fetch_and(!MOUSE, Ordering::SeqCst);
        }
        execute!(stdout(), Print(if taken { MOUSE_ON } else { MOUSE_OFF }))
    }

    /// Rings the bell and sends a notification, which the terminal may ignore; the text must be safe for one line. At
    /// most once in half a minute; returns whether it rang.
    pub fn ring(&mut self, told: &str, now: Ms) -> io::Result<bool> {
        let soon = self.rang.is_some_and(|rang| now.since(rang) < RING_MS);
        if !self.modes.rings || soon {
            return Ok(false);
        }
        self.rang = Some(now);
        // a semicolon would begin another part
        let told = told.replace(';', ",");
        execute!(stdout(), Print(format!("\x07\x1b]9;{told}\x07")))?;
        Ok(true)
    }

    /// Forgets the last frame, so that the next one is drawn completely.
    pub fn redraw(&mut self) {
        self.redraw = true;
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

fn switch_on(modes: TerminalModes) -> io::Result<()> {
    let mut on = ENTERED;
    on |= if modes.keyboard { KEYBOARD } else { 0 };
    on |= if modes.mouse { MOUSE } else { 0 };
    on |= if modes.title { TITLE } else { 0 };
    on |= if modes.rings { FOCUS } else { 0 };
    TAKEN.store(true, Ordering::SeqCst);
    FAR.store(modes.far, Ordering::SeqCst);
    MODES.store(on, Ordering::SeqCst);
    set_raw_mode(true)?;
    let mut out = stdout();
    queue!(out, EnterAlternateScreen, Print(WHEEL_KEPT), EnableBracketedPaste)?;
    if modes.keyboard {
        let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES
            | KeyboardEnhancementFlags::REPORT_ALTERNATE_KEYS;
        queue!(out, PushKeyboardEnhancementFlags(flags))?;
    }
    if modes.mouse {
        queue!(out, Print(MOUSE_ON))?;
    }
    if modes.title {
        queue!(out, Print(TITLE_KEPT))?;
    }
    if modes.rings {
        queue!(out, Print(FOCUS_ON))?;
    }
    out.flush()
}

/// Returns the area of the terminal.
fn area() -> io::Result<Rect> {
    // called for each frame, and crossterm opens the terminal each time
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_col > 0
        && size.ws_row > 0
    {
        return Ok(Rect::new(0, 0, size.ws_col, size.ws_row));
    }
    let (width, height) = crossterm::terminal::size()?;
    Ok(Rect::new(0, 0, width, height))
}

/// Returns the number of columns; 80 if unknown.
pub fn columns() -> usize {
    crossterm::terminal::size().map_or(80, |(columns, _)| columns.into())
}

/// Restores the terminal. May be called at any time, from any thread, any number of times.
pub fn restore() {
    let on = MODES.swap(0, Ordering::SeqCst);
    if on == 0 {
        return;
    }
    // a terminal that is gone cannot be restored, and nobody reads an error
    let _ = undo(on);
    let _ = set_raw_mode(false);
    let _ = stdout().flush();
    TAKEN.store(false, Ordering::SeqCst);
}

/// Returns whether the terminal was taken and is not completely given back yet.
pub fn is_taken() -> bool {
    TAKEN.load(Ordering::SeqCst)
}

/// Lets output to a terminal that was stopped go on.
pub fn start_output() {
    use rustix::termios::{Action, tcflow};
    if is_taken() {
        // only an output that was stopped in this way is started in this way
        let _ = tcflow(io::stdout(), Action::OOff);
        let _ = tcflow(io::stdout(), Action::OOn);
    }
}

/// Drops the output that the terminal has not taken yet: nobody reads it.
pub fn drop_output() {
    let _ = rustix::termios::tcflush(io::stdout(), rustix::termios::QueueSelector::OFlush);
}

/// Leaves raw mode, without a byte to the terminal.
pub fn leave_raw_mode() {
    // nothing more can be done for it
    let _ = set_raw_mode(false);
}

fn set_raw_mode(on: bool) -> io::Result<()> {
    if on { enable_raw_mode() } else { disable_raw_mode() }
}

fn undo(on: u8) -> io::Result<()> {
    let mut out = stdout();
    queue!(out, EndSynchronizedUpdate)?;
    if on & MOUSE != 0 {
        queue!(out, Print(MOUSE_OFF))?;
    }
    if on & TITLE != 0 {
        queue!(out, Print(TITLE_BACK))?;
    }
    if on & FOCUS != 0 {
        queue!(out, Print(FOCUS_OFF))?;
    }
    if on & KEYBOARD != 0 {
        queue!(out, PopKeyboardEnhancementFlags)?;
    }
    execute!(out, DisableBracketedPaste, Print(WHEEL_BACK), LeaveAlternateScreen, Show)
}

/// Returns the events of the terminal: keys, pastes, clicks, sizes, and the signals to stop and to continue as keys.
/// Late answers to queries are removed.
pub fn events() -> impl Stream<Item = io::Result<Event>> + Unpin {
    let keys = match TerminalKeys::read() {
        Ok(keys) => keys.left_stream(),
        Err(e) => stream::iter([Err(e)]).right_stream(),
    };
    stream::select(TerminalEvents { keys, clock: Clock::real(Ms(0)), checked: Ms(0) }, signals())
}

/// Milliseconds between two checks for a vanished terminal, while no keys come.
const CHECK_EVERY_MS: u64 = 250;

struct TerminalEvents<Keys> {
    keys: Keys,
    clock: Clock,
    /// Time of the last check for a vanished terminal.
    checked: Ms,
}

impl<Keys: Stream<Item = io::Result<Event>> + Unpin> Stream for TerminalEvents<Keys> {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let now = self.clock.now();
        if now.since(self.checked) >= CHECK_EVERY_MS {
            self.checked = now;
            if is_gone() {
                return Poll::Ready(Some(Err(gone())));
            }
        }
        self.keys.poll_next_unpin(cx).map_ok(layout::by_position)
    }
}

/// Returns whether the terminal has vanished. A reader of its keys then never returns.
pub fn is_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let input = stdin();
    // without requested events, it reports only a hang-up
    let mut hang_up = [PollFd::new(&input, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut hang_up, Some(&at_once)).is_ok_and(|told| told > 0)
}

/// Returns the signals to stop and to continue, each as a key event, and the signal of another size.
fn signals() -> impl Stream<Item = io::Result<Event>> + Unpin {
    use rustix::process::Signal;
    use tokio::signal::unix::{SignalKind, signal};
    let signals = |which: Signal, event: fn() -> Event| {
        // if the system refuses, the signal keeps its default action
        let signals = stream::iter(signal(SignalKind::from_raw(which.as_raw())).ok())
            .flat_map(|mut signal| stream::poll_fn(move |cx| signal.poll_recv(cx)));
        signals.map(move |()| Ok(event()))
    };
    stream::select_all([
        signals(Signal::TSTP, || Event::Key(KeyEvent::new(STOP, KeyModifiers::NONE))),
        signals(Signal::CONT, || Event::Key(KeyEvent::new(AGAIN, KeyModifiers::NONE))),
        signals(Signal::WINCH, || {
            let (width, height) = crossterm::terminal::size().unwrap_or_default();
            Event::Resize(width, height)
        }),
    ])
}
