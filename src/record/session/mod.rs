//! The log on disk: one append-only file of lines, the source of all other data.
//!
//! [`codec`] serialises and parses a line, [`writer`] is the thread that owns the file, [`reader`] reads a file and
//! reports its faults, [`open`] continues one, [`repair()`] repairs one into a new file, [`tail`] lets readers follow
//! events, and [`replay`] feeds a tail from a recording. The module does not know the meaning of the events: no fold,
//! no policy, no screen. It never edits in place and never shortens a file without a copy of the cut bytes.
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod archive;
mod blobs;
pub mod codec;
mod committer;
mod create;
pub mod disk;
mod error;
pub mod files;
mod finished;
mod follow;
mod lines;
pub mod lock;
pub mod open;
mod progress;
mod queue;
pub mod reader;
mod records;
pub mod redact;
mod redaction;
mod renaming;
pub mod repair;
pub mod replay;
mod scanner;
pub mod tail;
pub mod writer;

pub use archive::Archive;
pub use codec::{FORMAT, Record, decode, encode, inert};
pub use error::{LogFault, SessionError};
pub use files::{SessionFiles, session_id};
pub use finished::{Finished, PieceFilter};
pub use follow::Follower;
pub use lock::{holder, inherit, may_change, refuse_changes};
pub use open::{ResumedSession, Session, SessionPlace, create, fork, resume, resume_read};
pub use progress::ReadProgress;
pub use reader::{Log, Survey, ends, fold, load, proven, read};
pub use records::{EachRecord, Records};
pub use redact::{preview, redact};
pub use redaction::{PieceMatches, Rebuilding, Redaction};
pub use renaming::Renaming;
pub use repair::repair;
pub use scanner::{Found, Want};
pub use tail::{Feed, Item, Tail};
pub use writer::{DiskFault, Durable, Mode, SessionWriter};
