//! A log file of what the program says.

use crate::model::Wall;
use crate::{own_file, text};
use jiff::Timestamp;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// A file of lines, each with its time.
pub struct LogFile(File);

impl LogFile {
    /// Opens a file for appending; a new one is readable by its owner alone.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn open(path: &Path) -> io::Result<LogFile> {
        own_file::append_to_named(path).map(LogFile)
    }

    /// Appends a line with its time; errors are ignored.
    pub fn keep(&self, at: Wall, line: &str) {
        let at = Timestamp::from_millisecond(at.0).unwrap_or_default();
        // a log that cannot be written must not stop a conversation
        let _ = writeln!(&self.0, "{at:.3} {}", text::line(line));
    }
}
