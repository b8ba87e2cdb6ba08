//! The signals by which the system tells the program to stop.
//!
//! One that was ignored when the program began stays ignored: that is what `nohup` and a shell's `&` ask for.

use super::exit::Exit;
use std::io;

/// The signals, caught from here on.
pub struct Signals {
    #[cfg(unix)]
    streams: Vec<(tokio::signal::unix::Signal, Exit)>,
}

impl Signals {
    /// Begins to catch them; within a runtime.
    ///
    /// # Errors
    /// When the system refuses.
    #[cfg(unix)]
    pub fn listen() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let ignored = ignored();
        let all = [
            (SignalKind::interrupt(), Exit::Interrupted),
            (SignalKind::terminate(), Exit::Terminated),
            (SignalKind::hangup(), Exit::HungUp),
        ];
        let wanted =
            all.into_iter().filter(|(kind, _)| ignored >> (kind.as_raw_value() - 1) & 1 == 0);
        let streams = wanted.map(|(kind, code)| Ok((signal(kind)?, code)));
        Ok(Signals { streams: streams.collect::<io::Result<_>>()? })
    }

    /// Waits for the next one; returns the code to exit with. May be cancelled.
    #[cfg(unix)]
    pub async fn next(&mut self) -> Exit {
        std::future::poll_fn(|cx| {
            let came = self.streams.iter_mut().find_map(|(stream, code)| {
                matches!(stream.poll_recv(cx), std::task::Poll::Ready(Some(()))).then_some(*code)
            });
            came.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
        })
        .await
    }

    /// Begins to catch them; within a runtime.
    ///
    /// # Errors
    /// Never, here.
    #[cfg(not(unix))]
    pub fn listen() -> io::Result<Signals> {
        Ok(Signals {})
    }

    /// Waits for the next one; returns the code to exit with. May be cancelled.
    #[cfg(not(unix))]
    pub async fn next(&mut self) -> Exit {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}

/// Returns the signals that are ignored, a bit each, where the system tells.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).unwrap_or(0)
}
