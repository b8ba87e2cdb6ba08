//! When something was written, for the lists of sessions.

use crate::model::Wall;
use jiff::Timestamp;

/// Returns a moment, if it is one that can be shown.
pub fn moment(at: Wall) -> Option<Timestamp> {
    Timestamp::from_millisecond(at.0).ok()
}
