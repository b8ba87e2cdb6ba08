//! Connection failures, classified by the types in the client's error chain, not by wording.

use super::resolver::NoAddress;
use std::error::Error;
use std::io;
use thiserror::Error;

/// Reason for a request without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NetError {
    /// The address is not a valid URL.
    #[error("invalid address: {0}")]
    Address(String),
    /// The key contains characters that a header cannot carry.
    #[error("the key contains characters that cannot be sent")]
    KeySigns,
    /// A header contains characters that cannot be sent.
    #[error("the header {0} contains characters that cannot be sent")]
    Header(String),
    /// The client could not be set up.
    #[error("cannot prepare the connection: {0}")]
    Setup(String),
    /// The host name does not resolve.
    #[error("the host name was not found")]
    Dns,
    /// No server listens at the address.
    #[error("connection refused")]
    Refused,
    /// The address is unreachable.
    #[error("unreachable: {0}")]
    Unreachable(String),
    /// The connection was not open in time.
    #[error("connection timed out")]
    ConnectTimeout,
    /// No secure connection could be made.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// The answer is not HTTP.
    #[error("the response is not HTTP")]
    NotHttp,
    /// The connection ended before the answer was complete.
    #[error("connection lost: {0}")]
    Broken(String),
}

impl NetError {
    /// Converts the client's error. Its text may contain the address, so only the deepest cause is kept.
    pub(super) fn from_reqwest(error: &reqwest::Error) -> NetError {
        let chain = chain(error);
        if find::<NoAddress>(&chain).is_some() {
            return NetError::Dns;
        }
        if let Some(tls) = find::<rustls::Error>(&chain) {
            return NetError::Tls(tls.to_string());
        }
        if error.is_connect() {
            return match find::<io::Error>(&chain).map(io::Error::kind) {
                _ if error.is_timeout() => NetError::ConnectTimeout,
                Some(io::ErrorKind::ConnectionRefused) => NetError::Refused,
                Some(_) | None => NetError::Unreachable(root(error)),
            };
        }
        match find::<hyper::Error>(&chain) {
            Some(http) if http.is_parse() => NetError::NotHttp,
            Some(_) | None => NetError::Broken(root(error)),
        }
    }
}

/// Returns the text of the deepest cause.
pub(super) fn root(error: &reqwest::Error) -> String {
    chain(error).last().map(ToString::to_string).unwrap_or_default()
}

/// Returns the causes below an error, including those wrapped by an I/O error but not named as its source.
fn chain(error: &reqwest::Error) -> Vec<&(dyn Error + 'static)> {
    let mut found: Vec<&(dyn Error + 'static)> = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        found.push(cause);
        let wrapped = cause.downcast_ref::<io::Error>().and_then(|io| io.get_ref());
        next = match wrapped {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => cause.source(),
        };
    }
    found
}

fn find<'a, E: Error + 'static>(chain: &[&'a (dyn Error + 'static)]) -> Option<&'a E> {
    chain.iter().find_map(|cause| cause.downcast_ref())
}
