//! Shared by all parts of a page: escaped text, and the colour of a participant.

use crate::model::SeatId;
use crate::state::State;
use crate::text;

/// Number of seat colours of a page; further seats reuse them.
pub(super) const COLOURS: usize = 8;

/// Returns text that is safe anywhere in the page, including quoted attributes: displayable, without markup.
pub fn escaped(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in text::block(raw).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Returns the colour class of a seat.
pub(super) fn colour(state: &State, seat: &SeatId) -> String {
    let place = state.seats.iter().position(|s| s.spec.id == *seat);
    place.map_or_else(|| "op".into(), |place| format!("s{}", place % COLOURS + 1))
}
