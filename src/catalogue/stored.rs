//! What a list needs of a session, kept beside its log so that a thousand of them are listed at once.
//!
//! It holds nothing that the log does not say; it counts only for a log of the same length and age, and can be deleted
//! at any time. What a lock says is never kept.

use super::summary::{SessionStatus, SessionSummary};
use crate::model::StopReason;
use crate::session::SessionFiles;
use crate::untrusted;
use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What is kept.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stored {
    /// The length of the log in bytes.
    len: u64,
    /// When it was last written, in nanoseconds since the Unix epoch.
    modified: u128,
    /// Its title as it was last, untrusted.
    pub title: String,
    /// Utterances that count.
    pub utterances: u32,
    /// The names of its participants, untrusted.
    pub cast: Vec<String>,
    /// How the last utterance that everybody heard begins, untrusted.
    pub last: String,
    /// The session it branched off, and behind which utterance.
    pub parent: Option<(String, u32)>,
    /// Why it ended.
    pub ended: Option<StopReason>,
    /// What is wrong with it.
    pub damaged: Option<String>,
    /// Whether a newer program wrote it.
    pub newer: bool,
    /// Whether it stops in the middle of a line.
    #[serde(default)]
    pub torn: bool,
}

impl Stored {
    /// Returns what is to be kept of a log that was read as it is now.
    pub fn new(log: &Metadata, summary: &SessionSummary) -> Stored {
        let (mut ended, mut damaged, mut newer) = (None, None, false);
        let torn = summary.standing == SessionStatus::Recovered;
        match &summary.standing {
            SessionStatus::Ended(reason) => ended = Some(*reason),
            SessionStatus::Damaged(why) => damaged = Some(why.clone()),
            SessionStatus::Newer => newer = true,
            SessionStatus::Running(_)
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
            parent: summary.parent.clone(),
            ended,
            damaged,
            newer,
            torn,
        }
    }

    /// Reads what is kept of a log, if the log is still the same.
    pub fn read(files: &SessionFiles, log: &Metadata) -> Option<Stored> {
        let kept: Stored = serde_json::from_slice(&untrusted::read(&path(files)).ok()?).ok()?;
        (kept.len == log.len() && kept.modified == modified(log)).then_some(kept)
    }

    /// Keeps it.
    ///
    /// # Errors
    /// When it cannot be written; a list is only slower without it.
    pub fn write(&self, files: &SessionFiles) -> io::Result<()> {
        let path = path(files);
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.persist(path)?;
        Ok(())
    }

    /// Returns where the session stands, if nobody writes it.
    pub fn standing(&self) -> SessionStatus {
        match (self.newer, &self.damaged, self.ended) {
            (true, _, _) => SessionStatus::Newer,
            (_, Some(why), _) => SessionStatus::Damaged(why.clone()),
            (_, _, Some(reason)) => SessionStatus::Ended(reason),
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
