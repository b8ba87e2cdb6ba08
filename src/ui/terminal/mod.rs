//! The terminal: every mode that is switched on is switched off again, in reverse order, on every fix.
//!
//! One function restores; the guard, the hook for panics and the way around a stop all call it, and calling it twice does
//! no harm. The hook is in place before the first mode is on.

mod ask;
mod painter;

pub use crate::ui::terminal::ask::{TerminalReport, ask};
pub use crate::ui::terminal::painter::Painter;

use crate::clock::Clock;
use crate::model::Ms;
use crate::ui::frame::Frame;
use crate::ui::terminal::ask::Late;
use crate::ui::view::link::ScreenLink;
use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, EventStream, KeyCode, KeyEvent,
    KeyModifiers, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags,
    PushKeyboardEnhancementFlags, poll,
};
use crossterm::style::Print;
use crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, SetTitle, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor::Show, execute, queue};
use futures::stream::SelectAll;
use futures::{Stream, StreamExt, stream};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::io::{self, Stdout, Write, stdout};
use std::panic;
use std::pin::Pin;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// The modes that are on, a bit each: the screen, then what only some terminals get.
static MODES: AtomicU8 = AtomicU8::new(0);
const ENTERED: u8 = 1;
const KEYBOARD: u8 = 2;
const MOUSE: u8 = 4;
const TITLE: u8 = 8;
const FOCUS: u8 = 16;
/// Whether the terminal was taken and is not completely given back yet.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Buttons, the wheel and what moves while a button is held, in a form without limits; never what only moves, which would
/// wake the program for nothing.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// The wheel is not to come as arrow keys; what the terminal did before is kept and comes back.
const WHEEL_KEPT: &str = "\x1b[?1007s\x1b[?1007l";
const WHEEL_BACK: &str = "\x1b[?1007r";

/// The terminal says whether the person looks at it.
const FOCUS_ON: &str = "\x1b[?1004h";
const FOCUS_OFF: &str = "\x1b[?1004l";
/// Milliseconds between two rings at least.
const RING_MS: u64 = 30_000;

/// The title that the terminal had before is kept and comes back.
const TITLE_KEPT: &str = "\x1b[22;2t";
const TITLE_BACK: &str = "\x1b[23;2t";

/// The key press as which the signal to stop comes.
pub const STOP: KeyCode = KeyCode::Null;
/// The key press as which the signal to go on comes: no keyboard has that key.
pub const AGAIN: KeyCode = KeyCode::F(u8::MAX);

/// What a terminal is used for besides showing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalModes {
    /// Whether the mouse is the program's.
    pub mouse: bool,
    /// Whether the terminal is to tell keys apart that are one byte otherwise.
    pub keyboard: bool,
    /// Whether it has a title.
    pub title: bool,
    /// Whether nothing on it changes but by words and keys.
    pub still: bool,
    /// Whether it is at the end of a slow link, which gets fewer frames.
    pub far: bool,
    /// Whether it rings for somebody who looks elsewhere.
    pub rings: bool,
    /// Whether it opens addresses by itself.
    pub links: bool,
}

/// The terminal while the screen has it.
pub struct Terminal {
    painter: Painter<Stdout>,
    /// The last frame, and where its cursor is.
    last: Buffer,
    cursor: Option<Position>,
    modes: TerminalModes,
    /// What its title is.
    entitled: String,
    /// Whether the next frame draws all of it.
    redraw: bool,
    /// When it rang last.
    rang: Option<Ms>,
}

impl Terminal {
    /// Takes the terminal: raw mode, the alternate screen, pasted text as one event.
    ///
    /// # Errors
    /// When the terminal refuses; nothing is left switched on then.
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

