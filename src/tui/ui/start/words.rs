//! The age and the status of a session, in a few cells.

use crate::catalogue::SessionStatus;
use crate::export::listed;
use crate::model::Wall;
use crate::text;

/// Milliseconds in a minute.
const MINUTE_MS: i64 = 60_000;
/// Minutes in a day.
const DAY: i64 = 24 * 60;
/// Days of the week, from that of 1970-01-01.
const WEEK: [&str; 7] =
    ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// Returns the age of a time: in the largest unit of a day, then by the day.
pub fn ago(now: Wall, then: Wall) -> String {
    let minutes = (now.0 - then.0).max(0) / MINUTE_MS;
    match (minutes, minutes / 60, minutes / DAY) {
        (0, ..) => "now".into(),
        (m, 0, _) => format!("{m} min ago"),
        (_, h, 0) => format!("{h} h ago"),
        (.., 1) => "yesterday".into(),
        (.., days) if days < WEEK.len() as i64 => {
            let day = then.0.div_euclid(MINUTE_MS * DAY).rem_euclid(WEEK.len() as i64);
            WEEK[day as usize].into()
        }
        (.., days) => format!("{days} days ago"),
    }
}

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
        let days = [(DAY, "yesterday"), (3 * DAY, "Thursday"), (8 * DAY, "8 days ago")];
        for (minutes, words) in
            [(0, "now"), (59, "59 min ago"), (60, "1 h ago"), (-5, "now")].into_iter().chain(days)
        {
            assert_eq!(ago(now, Wall(now.0 - minutes * MINUTE_MS)), words);
        }
    }
}
