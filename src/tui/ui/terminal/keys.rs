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
use std::os::fd::AsFd;
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

/// The reader that the last screen left, with the clock of its times: the rest of a key may still come.
static LEFT: Mutex<Option<(Clock, InputReader)>> = Mutex::new(None);

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
pub(super) fn read_until(stop: &PipeReader, give: impl FnMut(Event)) -> io::Result<()> {
    read_next(&stdin(), stop, &take_read(), give)
}

/// Reads an input until the pipe is closed, after the bytes that [`super::ask()`] read of it.
fn read_next(
    input: &impl AsFd,
    stop: &PipeReader,
    asked: &[u8],
    mut give: impl FnMut(Event),
) -> io::Result<()> {
    let (typed, mut reader) = InputReader::after(asked, FAR.load(Ordering::SeqCst));
    typed.into_iter().for_each(&mut give);
    let left = LEFT.lock().take();
    let (clock, left) = left.unwrap_or((Clock::real(Ms(0)), InputReader::default()));
    if asked.is_empty() {
        reader.go_on(left, clock.now());
    }
    if BEGUN.swap(false, Ordering::SeqCst) {
        let ahead = reader.push(&ready_bytes(input)?, clock.now());
        ahead.into_iter().map(pressed_ahead).for_each(&mut give);
    }
    read_from(input, stop, &clock, &mut reader, give)?;
    *LEFT.lock() = Some((clock, reader));
    Ok(())
}

/// Gives the events of an input until the pipe is closed.
fn read_from(
    input: &impl AsFd,
    stop: &PipeReader,
    clock: &Clock,
    reader: &mut InputReader,
    mut give: impl FnMut(Event),
) -> io::Result<()> {
    loop {
        let events = match wait(input, stop, reader.due(clock.now()))? {
            Ready::Stop => return Ok(()),
            Ready::Late => reader.give_up(clock.now()),
            Ready::Gone => return Err(gone()),
            Ready::Input => reader.push(&ready_bytes(input)?, clock.now()),
        };
        events.into_iter().for_each(&mut give);
    }
}

/// Reads the bytes that can be read without waiting.
fn ready_bytes(input: &impl AsFd) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    let mut buffer = [0; 4_096];
    let now = Timespec::default();
    while bytes.len() < BYTES_MAX {
        let mut fds = [PollFd::new(input, PollFlags::IN)];
        let is_ready = rustix::event::poll(&mut fds, Some(&now)).is_ok_and(|ready| ready > 0);
        if !is_ready {
            break;
        }
        match rustix::io::read(input, &mut buffer) {
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
fn wait(input: &impl AsFd, stop: &PipeReader, due_ms: Option<u64>) -> io::Result<Ready> {
    let due = due_ms.map(|ms| Timespec::try_from(Duration::from_millis(ms)).unwrap_or_default());
    loop {
        let mut fds = [PollFd::new(stop, PollFlags::IN), PollFd::new(input, PollFlags::IN)];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::{KeyCode, KeyModifiers};
    use std::io::Write;

    /// Reads what a terminal sends, until its last key `q`, after a pause.
    fn read_keys(clock: &Clock, pause_ms: u64, asked: &str, sent: &str) -> Vec<KeyCode> {
        let (input, mut terminal) = pipe().unwrap();
        terminal.write_all(sent.as_bytes()).unwrap();
        let (stop, reads) = pipe().unwrap();
        let mut reads = Some(reads);
        let mut keys = vec![];
        clock.set(clock.now().plus(pause_ms));
        read_next(&input, &stop, asked.as_bytes(), |event| {
            let key = event.as_key_event().unwrap();
            assert_eq!(key.modifiers, KeyModifiers::NONE);
            keys.push(key.code);
            if key.code == KeyCode::Char('q') {
                // its closed end stops the reading
                drop(reads.take());
            }
        })
        .unwrap();
        keys
    }

    #[test]
    fn a_key_cut_by_the_end_of_a_screen_is_the_next_ones_for_a_moment() {
        use KeyCode::{Char, Down};
        let clock = Clock::paced_over(&Clock::virtual_from(Ms(0)), Ms(0));
        *LEFT.lock() = Some((clock.clone(), InputReader::default()));
        let read = |pause_ms, asked, sent| read_keys(&clock, pause_ms, asked, sent);
        assert_eq!(read(0, "", "q\u{1b}"), [Char('q')]);
        assert_eq!(read(10, "", "[Bq\u{1b}"), [Down, Char('q')]);
        assert_eq!(read(600_000, "", "bq\u{1b}["), [Char('b'), Char('q')]);
        assert_eq!(read(600_000, "", "bq"), [Char('b'), Char('q')]);
        // half an answer to a question that was asked before the last screen
        assert_eq!(read(0, "q\u{1b}]11;rgb:1", ""), [Char('q')]);
        assert_eq!(read(600_000, "", "1q\u{1b}"), [Char('1'), Char('q')]);
        // the link is slow now
        FAR.store(true, Ordering::SeqCst);
        read(0, "", "[Bq\u{1b}");
        FAR.store(false, Ordering::SeqCst);
        let left = LEFT.lock().take().unwrap().1;
        assert_eq!(left.due(clock.now()), Some(150));
    }
}