    /// Says which cells of the last frame are addresses, where the terminal opens these.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn link(&mut self, links: &[ScreenLink]) -> io::Result<()> {
        if self.modes.links { self.painter.link(links) } else { Ok(()) }
    }

    /// Draws one frame, over the last one unless the terminal has another size or shows something else; the terminal shows
    /// it at once where it can. Where nothing changed, nothing is written.
    ///
    /// # Errors
    /// When the terminal is gone, or was given back.
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

    /// Gives the terminal back, stops until the shell goes on, and takes it again.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn suspend(&mut self) -> io::Result<()> {
        self.lend();
        // not TSTP, which is listened to and would stop nothing
        #[cfg(unix)]
        rustix::process::kill_current_process_group(rustix::process::Signal::STOP)?;
        self.take_back()
    }

    /// Takes the terminal again, after a stop that nobody told of: a shell may have changed it meanwhile.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn again(&mut self) -> io::Result<()> {
        self.lend();
        self.take_back()
    }

    /// Gives the terminal back for a while; nothing is drawn until it is taken again.
    pub fn lend(&mut self) {
        restore();
    }

    /// Takes the terminal again, whatever was drawn on it meanwhile.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn take_back(&mut self) -> io::Result<()> {
        switch_on(self.modes)?;
        self.entitled.clear();
        self.redraw();
        Ok(())
    }

    /// Hands a text to the clipboard of the terminal, which may or may not take it.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn copy(&mut self, words: &str) -> io::Result<()> {
        execute!(stdout(), CopyToClipboard::to_clipboard_from(words))
    }

    /// Sets the title, where it is another one; what it is made of must be safe for one line.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn entitle(&mut self, title: &str) -> io::Result<()> {
        if !self.modes.title || self.entitled == title {
            return Ok(());
        }
        self.entitled = title.to_owned();
        execute!(stdout(), SetTitle(title))
    }

    /// Takes the mouse, or lets the terminal have it for selecting text.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn mouse(&mut self, taken: bool) -> io::Result<()> {
        self.modes.mouse = taken;
        if taken {
            MODES.fetch_or(MOUSE, Ordering::SeqCst);
        } else {
            MODES.fetch_and(!MOUSE, Ordering::SeqCst);
        }
        execute!(stdout(), Print(if taken { MOUSE_ON } else { MOUSE_OFF }))
    }

    /// Rings, and hands the terminal words for a notification, which it may or may not show; they must be safe for one line.
    /// Not twice within half a minute.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn ring(&mut self, told: &str, now: Ms) -> io::Result<()> {
        let soon = self.rang.is_some_and(|rang| now.since(rang) < RING_MS);
        if !self.modes.rings || soon {
            return Ok(());
        }
        self.rang = Some(now);
        // a semicolon would begin another part
        let told = told.replace(';', ",");
        execute!(stdout(), Print(format!("\x07\x1b]9;{told}\x07")))
    }

    /// Forgets what is on the terminal, so that the next frame draws all of it.
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
    MODES.store(on, Ordering::SeqCst);
    enable_raw_mode()?;
    let mut out = stdout();
    queue!(out, EnterAlternateScreen, Print(WHEEL_KEPT), EnableBracketedPaste)?;
    if modes.keyboard {
        let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
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

/// Returns the cells of the terminal.
fn area() -> io::Result<Rect> {
    // each frame asks, and crossterm opens the terminal each time
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_col > 0
        && size.ws_row > 0
    {
        return Ok(Rect::new(0, 0, size.ws_col, size.ws_row));
    }
    let (width, height) = crossterm::terminal::size()?;
    Ok(Rect::new(0, 0, width, height))
}

/// Returns how many columns the terminal has; 80 where it does not say.
pub fn columns() -> usize {
    crossterm::terminal::size().map_or(80, |(columns, _)| columns.into())
}

/// Gives the terminal back as it was. May be called at any time, from any thread, any number of times.
pub fn restore() {
    let on = MODES.swap(0, Ordering::SeqCst);
    if on == 0 {
        return;
    }
    // a terminal that is gone cannot be restored, and nobody is there to be told
    let _ = undo(on);
    let _ = disable_raw_mode();
    let _ = stdout().flush();
    TAKEN.store(false, Ordering::SeqCst);
}

/// Returns whether the terminal was taken and is not completely given back yet.
pub fn is_taken() -> bool {
    TAKEN.load(Ordering::SeqCst)
}

/// Lets output to a terminal that was stopped go on.
#[cfg(unix)]
pub fn start_output() {
    use rustix::termios::{Action, tcflow};
    if is_taken() {
        // only an output that was stopped in this way is started in this way
        let _ = tcflow(io::stdout(), Action::OOff);
        let _ = tcflow(io::stdout(), Action::OOn);
    }
}

/// Drops the output that the terminal has not taken yet: nobody reads it.
#[cfg(unix)]
pub fn drop_output() {
    let _ = rustix::termios::tcflush(io::stdout(), rustix::termios::QueueSelector::OFlush);
}

/// Leaves raw mode, without a byte to the terminal.
pub fn leave_raw_mode() {
    // nothing more can be done for it
    let _ = disable_raw_mode();
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

/// Returns what the terminal says: keys, pasted text, clicks, and the signals to stop and to go on as keys. Answers to
/// what it was asked are taken out however late they come.
pub fn events() -> impl Stream<Item = io::Result<Event>> + Unpin {
    // each poll of the stream takes its lock from the thread that reads, so it is polled only once there is something
    // crossterm panics if the terminal has just gone away, unless it is polled first
    let there = poll(Duration::ZERO);
    let events = stream::select_all([Keys(there.map(|_| EventStream::new()))]);
    stream::select(
        Heard { events, late: Late::rest(), clock: Clock::real(Ms(0)), checked: Ms(0) },
        signals(),
    )
}

/// Keys of a terminal that is there, or why none can be read.
struct Keys(io::Result<EventStream>);

impl Stream for Keys {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match &mut self.0 {
            Ok(keys) if !is_gone() => keys.poll_next_unpin(cx),
            Err(e) if !is_gone() => Poll::Ready(Some(Err(io::Error::other(e.to_string())))),
            Ok(_) | Err(_) => Poll::Ready(Some(Err(gone()))),
        }
    }
}

fn gone() -> io::Error {
    io::Error::other("the terminal is gone")
}

/// Milliseconds between two checks whether the terminal is gone, while no keys come.
const CHECK_EVERY_MS: u64 = 250;

struct Heard {
    events: SelectAll<Keys>,
    late: Late,
    clock: Clock,
    /// When it was last checked whether the terminal is gone.
    checked: Ms,
}

impl Stream for Heard {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let now = self.clock.now();
        if now.since(self.checked) >= CHECK_EVERY_MS {
            self.checked = now;
            if is_gone() {
                return Poll::Ready(Some(Err(gone())));
            }
        }
        loop {
            match self.events.poll_next_unpin(cx) {
                Poll::Ready(Some(Ok(event))) if self.late.swallows(&event) => {}
                heard => return heard,
            }
        }
    }
}

