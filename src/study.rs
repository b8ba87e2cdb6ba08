//! Scripted tests and batches of colloquium.

pub use colloquium_core::*;

pub mod batch;
pub mod testing;
