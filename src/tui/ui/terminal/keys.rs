//! Reader of the terminal's events, a thread that belongs to one screen.
//!
//! crossterm's reader is not used: it waits for the end of a paste without a limit, drops the sequences that it does not
//! know, and hides a key that comes with a resize until the next key.

use super::ask::take_read;
use super::input::{InputReader, pressed_ahead};
use crate::clock::Clock;
use crate::model::Ms;
use crossterm::event::Event;
use futures::Stream;
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, pipe, stdin};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Maximum bytes that are handled together.
const BYTES_MAX: usize = 1 << 16;

/// True from the beginning of a screen until its input is read.
pub static BEGUN: AtomicBool = AtomicBool::new(false);

/// True if the terminal is at the end of a slow link.
pub static FAR: AtomicBool = AtomicBool::new(false);

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
            if let Err(e) = read_until(&stop, |event| push(Ok(event))) {
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

/// Adds an event for the next screen.
pub(super) fn push(event: io::Result<Event>) {
    let mut input = INPUT.lock();
    input.events.push_back(event);
    if let Some(waker) = input.waker.take() {
        waker.wake();
    }
}

/// Reads until the pipe is closed.
pub(super) fn read_until(stop: &PipeReader, mut give: impl FnMut(Event)) -> io::Result<()> {
    let clock = Clock::real(Ms(0));
    let (typed, mut reader) = InputReader::after(&take_read(), FAR.load(Ordering::SeqCst));
    typed.into_iter().for_each(&mut give);
    if BEGUN.swap(false, Ordering::SeqCst) {
        let ahead = reader.push(&ready_bytes()?, clock.now());
        ahead.into_iter().map(pressed_ahead).for_each(&mut give);
    }
    loop {
        let ready = wait(stop, reader.due(clock.now()))?;
        let events = match ready {
            Ready::Stop | Ready::Late => reader.give_up(clock.now()),
            Ready::Gone => return Err(gone()),
            Ready::Input => reader.push(&ready_bytes()?, clock.now()),
        };
        events.into_iter().for_each(&mut give);
        if matches!(ready, Ready::Stop) {
            return Ok(());
        }
    }
}

/// Reads the bytes that can be read without waiting.
fn ready_bytes() -> io::Result<Vec<u8>> {
    let input = stdin();
    let mut bytes = vec![];
    let mut buffer = [0; 4_096];
    let now = Timespec::default();
    while bytes.len() < BYTES_MAX {
        let mut fds = [PollFd::new(&input, PollFlags::IN)];
        let is_ready = rustix::event::poll(&mut fds, Some(&now)).is_ok_and(|ready| ready > 0);
        if !is_ready {
            break;
        }
        match rustix::io::read(&input, &mut buffer) {
            Ok(0) if bytes.is_empty() => return Err(gone()),
            Ok(0) | Err(Errno::INTR | Errno::AGAIN) => break,
            read => bytes.extend(buffer.iter().take(read?)),
        }
    }
    Ok(bytes)
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
            Err(Errno::INTR) => continue,
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
