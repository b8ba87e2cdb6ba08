//! An event as it stands in a file.

use crate::model::Event;

/// The major version of the file format that this program writes; a file of a newer one is only read.
pub const FORMAT: u32 = 1;

/// An event together with its line, serialised once and shared by the file, the tails and `--format jsonl`.
#[derive(Debug)]
pub struct Record {
    /// What happened.
    pub event: Event,
    /// Its line as the file holds it, with the newline.
    pub line: String,
}
