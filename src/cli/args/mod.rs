//! The options of the sub-commands.

pub mod play;
