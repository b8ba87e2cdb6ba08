//! The age and the status of a session, in a few cells.

use crate::catalogue::SessionStatus;
use crate::export::listed;
use crate::model::Wall;
use crate::text;

/// Milliseconds in a minute.
const MINUTE_MS: i64 = 60_000;

/// Returns the age of a time, in the largest unit that fits.
pub fn ago(now: Wall, then: Wall) -> String {
    let minutes = (now.0 - then.0).max(0) / MINUTE_MS;
    match (minutes, minutes / 60, minutes / (24 * 60)) {
        (0, ..) => "now".into(),
        (m, 0, _) => format!("{m}m"),
        (_, h, 0) => format!("{h}h"),
        (.., d) => format!("{d}d"),
    }
}

/// Returns the status of a session as text.
pub fn status_text(standing: &SessionStatus) -> String {
    match standing {
        SessionStatus::Running(_) => "running elsewhere".into(),
        SessionStatus::Live { doing, .. } => text::line(doing).into_owned(),
        SessionStatus::Unfinished => "unfinished".into(),
        SessionStatus::Recovered => "recovered".into(),
        SessionStatus::Ended { reason, lossy } => listed(*reason, *lossy),
        SessionStatus::Damaged(_) => "damaged".into(),
        SessionStatus::Newer => "newer version".into(),
        SessionStatus::Unreadable(_) => "unreadable".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_fits() {
        let now = Wall(10 * 24 * 60 * MINUTE_MS);
        for (minutes, words) in [(0, "now"), (59, "59m"), (60, "1h"), (24 * 60, "1d"), (-5, "now")]
        {
            assert_eq!(ago(now, Wall(now.0 - minutes * MINUTE_MS)), words);
        }
    }
}
