//! What a list says of one session.

use crate::model::{StopReason, Wall};
use std::path::PathBuf;

/// Where a session stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionStatus {
    /// Somebody writes it: the process, where it is known.
    Running(Option<u32>),
    /// It was stopped before it ended, and can be resumed.
    Unfinished,
    /// It was stopped in the middle of a line; all before that is there, and it can be resumed.
    Recovered,
    /// The last event ends it, for this reason.
    Ended(StopReason),
    /// It can be read in part, and has to be repaired before it goes on; the first thing that is wrong.
    Damaged(String),
    /// A newer program wrote it.
    Newer,
    /// It cannot be read at all; why.
    Unreadable(String),
}

/// What a list shows of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// The id of the session: the name of its file without the suffix.
    pub id: String,
    /// The file of its log.
    pub path: PathBuf,
    /// Its title as it was last, untrusted.
    pub title: String,
    /// Where it stands.
    pub standing: SessionStatus,
    /// Utterances that count.
    pub utterances: u32,
    /// The names of its participants, untrusted.
    pub cast: Vec<String>,
    /// How the last utterance that everybody heard begins, untrusted; empty before the first.
    pub last: String,
    /// The session it branched off last, and behind which of its utterances.
    pub parent: Option<(String, u32)>,
    /// When its log was last written.
    pub written: Wall,
}
