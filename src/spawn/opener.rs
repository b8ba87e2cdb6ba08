//! Hands an address to the program that the system has for it, and does not wait for that.

use super::SpawnError;
use std::process::Stdio;
use tokio::process::Command;

/// The program that opens files and links with the user's default programs.
#[cfg(target_os = "macos")]
const OPENER: &str = "open";
#[cfg(windows)]
const OPENER: &str = "explorer";
#[cfg(not(any(target_os = "macos", windows)))]
const OPENER: &str = "xdg-open";

/// Opens an address; returns the program that got it. Must be called within a runtime that has I/O. Whether the address
/// may be opened is the caller's to judge.
///
/// # Errors
/// [`SpawnError::Refused`] when there is no such program here, or the system refuses to start it.
pub fn open_with_system(address: &str) -> Result<&'static str, SpawnError> {
    let mut command = Command::new(OPENER);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // what interrupts us is not meant for it
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().map_err(SpawnError::Refused)?;
    Ok(OPENER)
}
