//! Faults of a session file.

use crate::model::Seq;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// A fault of a session.
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
