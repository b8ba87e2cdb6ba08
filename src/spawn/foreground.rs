//! The user's own program, an editor, which has the terminal until it ends.
//!
//! It is in our process group, so that the keys which stop and interrupt reach it as they would from a shell; it sees
//! the whole environment of this program.

use super::SpawnError;
use std::path::Path;
use std::process::ExitStatus;
use tokio::process::Command;

/// Runs a command line of the person's, with a file as its last argument, until it ends. Must be called within a runtime
/// that has I/O.
///
/// # Errors
/// [`SpawnError`] when the system refuses to start it, or loses it.
#[cfg(unix)]
pub async fn foreground(command: &str, file: &Path) -> Result<ExitStatus, SpawnError> {
    use rustix::process::{Signal, kill_current_process_group};
    use tokio::signal::unix::{SignalKind, signal};
    // as with git, the variable may hold arguments, and a path with blanks in quotes
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(format!("{command} \"$@\"")).arg(command).arg(file);
    let mut child = shell.kill_on_drop(true).spawn().map_err(SpawnError::Refused)?;
    let mut stops =
        signal(SignalKind::from_raw(Signal::TSTP.as_raw())).map_err(SpawnError::Refused)?;
    loop {
        tokio::select! { biased;
            ended = child.wait() => return ended.map_err(SpawnError::Lost),
            // it stops itself; the shell continues only when we stop as well
            Some(()) = stops.recv() => kill_current_process_group(Signal::STOP)
                .map_err(|e| SpawnError::Refused(e.into()))?,
        }
    }
}

/// Runs the user's command line, with a file as its last argument, until it ends.
///
/// # Errors
/// [`SpawnError`] when the system refuses to start it, or loses it.
#[cfg(not(unix))]
pub async fn foreground(command: &str, file: &Path) -> Result<ExitStatus, SpawnError> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or(SpawnError::NoCommand)?;
    let mut child = Command::new(program);
    child.args(words).arg(file).status().await.map_err(SpawnError::Refused)
}
