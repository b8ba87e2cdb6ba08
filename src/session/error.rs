//! All errors of reading and writing a session.

use super::fault::LogFault;
use std::io;
use std::path::PathBuf;

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
