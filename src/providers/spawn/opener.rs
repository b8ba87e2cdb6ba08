//! Programs that run beside ours, without waiting for them: the one that opens an address, and the person's own.

use super::SpawnError;
use std::ffi::OsStr;
use std::process::Stdio;
use tokio::process::Command;

/// The program that opens files and links with the user's default programs.
#[cfg(target_os = "macos")]
const OPENER: &str = "open";
#[cfg(not(target_os = "macos"))]
const OPENER: &str = "xdg-open";

/// Opens an address; returns the name of the program. Needs a runtime with I/O. The caller checks whether the address
/// may be opened.
///
/// # Errors
/// [`SpawnError::Refused`] if there is no such program, or the system cannot start it.
pub fn open_with_system(address: &str) -> Result<&'static str, SpawnError> {
    start_aside(&[OPENER, address])?;
    Ok(OPENER)
}

/// Starts a program of the person with its arguments, without waiting for it and without its output. Needs a runtime
/// with I/O.
///
/// # Errors
/// [`SpawnError::Refused`] if there is no such program, or the system cannot start it.
pub fn start_aside(arguments: &[impl AsRef<OsStr>]) -> Result<(), SpawnError> {
    let Some((program, arguments)) = arguments.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // our interrupts are not meant for it
    command.process_group(0);
    command.spawn().map_err(SpawnError::Refused)?;
    Ok(())
}
