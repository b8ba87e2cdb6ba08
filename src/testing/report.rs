//! What became of all tests, in the forms that people and machines read.

mod details;
mod json;
mod junit;
mod tap;
mod text;

pub use details::count;
pub use text::{line, summary};

use super::record::TestRecord;

/// A form of a report.
pub struct Format {
    /// Its name, as `--format` takes it.
    pub name: &'static str,
    /// How records are spelled in it.
    pub spell: fn(&[TestRecord]) -> String,
}

/// Every form; the first is for people.
pub const FORMATS: &[Format] = &[
    Format { name: "text", spell: text::spell },
    Format { name: "tap", spell: tap::spell },
    Format { name: "junit", spell: junit::spell },
    Format { name: "json", spell: json::spell },
];
