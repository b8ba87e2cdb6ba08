//! Full screen and text mode.

pub use colloquium_report::*;
pub use colloquium_runtime::*;

pub mod ui;
