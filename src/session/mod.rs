//! The log on disk: one append-only file of lines, the truth from which everything else is derived.
//!
//! [`codec`] spells an event as a line and reads it back, [`writer`] is the one thread that owns the file, [`reader`]
//! reads a file and says what is wrong with it, [`open`] continues one, [`repair()`] mends one into a new file, and
//! [`tail`] is how everybody else follows what happens, and [`replay`] feeds one from a recording. The room knows nothing of what the events mean: no fold, no
//! policy, no screen. It never edits in place and never shortens a file without keeping what it cut off.
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod alone;
mod blobs;
pub mod codec;
mod committer;
pub mod disk;
mod error;
mod escape;
pub mod files;
pub mod lock;
pub mod open;
pub mod reader;
pub mod redact;
mod redaction;
pub mod repair;
pub mod replay;
pub mod tail;
mod urgency;
pub mod writer;

pub use codec::{decode, encode};
pub use error::SessionError;
pub use escape::inert;
pub use files::{SessionFiles, session_id};
pub use open::{ResumedSession, Session, SessionPlace, create, fork, resume, resume_read};
pub use reader::{Log, LogFault, proven, read};
pub use redact::redact;
pub use redaction::Redaction;
pub use repair::repair;
pub use tail::{Feed, Item, Tail};
pub use writer::{DiskFault, Durable, Mode, SessionWriter};

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

impl Record {
    /// Spells an event as its line; a key of a provider that is in it goes from both.
    ///
    /// # Errors
    /// As [`encode`].
    pub fn new(event: Event) -> Result<Record, SessionError> {
        codec::record(event)
    }
}
