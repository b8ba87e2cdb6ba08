//! The full screen of colloquium, a crate of its own because it is built in parallel with others.

pub use colloquium_core::*;

pub mod ui;