impl Drop for Heard {
    /// Leaves the terminal to whoever reads it next.
    fn drop(&mut self) {
        // The stream ends by a mark among what its thread reads. The thread has to be reading, or about to: a mark that is
        // left over hides a later key, and one that another takes lets the thread read on and hold up the next stream.
        // Where keys wait already, it has nothing to read, and they are for whoever is next.
        if !is_gone()
            && let Ok(false) = poll(Duration::ZERO)
        {
            let mut nobody = Context::from_waker(Waker::noop());
            self.events.iter_mut().for_each(|events| _ = events.poll_next_unpin(&mut nobody));
        }
    }
}

/// Returns whether the terminal has vanished. Whoever reads keys from it then reads nothing for ever, and never returns.
#[cfg(unix)]
pub fn is_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let input = io::stdin();
    // asked for nothing, it tells of a hang-up alone
    let mut hang_up = [PollFd::new(&input, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut hang_up, Some(&at_once)).is_ok_and(|told| told > 0)
}

/// Returns whether the terminal has vanished; nothing tells, here.
#[cfg(not(unix))]
pub fn is_gone() -> bool {
    false
}

/// Returns the signals to stop and to go on, each as a key press.
#[cfg(unix)]
fn signals() -> impl Stream<Item = io::Result<Event>> + Unpin {
    use rustix::process::Signal;
    use tokio::signal::unix::{SignalKind, signal};
    let pressed = |which: Signal, code: KeyCode| {
        // where the system refuses, the signal does what it always did
        let signals = stream::iter(signal(SignalKind::from_raw(which.as_raw())).ok())
            .flat_map(|mut signal| stream::poll_fn(move |cx| signal.poll_recv(cx)));
        signals.map(move |()| Ok(Event::Key(KeyEvent::new(code, KeyModifiers::NONE))))
    };
    stream::select(pressed(Signal::TSTP, STOP), pressed(Signal::CONT, AGAIN))
}

#[cfg(not(unix))]
fn signals() -> impl Stream<Item = io::Result<Event>> + Unpin {
    stream::pending()
}
