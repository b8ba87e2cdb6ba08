//! Cached summary of a session, stored next to its log so that a thousand sessions are listed at once.
//!
//! Derived from the log; valid only for a log of the same length and modification time, and safe to delete. Lock state
//! is never cached.

use crate::model::{StopReason, Wall};
use crate::session::SessionFiles;
use crate::untrusted;
use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The cached summary.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stored {
    /// Length of the log in bytes.
    len: u64,
    /// Modification time of the log, in nanoseconds since the Unix epoch.
    modified: u128,
    /// Latest title, untrusted.
    pub title: String,
    /// Number of turns that count.
    pub utterances: u32,
    /// Names of the participants, untrusted.
    pub cast: Vec<String>,
    /// Beginning of the last public turn, untrusted.
    pub last: String,
    /// Outcome in a few words, untrusted; empty if it is not known.
    pub headline: String,
    /// Parent session, and the turn after which it branched off.
    pub parent: Option<(String, u32)>,
    pub ended: Option<StopReason>,
    /// True if something is missing at the end.
    #[serde(default)]
    pub lossy: bool,
    /// First fault of the log.
    pub damaged: Option<String>,
    /// True if a newer program wrote it.
    pub newer: bool,
    /// True if its last line is incomplete.
    #[serde(default)]
    pub torn: bool,
    /// True if its lines are rehearsed and the operator said nothing.
    #[serde(default)]
    pub is_silent: bool,
}

impl Stored {
    /// Returns the cached summary of a log in its present state.
    pub fn new(log: &Metadata, summary: &SessionSummary) -> Stored {
        let mut ended = None;
        let mut lost = false;
        let mut damaged = None;
        let mut newer = false;
        let torn = summary.standing == SessionStatus::Recovered;
        match &summary.standing {
            SessionStatus::Ended { reason, lossy } => {
                ended = Some(*reason);
                lost = *lossy;
            }
            SessionStatus::Damaged(why) => damaged = Some(why.clone()),
            SessionStatus::Newer => newer = true,
            SessionStatus::Running(_)
            | SessionStatus::Live { .. }
            | SessionStatus::Unfinished
            | SessionStatus::Recovered
            | SessionStatus::Unreadable(_) => {}
        }
        Stored {
            len: log.len(),
            modified: modified(log),
            title: summary.title.clone(),
            utterances: summary.utterances,
            cast: summary.cast.clone(),
            last: summary.last.clone(),
            headline: summary.headline.clone(),
            parent: summary.parent.clone(),
            ended,
            lossy: lost,
            damaged,
            newer,
            torn,
            is_silent: summary.is_silent,
        }
    }

    /// Reads the cached summary of a log, if it is still valid.
    pub fn read(files: &SessionFiles, log: &Metadata) -> Option<Stored> {
        let kept: Stored = serde_json::from_slice(&untrusted::read(&path(files)).ok()?).ok()?;
        (kept.len == log.len() && kept.modified == modified(log)).then_some(kept)
    }

    /// Writes the summary.
    ///
    /// # Errors
    /// If it cannot be written; without it only lists are slower.
    pub fn write(&self, files: &SessionFiles) -> io::Result<()> {
        let path = path(files);
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.persist(path)?;
        Ok(())
    }

    /// Returns the status of the session, if nobody writes it.
    pub fn status(&self) -> SessionStatus {
        match (self.newer, &self.damaged, self.ended) {
            (true, _, _) => SessionStatus::Newer,
            (_, Some(why), _) => SessionStatus::Damaged(why.clone()),
            (_, _, Some(reason)) => SessionStatus::Ended { reason, lossy: self.lossy },
            (false, None, None) if self.torn => SessionStatus::Recovered,
            (false, None, None) => SessionStatus::Unfinished,
        }
    }
}

fn path(files: &SessionFiles) -> PathBuf {
    files.log().with_file_name(format!("{}.summary", files.id()))
}

fn modified(log: &Metadata) -> u128 {
    let since = log.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| since.as_nanos())
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    #[default]
    Unfinished,
    /// Stopped in the middle of a line; everything before is intact, and it can be resumed.
    Recovered,
    Ended {
        reason: StopReason,
        /// True if participants, steps or the result are missing.
        lossy: bool,
    },
    /// Readable in part; it needs a repair before it can continue. Contains the first fault.
    Damaged(String),
    /// Written by a newer program.
    Newer,
    /// Unreadable, with the reason.
    Unreadable(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionSummary {
    /// Id: the name of its file without the suffix.
    pub id: String,
    /// Path of its log.
    pub path: PathBuf,
    /// Latest title, untrusted.
    pub title: String,
    pub standing: SessionStatus,
    /// Number of turns that count.
    pub utterances: u32,
    /// Names of the participants, untrusted.
    pub cast: Vec<String>,
    /// Beginning of the last public turn, untrusted; empty before the first.
    pub last: String,
    /// Outcome in a few words, untrusted; empty if it is not known.
    pub headline: String,
    /// Last parent session, and the turn after which it branched off.
    pub parent: Option<(String, u32)>,
    /// Time of the last write.
    pub written: Wall,
    /// True if its lines are rehearsed and the operator said nothing.
    pub is_silent: bool,
}
