//! What the program says to a person on standard error, beside the data on standard output.

use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::text;
use crate::ui::text::wrap::{width, wrap};
use crossterm::terminal::size;
use ratatui::text::Line;
use std::io::{self, ErrorKind, IsTerminal, Write, stderr, stdout};

/// Columns below which lines are left to the terminal.
const NARROWEST: usize = 20;

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
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Returns what became of writing to standard output, as [`data`] does.
///
/// # Errors
/// As [`data`].
pub fn written(written: io::Result<()>) -> Result<(), Failure> {
    match written {
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

/// Writes text to standard output, where it is a terminal in lines that break between words.
///
/// # Errors
/// As [`data`].
pub fn wrapped(words: &str) -> Result<(), Failure> {
    let columns = stdout().is_terminal().then(size).and_then(Result::ok);
    match columns.map(|(columns, _)| usize::from(columns)).filter(|columns| *columns >= NARROWEST) {
        Some(columns) => data(broken(words, columns).as_bytes()),
        None => data(words.as_bytes()),
    }
}

/// Breaks lines between words; what fits stays as it is.
fn broken(words: &str, columns: usize) -> String {
    let rows = |line: &str| match width(line) <= columns {
        true => line.to_owned(),
        false => {
            let rows = wrap(&Line::from(line), columns);
            rows.iter()
                .map(|row| row.to_string().trim_end().to_owned())
                .collect::<Vec<_>>()
                .join("\n")
        }
    };
    words.split('\n').map(rows).collect::<Vec<_>>().join("\n")
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
