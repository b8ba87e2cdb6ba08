//! Lines from standard input as they arrive: steering lines from a program, or text that a user types.

use crate::engine::Input;
use crate::model::Seq;
use crate::text;
use std::io::{self, BufRead, Read, stdin};
use std::sync::OnceLock;
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard, mpsc, watch};
use tokio::time::timeout;

/// Maximum length of a line, in bytes; the rest of a longer line is skipped.
const LINE_MAX_BYTES: u64 = 64 * 1024;
/// Maximum number of typed lines that wait.
const LINES_WAITING: usize = 1024;
/// Duration without input before virtual time may advance.
const QUIET: Duration = Duration::from_millis(50);

/// Starts to read steering lines from standard input for a conversation; returns the number of lines that were read.
/// Keys begin with the `seq` of the opening or reopening.
///
/// The thread is never joined: a read of a terminal cannot be cancelled.
pub fn listen(since: Seq, commands: mpsc::Sender<Input>) -> io::Result<watch::Receiver<u64>> {
    let (count, read) = watch::channel(0);
    std::thread::Builder::new().name("steer".into()).spawn(move || {
        let mut from = stdin().lock();
        while let Ok(Some(line)) = next_line(&mut from) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let number = *count.borrow() + 1;
            let command = Input::from_line(format!("{since}:{number}").into(), line);
            if commands.blocking_send(command).is_err() {
                return;
            }
            count.send_replace(number);
        }
    })?;
    Ok(read)
}

/// Lines typed by the user, kept across conversations.
type Typed = Mutex<mpsc::Receiver<String>>;

/// Returns the lines typed by the user, continuing after the previous conversation. The receiver closes at the end of
/// standard input.
///
/// The thread is never joined: a read of a terminal cannot be cancelled, and a second reader would lose a line to it.
pub async fn typed() -> io::Result<MutexGuard<'static, mpsc::Receiver<String>>> {
    static TYPED: OnceLock<Typed> = OnceLock::new();
    let typed = match TYPED.get() {
        Some(typed) => typed,
        None => {
            let lines = read_typed(LINES_WAITING, || true)?;
            TYPED.get_or_init(|| Mutex::new(lines))
        }
    };
    Ok(typed.lock().await)
}

/// Starts to read lines that a user types; `waits` returns false if no further line can be read.
fn read_typed(waiting: usize, waits: fn() -> bool) -> io::Result<mpsc::Receiver<String>> {
    let (tx, lines) = mpsc::channel(waiting);
    std::thread::Builder::new().name("typed".into()).spawn(move || {
        let mut from = io::BufReader::new(stdin().lock());
        while (!from.buffer().is_empty() || waits())
            && let Ok(Some(line)) = next_line(&mut from)
        {
            if tx.blocking_send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}

/// Returns the lines typed by the user while the program is in the foreground. A read in the background would stop the
/// whole program.
#[cfg(feature = "serve")]
pub fn typed_in_foreground() -> io::Result<mpsc::Receiver<String>> {
    read_typed(1, wait_for_foreground)
}

/// Waits until a line can be read without stopping the program; returns false if standard input cannot be read.
#[cfg(feature = "serve")]
fn wait_for_foreground() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::process::getpgrp;
    use rustix::termios::tcgetpgrp;
    let pause = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };
    loop {
        match poll(&mut [PollFd::new(&stdin(), PollFlags::IN)], None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return false,
        }
        match tcgetpgrp(stdin()) {
            Ok(group) if group != getpgrp() => {}
            // in the foreground, or no terminal
            Ok(_) | Err(Errno::NOTTY) => return true,
            Err(_) => return false,
        }
        // only waits: a signal may end it early
        let _ = poll(&mut [], Some(&pause));
    }
}

/// Waits until the first line was read, or standard input has ended.
pub async fn first(mut read: watch::Receiver<u64>) {
    // the end of the input closes the channel
    let _ = read.wait_for(|lines| *lines > 0).await;
}

/// Waits until piped input has arrived: until its end, or a short silence. `read` counts the lines.
pub async fn settle(mut read: watch::Receiver<u64>) {
    while let Ok(Ok(())) = timeout(QUIET, read.changed()).await {}
}

fn next_line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = from.by_ref().take(LINE_MAX_BYTES).read_until(b'\n', &mut line)?;
    if !line.ends_with(b"\n") && read as u64 == LINE_MAX_BYTES {
        from.skip_until(b'\n')?;
    }
    Ok((read > 0).then(|| text::decode(line).text))
}
