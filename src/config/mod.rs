//! Where the user's files are and what the environment says: the only reader of environment and home.
//!
//! Everything is read once, at the start, and handed on as values; nothing here is live, and nothing here looks into
//! the files it points at.

mod environment;
mod paths;

pub use environment::Environment;
pub use paths::{Error, Paths, make_private};
