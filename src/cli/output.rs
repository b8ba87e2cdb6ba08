//! Output to the user: messages on standard error, data on standard output, and the progress of long tasks, shown on a
//! terminal after one second.

use crate::cli::error::{Exit, Failure, LABEL};
use crate::session::ReadProgress;
use crate::text;
use crate::ui::text::wrap::{width, wrap};
use crossterm::terminal::size;
use ratatui::text::Line;
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write, stderr, stdout};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// Minimum width for wrapping, in columns. A narrower terminal wraps by itself.
const NARROWEST: usize = 20;

/// Beginning of a command in a message.
const COMMAND: &str = " colloquium ";

/// Prints a line on standard error.
pub fn print(line: &str) {
    // if standard error is closed, the message cannot be reported anywhere
    let _ = writeln!(stderr().lock(), "{line}");
}

/// Writes data to standard output. A reader that has closed the pipe is not an error.
pub fn data(bytes: &[u8]) -> Result<Exit, Failure> {
    let mut out = stdout().lock();
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Converts the result of writing to standard output, like [`data`].
pub fn written(written: io::Result<()>) -> Result<Exit, Failure> {
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Failed, format!("cannot write to standard output: {e}")))
        }
        Ok(()) | Err(_) => Ok(Exit::Done),
    }
}

/// Writes text to standard output, without terminal control sequences.
pub fn text(words: &str) -> Result<Exit, Failure> {
    data(text::block(words).as_bytes())
}

/// Writes text to standard output. On a terminal, lines are wrapped between words.
pub fn wrapped(words: &str) -> Result<Exit, Failure> {
    data(fitted(words, stdout().is_terminal()).as_bytes())
}

/// Returns text for an output; for a terminal it is wrapped.
fn fitted(words: &str, is_terminal: bool) -> Cow<'_, str> {
    let columns = is_terminal.then(size).and_then(Result::ok);
    match columns.map(|(columns, _)| usize::from(columns)).filter(|columns| *columns >= NARROWEST) {
        Some(columns) => broken(words, columns).into(),
        None => words.into(),
    }
}

/// Wraps lines between words. Lines that fit are unchanged, and commands can be copied: each is on a line of its own.
fn broken(words: &str, columns: usize) -> String {
    let rows = |line: &str| {
        if width(line) <= columns {
            return line.to_owned();
        }
        let (prose, command) = line.split_at(line.find(COMMAND).unwrap_or(line.len()));
        let rows = wrap(&Line::from(prose), columns);
        let rows = rows.iter().map(|row| row.to_string().trim_end().to_owned());
        let command = (!command.is_empty()).then(|| command.trim_start().to_owned());
        rows.chain(command).collect::<Vec<_>>().join("\n")
    };
    words.split('\n').map(rows).collect::<Vec<_>>().join("\n")
}

/// Prints a failure and its hint on standard error. On a terminal, they are wrapped between words.
pub fn failure(failure: &Failure) {
    // a report of faults has a label on each
    let label = if failure.faults.is_empty() { LABEL } else { "" };
    let mut lines = format!("{label}{}", text::block(failure.message.trim_end()));
    if let Some(hint) = &failure.hint {
        lines.push_str(&format!("\n\nhint: {}", text::block(hint)));
    }
    print(&fitted(&lines, stderr().is_terminal()));
}

/// Updates the progress line on standard error, which must be a terminal. An empty line removes it.
pub fn progress(line: &str) {
    // see `print` about errors
    let _ = write!(stderr().lock(), "\r\x1b[K{line}");
}

/// Delay before the progress is shown, and interval between updates.
const TOLD_AFTER: Duration = Duration::from_millis(1_000);
const TOLD_EVERY: Duration = Duration::from_millis(200);

/// Runs a task and shows its progress on the terminal if it takes long. The line is erased at the end.
pub fn watched<T>(what: &str, work: impl FnOnce(&ReadProgress) -> T) -> T {
    let progress = ReadProgress::default();
    if !stderr().is_terminal() {
        return work(&progress);
    }
    thread::scope(|scope| {
        let (over, ends) = sync_channel::<()>(0);
        let told = progress.clone();
        scope.spawn(move || {
            let mut wait = TOLD_AFTER;
            while ends.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                // a closed terminal is noticed by the code that writes the result
                let _ = match told.percent() {
                    0 => write!(stderr(), "\r{what}\x1b[K"),
                    percent => write!(stderr(), "\r{what}: {percent}%\x1b[K"),
                };
                wait = TOLD_EVERY;
            }
            if wait == TOLD_EVERY {
                let _ = write!(stderr(), "\r\x1b[K");
            }
        });
        let done = work(&progress);
        drop(over);
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_nothing_is_lost() {
        let told = "-- Bo has the floor and says quite a lot\n\nshort\n";
        let broken = super::broken(told, 20);
        assert!(broken.lines().all(|line| width(line) <= 20), "{broken}");
        assert_eq!(
            broken.split_whitespace().collect::<Vec<_>>(),
            told.split_whitespace().collect::<Vec<_>>()
        );
        assert!(broken.ends_with("\n\nshort\n"), "{broken}");
        let hint = super::broken("hint: resume it now: colloquium resume 1 --max-tokens 9", 16);
        assert_eq!(hint, "hint: resume it\nnow:\ncolloquium resume 1 --max-tokens 9");
    }
}
