//! All errors of reading and writing a session.

use crate::model::Seq;
use std::ops::Range;
use std::path::PathBuf;
use std::{fmt, io};

/// An error of a line, or of opening, creating or repairing a session.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The data of an event could not be serialised so that it can be parsed again.
    #[error("the data of `{kind}` cannot be stored")]
    Unspeakable {
        /// Kind of the event, as in `turn.ended`.
        kind: String,
        /// Error of the JSON serialiser.
        source: serde_json::Error,
    },
    /// A line is longer than [`LINE_MAX_BYTES`](super::codec::LINE_MAX_BYTES).
    #[error("a line of {bytes} bytes is too long")]
    LineTooLong {
        /// Length of the line, in bytes.
        bytes: usize,
    },
    /// A line does not match its checksum, or has none.
    #[error("wrong checksum")]
    Checksum,
    /// The checksum is valid, but this version cannot parse the line.
    #[error("not readable by this version")]
    Shape(#[source] serde_json::Error),
    /// An error of the operating system.
    #[error("could not {action} {}", path.display())]
    Io {
        /// The failed operation, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A conversation started this process, so it may change no existing session.
    #[error("a process of a conversation cannot change one")]
    Inside,
    /// Another program writes the session.
    #[error("{} is being written by {}", path.display(), holder(*pid))]
    Locked {
        /// Path of the log.
        path: PathBuf,
        /// Process id of the writer, if it could be read.
        pid: Option<u32>,
    },
    /// The file was not written by this program.
    #[error("{} is not a session", path.display())]
    NotASession {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file is larger than [`SESSION_MAX_BYTES`](super::reader::SESSION_MAX_BYTES).
    #[error("{} is too large ({bytes} bytes)", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// Length of the file, in bytes.
        bytes: u64,
    },
    /// A line goes on beyond [`LINE_MAX_BYTES`](super::codec::LINE_MAX_BYTES) and has no end yet.
    #[error("{} has a line of {bytes} bytes that does not end", path.display())]
    Endless {
        /// The file that was opened.
        path: PathBuf,
        /// Bytes of the line so far.
        bytes: usize,
    },
    /// The session can be read, but not written.
    #[error("{} is read-only: {}", path.display(), first(faults))]
    ReadOnly {
        /// Path of the log.
        path: PathBuf,
        /// The faults that forbid writing.
        faults: Vec<LogFault>,
    },
}

fn first(faults: &[LogFault]) -> String {
    faults.iter().find(|f| f.forbids_writing()).map_or_else(String::new, LogFault::to_string)
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or("another process".into(), |pid| format!("process {pid}"))
}

impl SessionError {
    /// Returns whether the name is already in use, or another program is about to use it.
    pub(super) fn is_taken(&self) -> bool {
        match self {
            SessionError::Io { source, .. } => source.kind() == io::ErrorKind::AlreadyExists,
            other => matches!(other, SessionError::Locked { .. }),
        }
    }

    /// Returns a function for `map_err` that builds [`SessionError::Io`].
    pub(super) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> SessionError {
        let path = path.into();
        move |source| SessionError::Io { action, path, source }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogFault {
    /// Bytes between whole lines that are not a line.
    Damaged {
        /// Byte range in the file.
        bytes: Range<u64>,
    },
    /// Missing events.
    Missing {
        /// Missing numbers.
        seq: Range<u64>,
    },
    /// A whole line at the wrong place: its `seq` is taken, or far ahead; it is skipped.
    Misplaced {
        /// Byte range in the file.
        bytes: Range<u64>,
        /// `seq` of the line.
        seq: Seq,
    },
    /// A whole line that this version cannot parse; its data is kept unparsed, or it is skipped.
    Unread {
        /// Byte range in the file.
        bytes: Range<u64>,
        /// The reason, for messages.
        why: String,
    },
    /// A blob that is missing, changed or too large; a placeholder replaces it.
    Blob {
        /// `seq` of the event that refers to it.
        seq: Seq,
        /// SHA-256 of the text in hex: its file name.
        name: String,
    },
    /// The session was written by a newer program.
    Newer {
        /// Format version.
        format: u64,
    },
    /// The end of the session is in a rescue file.
    Rescue {
        /// Path of the rescue file, next to the session.
        path: PathBuf,
    },
}

impl LogFault {
    /// Returns whether the fault makes the session read-only.
    pub fn forbids_writing(&self) -> bool {
        match self {
            LogFault::Blob { .. } => false,
            LogFault::Damaged { .. }
            | LogFault::Missing { .. }
            | LogFault::Misplaced { .. }
            | LogFault::Unread { .. }
            | LogFault::Newer { .. }
            | LogFault::Rescue { .. } => true,
        }
    }
}

impl fmt::Display for LogFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogFault::Damaged { bytes } => {
                write!(f, "bytes {} to {} are damaged", bytes.start, bytes.end)
            }
            LogFault::Missing { seq } => {
                write!(f, "events {} to {} are missing", seq.start, seq.end.saturating_sub(1))
            }
            LogFault::Misplaced { bytes, seq } => {
                write!(
                    f,
                    "the line at byte {} has the number {seq}, which is out of order",
                    bytes.start
                )
            }
            LogFault::Unread { bytes, why } => {
                write!(f, "the line at byte {} cannot be read: {why}", bytes.start)
            }
            LogFault::Blob { seq, name } => {
                write!(f, "a text of event {seq} is missing or was changed: {name}")
            }
            LogFault::Newer { format } => {
                write!(f, "the file has format {format}, from a newer version")
            }
            LogFault::Rescue { path } => {
                write!(f, "the end of the session is in {}", path.display())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_is_read_only_says_why() {
        let faults = vec![LogFault::Missing { seq: 3..5 }, LogFault::Newer { format: 9 }];
        let why = faults.iter().find(|f| f.forbids_writing()).unwrap().to_string();
        let error = SessionError::ReadOnly { path: "x.jsonl".into(), faults };
        assert_eq!(error.to_string(), format!("x.jsonl is read-only: {why}"));
    }
}
