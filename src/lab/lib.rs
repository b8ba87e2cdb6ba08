//! Scripted tests and batches.

pub use colloquium_report::*;
pub use colloquium_runtime::*;

pub mod batch;
pub mod testing;
