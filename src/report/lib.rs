//! Figures, exports, imports.

pub use colloquium_record::*;

pub mod analysis;
pub mod export;
pub mod import;
