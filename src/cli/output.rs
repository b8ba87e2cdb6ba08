//! What the program says to a person on standard error, beside the data on standard output.

use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::text;
use std::io::{ErrorKind, Write, stderr, stdout};

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

/// Writes text to standard output, with nothing in it that a terminal would take for a command.
///
/// # Errors
/// As [`data`].
pub fn text(words: &str) -> Result<Exit, Failure> {
    data(text::block(words).as_bytes())?;
    Ok(Exit::Done)
}

/// Prints why a command ended early, and what to do, on standard error.
pub fn failure(failure: &Failure) {
    let report = failure.message.starts_with("error: ");
    let label = if report { "" } else { "error: " };
    print(&format!("{label}{}", text::block(failure.message.trim_end())));
    if let Some(hint) = &failure.hint {
        print(&format!("\nhint: {}", text::block(hint)));
    }
}

/// Replaces the line of progress on standard error, which is a terminal; an empty one takes it away.
pub fn progress(line: &str) {
    // as above
    let _ = write!(stderr().lock(), "\r\x1b[K{line}");
}
