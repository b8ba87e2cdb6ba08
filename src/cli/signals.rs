//! The signals by which the system tells the program to stop.

use super::exit::Exit;
use std::io;

/// The signals, caught from here on.
pub struct Signals {
    #[cfg(unix)]
    streams: [(tokio::signal::unix::Signal, Exit); 3],
}

impl Signals {
    /// Begins to catch them; within a runtime.
    pub fn listen() -> io::Result<Signals> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let streams = [
                (signal(SignalKind::interrupt())?, Exit::Interrupted),
                (signal(SignalKind::terminate())?, Exit::Terminated),
                (signal(SignalKind::hangup())?, Exit::HungUp),
            ];
            Ok(Signals { streams })
        }
        #[cfg(not(unix))]
        Ok(Signals {})
    }

    /// Waits for the next one; returns the code to exit with. May be cancelled.
    pub async fn next(&mut self) -> Exit {
        #[cfg(unix)]
        {
            let [(interrupt, a), (terminate, b), (hang_up, c)] = &mut self.streams;
            tokio::select! {
                Some(()) = interrupt.recv() => *a,
                Some(()) = terminate.recv() => *b,
                Some(()) = hang_up.recv() => *c,
                else => std::future::pending().await,
            }
        }
        #[cfg(not(unix))]
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}
