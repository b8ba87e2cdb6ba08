//! Options of the sub-commands: plain data parsed by clap.

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
