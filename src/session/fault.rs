//! The ways in which a session is not as it was written.

use crate::model::Seq;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// Something wrong with a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogFault {
    /// Bytes between whole lines that are no line.
    Damaged {
        /// Their byte range in the file.
        bytes: Range<u64>,
    },
    /// Events that the log should have and has not.
    Missing {
        /// The missing numbers.
        seq: Range<u64>,
    },
    /// A whole line that does not belong here: its place is taken, or far ahead; it is skipped.
    Misplaced {
        /// Its byte range in the file.
        bytes: Range<u64>,
        /// The `seq` that it has.
        seq: Seq,
    },
    /// A whole line that this version cannot read; its data is kept unread, or it is skipped.
    Unread {
        /// Its byte range in the file.
        bytes: Range<u64>,
        /// The reason, for people.
        why: String,
    },
    /// A text outside the log that is missing, changed or too large; a placeholder replaces it.
    Blob {
        /// The `seq` of the event that refers to it.
        seq: Seq,
        /// SHA-256 of the text in hex: the name of its file.
        name: String,
    },
    /// The session was written by a newer program.
    Newer {
        /// The format's version.
        format: u64,
    },
    /// The end of the session is in a rescue file.
    Rescue {
        /// The rescue file, beside the session.
        path: PathBuf,
    },
}

impl LogFault {
    /// Returns whether it makes the session read-only.
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
