//! The options of the sub-commands: what clap reads, as plain data that uses no other room.

pub mod format;
pub mod global;
pub mod keep;
pub mod models;
pub mod play;
pub mod run;
pub mod session;
pub mod state;
pub mod target;
pub mod tools;
