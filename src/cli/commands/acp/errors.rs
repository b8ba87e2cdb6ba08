//! Failures as errors of the protocol.

use crate::cli::error::{Exit, Failure};
use crate::text;
use agent_client_protocol::{Error, ErrorCode};

/// Maximum characters of a message, which may repeat what the client sent.
const MESSAGE_MAX: usize = 2_000;

/// Returns the error of a failure.
pub fn error_of(failure: &Failure) -> Error {
    let code = match failure.code {
        Exit::Usage | Exit::Invalid => ErrorCode::INVALID_PARAMS,
        // a model is missing for want of a key, a login or a server
        Exit::NoModel => ErrorCode::AUTH_REQUIRED,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    error(code, &failure.with_hint())
}

/// Returns the error for parameters that cannot be used.
pub fn wrong(why: &str) -> Error {
    error(ErrorCode::INVALID_PARAMS, why)
}

/// Returns an error with a message for the person.
pub fn error(code: ErrorCode, why: &str) -> Error {
    let why: String = text::block(why).chars().take(MESSAGE_MAX).collect();
    Error::new(code, why)
}
