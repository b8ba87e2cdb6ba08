//! Summary of one session in a list.

use crate::model::{StopReason, Wall};
use std::path::PathBuf;

/// Status of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionStatus {
    /// A program writes it, with its process id if known.
    Running(Option<u32>),
    /// A program writes it and takes clients.
    Live {
        /// Process id of the program.
        pid: u32,
        /// Current activity of the conversation, in words.
        doing: String,
    },
    /// Stopped before its end; it can be resumed.
    Unfinished,
    /// Stopped in the middle of a line; everything before is intact, and it can be resumed.
    Recovered,
    /// Ended, for this reason.
    Ended(StopReason),
    /// Readable in part; it needs a repair before it can continue. Contains the first fault.
    Damaged(String),
    /// Written by a newer program.
    Newer,
    /// Unreadable, with the reason.
    Unreadable(String),
}

/// Summary of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// Id: the name of its file without the suffix.
    pub id: String,
    /// Path of its log.
    pub path: PathBuf,
    /// Latest title, untrusted.
    pub title: String,
    /// Status of the session.
    pub standing: SessionStatus,
    /// Number of turns that count.
    pub utterances: u32,
    /// Names of the participants, untrusted.
    pub cast: Vec<String>,
    /// Beginning of the last public turn, untrusted; empty before the first.
    pub last: String,
    /// Last parent session, and the turn after which it branched off.
    pub parent: Option<(String, u32)>,
    /// Time of the last write.
    pub written: Wall,
}
