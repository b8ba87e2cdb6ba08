//! Log file for the messages of the program.

use crate::model::Wall;
use crate::{own_file, text};
use jiff::Timestamp;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// File of lines with timestamps.
pub struct LogFile(File);

impl LogFile {
    /// Opens a file for appending. A new file is accessible only to its owner.
    pub fn open(path: &Path) -> io::Result<LogFile> {
        own_file::append_to_named(path).map(LogFile)
    }

    /// Appends a line with a timestamp. Errors are ignored.
    pub fn keep(&self, at: Wall, line: &str) {
        let at = Timestamp::from_millisecond(at.0).unwrap_or_default();
        // an unwritable log must not stop a conversation
        let _ = writeln!(&self.0, "{at:.3} {}", text::line(line));
    }
}
