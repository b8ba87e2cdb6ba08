//! An event together with its line in a file.

use crate::model::Event;
use std::sync::Arc;

/// Major version of the file format; a file of a newer version is only read.
pub const FORMAT: u32 = 1;

/// An event together with its line, serialised once and shared by the file, the tails and `--format jsonl`.
#[derive(Debug)]
pub struct Record {
    /// The event.
    pub event: Arc<Event>,
    /// Its line in the file, with the newline.
    pub line: String,
}
