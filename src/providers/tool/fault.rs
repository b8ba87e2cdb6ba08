//! Faults of connections to tool servers.

use crate::rpc::RpcError;
use std::fmt;
use std::time::Duration;

/// Maximum characters of a server's reason for a failure.
pub(super) const REASON_MAX: usize = 300;

/// Reason why a server gave no answer, phrased to follow the server's name.
#[derive(Debug)]
pub(super) enum LinkFault {
    /// The server itself returned the error, so that the connection can be used again.
    Refused(RpcError),
    /// A response over HTTP without an answer.
    Status(u16),
    /// The process of the server ended.
    Ended(String),
    /// Any other reason.
    Other(String),
}

impl LinkFault {
    pub(super) fn new(why: impl Into<String>) -> LinkFault {
        LinkFault::Other(why.into())
    }

    pub(super) fn late(within: Duration) -> LinkFault {
        LinkFault::new(format!("did not answer within {} s", within.as_secs()))
    }
}

impl fmt::Display for LinkFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkFault::Refused(RpcError { code, message }) => {
                let why: String = message.trim().chars().take(REASON_MAX).collect();
                write!(f, "answered with an error: {why} ({code})")
            }
            LinkFault::Status(status) => write!(f, "answered with the status {status}"),
            LinkFault::Ended(why) | LinkFault::Other(why) => f.write_str(why),
        }
    }
}

impl<E: std::error::Error> From<E> for LinkFault {
    fn from(e: E) -> LinkFault {
        LinkFault::new(e.to_string())
    }
}
