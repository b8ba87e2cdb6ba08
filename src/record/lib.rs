//! Session files, the fold of their events, the catalogue of sessions.

pub use colloquium_config::*;

pub mod catalogue;
pub mod logged;
pub mod session;
pub mod state;
