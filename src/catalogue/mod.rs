//! Past sessions.
