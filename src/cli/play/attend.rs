//! Attends a running conversation at its terminal, for its reader: a person or standard output.

use crate::cli::error::Exit;
use crate::cli::play::signals::Signals;
use crate::engine::Stopped;
use crate::host::Run;
use std::pin::pin;

/// Reason for the end of the attendance.
pub enum Left<L> {
    /// The reader left.
    Reader(L),
    /// A signal asked the program to stop.
    Signal(Exit),
    /// Another process takes the conversation over, or its session can no longer be written.
    Stopped,
}

/// Waits until the reader leaves, a signal asks to stop, or the conversation is lost to the reader; a conversation that
/// has ended can still be read. `leaves` returns false for a signal that does not stop the program.
pub async fn attend<L>(
    run: &mut Run,
    reader: impl Future<Output = L>,
    signals: &mut Signals,
    mut leaves: impl FnMut(Exit) -> bool,
) -> Left<L> {
    let mut reader = pin!(reader);
    let mut runs = true;
    loop {
        tokio::select! { biased;
            code = signals.next() => if leaves(code) {
                return Left::Signal(code);
            },
            left = &mut reader => return Left::Reader(left),
            end = run.stopped(), if runs => match end.stop {
                Ok(Stopped::Ended | Stopped::Left) => runs = false,
                Ok(Stopped::HandedOver) | Err(_) => return Left::Stopped,
            },
        }
    }
}
