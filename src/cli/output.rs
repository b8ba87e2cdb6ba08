//! What the program says to a person on standard error, beside the data on standard output.

use std::io::{ErrorKind, Write, stderr, stdout};

use crate::cli::error::Failure;
use crate::cli::exit::Exit;

/// Prints a line on standard error.
pub fn print(line: &str) {
    // whoever closed standard error does not want to be told, and there is nowhere left to say so
    let _ = writeln!(stderr().lock(), "{line}");
}

/// Writes data to standard output; a reader that has gone has all it wanted.
///
/// # Errors
/// When standard output cannot be written for any other reason.
pub fn data(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Failed, format!("cannot write to standard output: {e}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Replaces the line of progress on standard error, which is a terminal; an empty one takes it away.
pub fn progress(line: &str) {
    // as above
    let _ = write!(stderr().lock(), "\r\x1b[K{line}");
}
