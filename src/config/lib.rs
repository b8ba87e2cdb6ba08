//! Scenarios and settings: files that people write.

pub use colloquium_base::*;

pub mod scenario;
pub mod settings;
