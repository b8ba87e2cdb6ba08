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
    /// It ended.
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
    /// Its name.
    pub id: String,
    /// Its log.
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
