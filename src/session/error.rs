//! The one list of ways in which reading or writing a session goes wrong.

use std::io;
use std::path::PathBuf;

/// Why a line could not be spelled or read, or a session not opened, made or mended.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The data of an event could not be written so that it can be read again.
    #[error("the data of `{kind}` has no spelling that could be read again")]
    Unspeakable {
        /// The kind of the event.
        kind: String,
        /// What the writer of JSON said.
        source: serde_json::Error,
    },
    /// A line is longer than [`LINE_MAX_BYTES`](super::codec::LINE_MAX_BYTES).
    #[error("a line of {bytes} bytes is longer than a line may be")]
    LineTooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// The bytes of a line do not match its checksum, or have none.
    #[error("the line's checksum does not hold")]
    Checksum,
    /// The checksum holds, but this version cannot read the line.
    #[error("the line cannot be read by this version")]
    Shape(#[source] serde_json::Error),
    /// The file system refused.
    #[error("could not {deed} {}", path.display())]
    Io {
        /// What was tried, as a verb.
        deed: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SessionError {
    /// Returns a maker of [`SessionError::Io`] for `map_err`.
    pub(super) fn io(
        deed: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> SessionError {
        let path = path.into();
        move |source| SessionError::Io { deed, path, source }
    }
}
