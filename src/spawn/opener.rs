//! Opens an address with the system's default program, without waiting for it.

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

/// Opens an address; returns the name of the program. Needs a runtime with I/O. The caller checks whether the address
/// may be opened.
///
/// # Errors
/// [`SpawnError::Refused`] if there is no such program, or the system cannot start it.
pub fn open_with_system(address: &str) -> Result<&'static str, SpawnError> {
    let mut command = Command::new(OPENER);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // our interrupts are not meant for it
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().map_err(SpawnError::Refused)?;
    Ok(OPENER)
}
