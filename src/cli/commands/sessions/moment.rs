//! Dates for the lists of sessions.

use crate::model::Wall;
use jiff::Timestamp;

/// Returns a time as a timestamp; none if it is out of range.
pub fn moment(at: Wall) -> Option<Timestamp> {
    Timestamp::from_millisecond(at.0).ok()
}
