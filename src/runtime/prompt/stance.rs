//! The request for a position between two poles, and the positions in a seat's own history.

use super::escape::{attribute, quoted};
use super::{ballot, frame};
use crate::model::{Layout, POLE_MAX, PositionRecorded, Purpose, Text};
use crate::state::{Entry, State, Turn};

/// Beginning of the line that states a position on the scale.
const LABEL: &str = "STANCE:";

/// Returns the label of the line that ends a turn's reply; `None` if it is not searched for one.
pub fn closing_label(state: &State, turn: &Turn) -> Option<&'static str> {
    state.reads_stance(turn).then_some(LABEL)
}

/// Returns the request to end with a position; `None` if the turn is not asked for one.
pub(super) fn request(state: &State, turn: &Turn) -> Option<String> {
    let [first, second] = state.poles()?;
    if !state.asks_stance(turn) {
        return None;
    }
    // a move needs an earlier position
    let moves = state.seat(&turn.seat).is_some_and(|seat| !state.pole_positions(seat).is_empty());
    let moved = if moves {
        "; if your number changed: | after #n: \"the words that moved you\""
    } else {
        ""
    };
    let since = || state.visible(turn).rev().take_while(|entry| entry.seat() != Some(&turn.seat));
    let by_host = if moves { since().find(|entry| entry.is_by_host()) } else { None };
    let number = by_host.and_then(|entry| state.number_of_host(entry));
    let host = number.map_or(String::new(), |number| format!("; #h{number} for the host"));
    Some(format!(
        "Last line, unread by the table: {LABEL} +{POLE_MAX} ({first}) to -{POLE_MAX} ({second}) | your claim, 3 to 8 \
         words{moved}{host}"
    ))
}

/// Returns the positions and the votes that the log records, for the scribe of the result; `None` for other turns.
pub(super) fn recorded(state: &State, turn: &Turn) -> Option<String> {
    if turn.purpose != Purpose::Result {
        return None;
    }
    let positions = state.seats.iter().filter_map(|seat| {
        let all = state.pole_positions(seat);
        let (first, last) = (all.first()?, all.last()?);
        let word = |p: &PositionRecorded| {
            format!("\"{}\" (turn {})", quoted(&p.words), p.number.unwrap_or_default())
        };
        let then = if first.number == last.number {
            String::new()
        } else {
            format!(", at the end {}", word(last))
        };
        Some(format!("{}: {}{then}", attribute(&seat.spec.name), word(first)))
    });
    let positions: Vec<String> = positions.collect();
    let positions = (!positions.is_empty())
        .then(|| format!("Positions in their own words. {}.", positions.join("; ")));
    let all: Vec<String> = positions.into_iter().chain(ballot::swing(state)).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

/// Returns an entry's text for a prompt: a seat reads its own turns with the position that it wrote. In the shared layout
/// all seats read the same text.
pub(super) fn with_own(state: &State, turn: &Turn, entry: &Entry, text: Text) -> Text {
    let own =
        entry.seat() == Some(&turn.seat) && turn.summarises.is_none() && !state.is_outside(turn);
    let seat = state.seat(&turn.seat).map(|seat| &*seat.spec);
    let shared = seat.is_some_and(|seat| frame::layout(state, seat) == Layout::Shared);
    match &entry.version().closing_line {
        Some(line) if own && !shared => format!("{text}\n{LABEL} {line}").into(),
        Some(_) | None => text,
    }
}
