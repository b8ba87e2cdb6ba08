//! The request for a position between two poles, and the positions in a seat's own history.

use super::frame;
use crate::model::{Layout, Purpose, STANCE, STANCE_MAX, Text};
use crate::state::{Entry, State, Turn};

/// Returns the request to end with a position; `None` if the turn is not asked for one.
pub(super) fn request(state: &State, turn: &Turn) -> Option<String> {
    let [first, second] = state.poles()?;
    state.asks_stance(turn).then(|| format!(
        "Then add one last line, which nobody at the table reads: {STANCE} NUMBER | POSITION | after #TURN\n\
         NUMBER is where you are now, from +{STANCE_MAX} ({first}) to -{STANCE_MAX} ({second}); POSITION is yours in at most \
         five words; TURN is the number of the turn that moved you, left out if none did."
    ))
}

/// Returns an entry's text for a prompt: a seat reads its own turns with the position that it wrote. In the shared layout
/// all seats read the same text.
pub(super) fn with_own(state: &State, turn: &Turn, entry: &Entry, text: Text) -> Text {
    let own = entry.seat() == Some(&turn.seat)
        && turn.summarises.is_none()
        && turn.purpose != Purpose::Result;
    let seat = state.seat(&turn.seat).map(|seat| &*seat.spec);
    let shared = seat.is_some_and(|seat| frame::layout(state, seat) == Layout::Shared);
    match &entry.version().stance {
        Some(line) if own && !shared => format!("{text}\n{STANCE} {line}").into(),
        Some(_) | None => text,
    }
}
