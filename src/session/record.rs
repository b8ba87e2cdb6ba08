//! An event together with its line in a file.

use crate::model::Event;
use std::sync::Arc;

/// The major version of the file format that this program writes; a file of a newer one is only read.
pub const FORMAT: u32 = 1;

/// An event together with its line, serialised once and shared by the file, the tails and `--format jsonl`.
#[derive(Debug)]
pub struct Record {
    /// The event as the program uses it.
    pub event: Arc<Event>,
    /// Its line as written to the file, with the newline.
    pub line: String,
}
