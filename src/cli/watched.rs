//! Progress of long tasks, shown on a terminal after one second.

use crate::session::ReadProgress;
use std::io::{IsTerminal, Write, stderr};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// Delay before the progress is shown, and interval between updates.
const TOLD_AFTER: Duration = Duration::from_millis(1_000);
const TOLD_EVERY: Duration = Duration::from_millis(200);

/// Runs a task and shows its progress on the terminal if it takes long. The line is erased at the end.
pub fn watched<T>(what: &str, work: impl FnOnce(&ReadProgress) -> T) -> T {
    let progress = ReadProgress::default();
    if !stderr().is_terminal() {
        return work(&progress);
    }
    thread::scope(|scope| {
        let (over, ends) = sync_channel::<()>(0);
        let told = progress.clone();
        scope.spawn(move || {
            let mut wait = TOLD_AFTER;
            while ends.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                // a closed terminal is noticed by the code that writes the result
                let _ = match told.percent() {
                    0 => write!(stderr(), "\r{what}\x1b[K"),
                    percent => write!(stderr(), "\r{what}: {percent}%\x1b[K"),
                };
                wait = TOLD_EVERY;
            }
            if wait == TOLD_EVERY {
                let _ = write!(stderr(), "\r\x1b[K");
            }
        });
        let done = work(&progress);
        drop(over);
        done
    })
}
