//! Programs that run beside ours, without waiting for them: the one that opens an address, and the person's own.

use super::SpawnError;
use std::ffi::{OsStr, OsString};
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

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
    start(Command::new(OPENER).arg(address).stdin(Stdio::null()))?;
    Ok(OPENER)
}

/// Starts a program of the person with its arguments, an input and only these environment variables. Does not wait for it
/// and drops its output. Needs a runtime with I/O.
///
/// # Errors
/// [`SpawnError::Refused`] if there is no such program, or the system cannot start it.
pub fn start_aside(
    arguments: &[impl AsRef<OsStr>],
    variables: Vec<(OsString, OsString)>,
    input: &str,
) -> Result<(), SpawnError> {
    let Some((program, arguments)) = arguments.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(variables).stdin(Stdio::piped());
    let mut child = start(&mut command)?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_owned();
        // a program that does not read its input may have closed it
        tokio::spawn(async move { _ = stdin.write_all(input.as_bytes()).await });
    }
    Ok(())
}

fn start(command: &mut Command) -> Result<Child, SpawnError> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    // our interrupts are not meant for it
    command.process_group(0);
    command.spawn().map_err(SpawnError::Refused)
}
