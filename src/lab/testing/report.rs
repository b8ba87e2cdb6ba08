//! Reports of all tests, in formats for people and machines.

mod details;
mod json;
mod junit;
mod tap;
mod text;

pub use details::count;
pub use text::{line, summary};

use super::record::TestRecord;

/// A report format.
pub struct Format {
    /// Name, as in `--format`.
    pub name: &'static str,
    /// Renders records in this format.
    pub spell: fn(&[TestRecord]) -> String,
}

/// All formats; the first is for people.
pub const FORMATS: &[Format] = &[
    Format { name: "text", spell: text::spell },
    Format { name: "tap", spell: tap::spell },
    Format { name: "junit", spell: junit::spell },
    Format { name: "json", spell: json::spell },
];
