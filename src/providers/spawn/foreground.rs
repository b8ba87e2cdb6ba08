//! Runs the user's editor, which owns the terminal until it ends.
//!
//! It is in our process group, so that stop and interrupt keys reach it as they would from a shell, and it inherits the
//! whole environment.

use super::SpawnError;
use std::path::Path;
use std::process::ExitStatus;
use tokio::process::Command;

/// Runs a command line of the user until it ends, with a file as its last argument. Needs a runtime with I/O.
///
/// # Errors
/// [`SpawnError`] if the system cannot start it or loses it.
pub async fn foreground(command: &str, file: &Path) -> Result<ExitStatus, SpawnError> {
    use rustix::process::{Signal, kill_current_process_group};
    use tokio::signal::unix::{SignalKind, signal};
    // as with git, the variable may contain arguments, and a quoted path with spaces
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
