//! Dates in session lists.

use crate::model::Wall;
use jiff::Timestamp;

/// Converts a time to a timestamp; `None` if it is out of range.
pub fn moment(at: Wall) -> Option<Timestamp> {
    Timestamp::from_millisecond(at.0).ok()
}
