//! Reader of the terminal's events, a thread that belongs to one screen.
//!
//! crossterm's own stream is not used: it stops its thread through a mark in the input, which another reader may take,
//! and its input is edge-triggered, so that a key beside a mark or a resize stays hidden until the next key.

use super::ask::take_read;
use super::input::InputFilter;
use crate::clock::Clock;
use crate::model::Ms;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, poll, read};
use futures::Stream;
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, pipe, stdin};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Maximum number of answers to queries in a row.
const ANSWERS_MAX: usize = 8;
/// Maximum events that are handled together.
const EVENTS_MAX: usize = 1 << 16;
/// Maximum wait for a key that crossterm does not see, so that the thread cannot spin.
const HIDDEN: Duration = Duration::from_millis(50);

/// Held while the attributes of the terminal change: one may not restore what another changes.
pub static ATTRIBUTES: Mutex<()> = Mutex::new(());

/// True from the beginning of a screen until its input is read.
pub static BEGUN: AtomicBool = AtomicBool::new(false);

/// Events that were read. Those that a screen leaves are for the next one.
static INPUT: Mutex<Input> = Mutex::new(Input { events: VecDeque::new(), waker: None });

/// The last thread, which may still be reading.
static LAST: Mutex<Option<JoinHandle<()>>> = Mutex::new(None);

struct Input {
    events: VecDeque<io::Result<Event>>,
    waker: Option<Waker>,
}

/// Events of the terminal; the terminal is read until this is dropped.
pub struct TerminalKeys {
    /// Its closed end stops the thread.
    _reads: PipeWriter,
}

impl TerminalKeys {
    /// Starts to read as soon as the thread before has ended.
    pub fn read() -> io::Result<TerminalKeys> {
        let (stop, reads) = pipe()?;
        let mut last = LAST.lock();
        let before = last.take();
        let thread = Builder::new().name("keys".into()).spawn(move || {
            // a thread that panicked has ended too
            let _ = before.map(JoinHandle::join);
            if let Err(e) = read_until(&stop) {
                push(Err(e));
            }
        })?;
        *last = Some(thread);
        Ok(TerminalKeys { _reads: reads })
    }
}

impl Stream for TerminalKeys {
    type Item = io::Result<Event>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut input = INPUT.lock();
        match input.events.pop_front() {
            Some(event) => Poll::Ready(Some(event)),
            None => {
                input.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// Returns the error of a terminal that has vanished.
pub fn gone() -> io::Error {
    io::Error::other("the terminal is gone")
}

fn push(event: io::Result<Event>) {
    let mut input = INPUT.lock();
    input.events.push_back(event);
    if let Some(waker) = input.waker.take() {
        waker.wake();
    }
}

/// Reads until the pipe is closed.
fn read_until(stop: &PipeReader) -> io::Result<()> {
    let clock = Clock::real(Ms(0));
    let (typed, mut filter) = InputFilter::after(&take_read());
    typed.into_iter().for_each(|event| push(Ok(event)));
    if BEGUN.swap(false, Ordering::SeqCst) {
        let ahead = ready_events()?.into_iter().map(pressed_ahead).collect();
        filter.push(ahead, clock.now()).into_iter().for_each(|event| push(Ok(event)));
    }
    loop {
        match wait(stop, filter.due(clock.now()))? {
            Ready::Stop => {
                filter.release().into_iter().for_each(|event| push(Ok(event)));
                return Ok(());
            }
            Ready::Gone => return Err(gone()),
            Ready::Late => {
                filter.release().into_iter().for_each(|event| push(Ok(event)));
                continue;
            }
            Ready::Input => {}
        }
        if !is_event_ready()? {
            wake_readers()?;
            poll(HIDDEN)?;
        }
        let events = ready_events()?;
        filter.push(events, clock.now()).into_iter().for_each(|event| push(Ok(event)));
    }
}

/// Reads the events that can be read without waiting.
fn ready_events() -> io::Result<Vec<Event>> {
    let mut events = vec![];
    while events.len() < EVENTS_MAX && is_event_ready()? {
        match read() {
            Ok(event) => events.push(event),
            Err(e) => push(Err(e)),
        }
    }
    Ok(events)
}

/// Returns an event that came before a screen began. Outside raw mode, a terminal makes a line feed of Enter, which
/// raw mode reads as Ctrl-J.
fn pressed_ahead(event: Event) -> Event {
    match event {
        Event::Key(key) if key == KeyEvent::new(KeyCode::Char('j'), KeyModifiers::CONTROL) => {
            Event::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE))
        }
        event => event,
    }
}

/// Returns whether an event can be read. crossterm's own function stops at each answer to a query.
fn is_event_ready() -> io::Result<bool> {
    for _ in 0..=ANSWERS_MAX {
        if poll(Duration::ZERO)? {
            return Ok(true);
        }
    }
    Ok(false)
}

enum Ready {
    Stop,
    Gone,
    Input,
    /// Nothing came in time.
    Late,
}

/// Waits for input of the terminal or the end of reading. The end comes first: input after it is for somebody else.
fn wait(stop: &PipeReader, due_ms: Option<u64>) -> io::Result<Ready> {
    let input = stdin();
    let due = due_ms.map(|ms| Timespec::try_from(Duration::from_millis(ms)).unwrap_or_default());
    loop {
        let mut fds = [PollFd::new(stop, PollFlags::IN), PollFd::new(&input, PollFlags::IN)];
        match rustix::event::poll(&mut fds, due.as_ref()) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok(0) => return Ok(Ready::Late),
            ready => ready?,
        };
        let [stop, input] = fds.map(|fd| fd.revents());
        if !stop.is_empty() {
            return Ok(Ready::Stop);
        }
        if input.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return Ok(Ready::Gone);
        }
        if input.contains(PollFlags::IN) {
            return Ok(Ready::Input);
        }
    }
}

/// Lets crossterm see input that it missed: a system wakes the readers of a terminal whose attributes are set.
fn wake_readers() -> io::Result<()> {
    let input = stdin();
    let _held = ATTRIBUTES.lock();
    Ok(tcsetattr(&input, OptionalActions::Now, &tcgetattr(&input)?)?)
}
