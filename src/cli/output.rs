//! Output to the user: messages on standard error, data on standard output.

use crate::cli::error::{Failure, LABEL};
use crate::cli::exit::Exit;
use crate::text;
use crate::ui::text::wrap::{width, wrap};
use crossterm::terminal::size;
use ratatui::text::Line;
use std::io::{self, ErrorKind, IsTerminal, Write, stderr, stdout};

/// Minimum width for wrapping, in columns. A narrower terminal wraps by itself.
const NARROWEST: usize = 20;

/// Prints a line on standard error.
pub fn print(line: &str) {
    // if standard error is closed, the message cannot be reported anywhere
    let _ = writeln!(stderr().lock(), "{line}");
}

/// Writes data to standard output. A reader that has closed the pipe is not an error.
///
/// # Errors
/// If standard output cannot be written for another reason.
pub fn data(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = stdout().lock();
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Converts the result of writing to standard output, like [`data`].
///
/// # Errors
/// As for [`data`].
pub fn written(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Failed, format!("cannot write to standard output: {e}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes text to standard output, without terminal control sequences.
///
/// # Errors
/// As for [`data`].
pub fn text(words: &str) -> Result<Exit, Failure> {
    data(text::block(words).as_bytes())?;
    Ok(Exit::Done)
}

/// Writes text to standard output. On a terminal, lines are wrapped between words.
///
/// # Errors
/// As for [`data`].
pub fn wrapped(words: &str) -> Result<(), Failure> {
    let columns = stdout().is_terminal().then(size).and_then(Result::ok);
    match columns.map(|(columns, _)| usize::from(columns)).filter(|columns| *columns >= NARROWEST) {
        Some(columns) => data(broken(words, columns).as_bytes()),
        None => data(words.as_bytes()),
    }
}

/// Wraps lines between words. Lines that fit are unchanged.
fn broken(words: &str, columns: usize) -> String {
    let rows = |line: &str| {
        if width(line) <= columns {
            line.to_owned()
        } else {
            let rows = wrap(&Line::from(line), columns);
            rows.iter()
                .map(|row| row.to_string().trim_end().to_owned())
                .collect::<Vec<_>>()
                .join("\n")
        }
    };
    words.split('\n').map(rows).collect::<Vec<_>>().join("\n")
}

/// Prints a failure and its hint on standard error.
pub fn failure(failure: &Failure) {
    // a report of faults has a label on each
    let label = if failure.faults.is_empty() { LABEL } else { "" };
    print(&format!("{label}{}", text::block(failure.message.trim_end())));
    if let Some(hint) = &failure.hint {
        print(&format!("\nhint: {}", text::block(hint)));
    }
}

/// Updates the progress line on standard error, which must be a terminal. An empty line removes it.
pub fn progress(line: &str) {
    // see `print` about errors
    let _ = write!(stderr().lock(), "\r\x1b[K{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_nothing_is_lost() {
        let told = "-- Bo has the floor and says quite a lot\n\nshort\n";
        let broken = broken(told, 20);
        assert!(broken.lines().all(|line| width(line) <= 20), "{broken}");
        assert_eq!(
            broken.split_whitespace().collect::<Vec<_>>(),
            told.split_whitespace().collect::<Vec<_>>()
        );
        assert!(broken.ends_with("\n\nshort\n"), "{broken}");
    }
}
