//! Signals that ask the program to stop.
//!
//! On a screen, a disappearing terminal counts as a signal. Its input is watched here, because the reader of keys may
//! be stuck when the terminal is gone. If the program does not react within a few seconds, it exits anyway: everything
//! shown is in the log, and nothing may run on unseen.
//!
//! A signal that was ignored at program start stays ignored, as `nohup` and a shell's `&` require.

use crate::cli::error::Exit;
use crate::cli::runtime::{block_on, refused};
use crate::spawn;
use crate::ui::terminal;
use std::future::Future;
use std::io;
use {
    rustix::event::{PollFd, PollFlags, poll},
    rustix::io::Errno,
    rustix::process::Signal,
    std::future::{pending, poll_fn},
    std::io::stdin,
    std::sync::atomic::{AtomicBool, Ordering},
    std::sync::{Once, OnceLock},
    std::task::Poll,
    std::thread,
    std::time::Duration,
    tokio::sync::watch,
};

/// Maximum time between the loss of the terminal and a reaction to it.
const UNHEEDED: Duration = Duration::from_secs(3);
/// Time for leaving before output is dropped, and again before the terminal is restored from another thread.
const BLOCKED: Duration = Duration::from_millis(700);
/// Time for that restoring before the process ends.
const LAST_TRY: Duration = Duration::from_millis(300);
/// True while the program ends because its terminal has vanished.
static HEEDED: AtomicBool = AtomicBool::new(false);

/// Turns a write beyond the system's limit on file sizes into an error, which is handled, instead of a signal that ends
/// the program.
pub fn let_writes_fail() {
    let told = std::sync::Arc::new(AtomicBool::new(false));
    // if the registration fails, a full disk is still reported
    let _ = signal_hook::flag::register(Signal::XFSZ.as_raw(), told);
}

/// Signals, caught since the value was created.
pub struct Signals {
    streams: Vec<(tokio::signal::unix::Signal, Exit)>,
    /// State of the terminal if it is watched; it may disappear without a signal.
    terminal: Option<watch::Receiver<bool>>,
}

impl Signals {
    /// Starts to catch the signals. Must be called within a runtime.
    pub fn listen() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let ignored = ignored();
        let all = [
            (SignalKind::interrupt(), Exit::Interrupted),
            (SignalKind::terminate(), Exit::Terminated),
            (SignalKind::hangup(), Exit::HungUp),
            (SignalKind::quit(), Exit::Quit),
        ];
        let wanted =
            all.into_iter().filter(|(kind, _)| ignored >> (kind.as_raw_value() - 1) & 1 == 0);
        let streams = wanted.map(|(kind, code)| Ok((signal(kind)?, code)));
        Ok(Signals { streams: streams.collect::<io::Result<_>>()?, terminal: None })
    }

    /// Starts to catch the signals for a screen; a disappearing terminal counts as a hang-up.
    pub fn at_terminal() -> io::Result<Signals> {
        release_terminal_at_signals();
        Ok(Signals { terminal: Some(vanishing()), ..Signals::listen()? })
    }

    /// Waits for the next signal; returns the exit code for it. Cancel safe.
    pub async fn next(&mut self) -> Exit {
        let came = tokio::select! { biased;
            code = caught(&mut self.streams) => code,
            () = vanished(&mut self.terminal) => Exit::HungUp,
        };
        if came == Exit::HungUp {
            HEEDED.store(true, Ordering::SeqCst);
            // a hang-up arrives twice, from the terminal and as a signal: the second is not a request to hurry
            self.terminal = None;
            self.streams.retain(|(_, code)| *code != Exit::HungUp);
        }
        came
    }
}

/// Waits for `work`; a further signal exits the program at once.
pub async fn unless_told_again<T>(signals: &mut Signals, work: impl Future<Output = T>) -> T {
    tokio::select! { biased;
        code = signals.next() => at_once(code),
        done = work => done,
    }
}

/// Exits at once, after killing all child processes.
pub fn at_once(code: Exit) -> ! {
    spawn::reap_all();
    std::process::exit(i32::from(code as u8))
}

/// Waits for the next signal; returns the code to exit with.
async fn caught(streams: &mut [(tokio::signal::unix::Signal, Exit)]) -> Exit {
    poll_fn(|cx| {
        let came = streams.iter_mut().find_map(|(stream, code)| {
            matches!(stream.poll_recv(cx), Poll::Ready(Some(()))).then_some(*code)
        });
        came.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

/// Lets output to a stopped terminal go on at a signal, from a thread of its own: the program may be waiting in a write.
/// If the terminal is not given back in time, ends the program without its help.
fn release_terminal_at_signals() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        thread::spawn(|| {
            // if there is no runtime, a terminal that is not stopped is left as before
            let _ = block_on(async {
                let mut streams = Signals::listen().map_err(refused)?.streams;
                loop {
                    let code = caught(&mut streams).await;
                    terminal::start_output();
                    if matches!(code, Exit::Terminated | Exit::HungUp) {
                        leave_blocked(code);
                        return Ok(());
                    }
                }
            });
        });
    });
}

/// Ends the program if its terminal takes no more output.
fn leave_blocked(code: Exit) {
    for release in [terminal::drop_output, terminal::restore] {
        thread::sleep(BLOCKED);
        if !terminal::is_taken() {
            return;
        }
        // it may wait for the terminal itself
        thread::spawn(release);
    }
    thread::sleep(LAST_TRY);
    if terminal::is_taken() {
        terminal::leave_raw_mode();
        at_once(code);
    }
}

/// Waits until a terminal is gone; never returns where none is watched.
async fn vanished(terminal: &mut Option<watch::Receiver<bool>>) {
    let gone = match terminal {
        Some(terminal) => terminal.wait_for(|gone| *gone).await.is_ok(),
        None => false,
    };
    if !gone {
        pending().await
    }
}

/// Watches the terminal on its own thread, because the reader of keys may be stuck when it is gone; the value becomes
/// true when it is.
fn vanishing() -> watch::Receiver<bool> {
    static WATCHED: OnceLock<watch::Receiver<bool>> = OnceLock::new();
    let watched = WATCHED.get_or_init(|| {
        let (tell, told) = watch::channel(false);
        thread::spawn(move || {
            let input = stdin();
            // without requested events, `poll` returns only for a hang-up
            let mut hang_up = [PollFd::new(&input, PollFlags::empty())];
            let gone = loop {
                match poll(&mut hang_up, None) {
                    Err(Errno::INTR) => {}
                    watched => break watched.is_ok(),
                }
            };
            // the receiver may be gone
            let _ = tell.send(gone);
            thread::sleep(UNHEEDED);
            if gone && !HEEDED.load(Ordering::SeqCst) {
                at_once(Exit::HungUp);
            }
        });
        told
    });
    watched.clone()
}

/// Returns the ignored signals as a bit mask; 0 if the system does not report them.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).unwrap_or(0)
}
