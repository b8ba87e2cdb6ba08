//! Positions between two poles: the last line of a reply states one, and the scribe of the result reads them.

use super::rule::{ConversationRule, NONE};
use crate::escape::{attribute, quoted};
use crate::model::{POLE_MAX, PositionRecorded};
use crate::state::{State, Turn};

/// Beginning of the line that states a position.
const LABEL: &str = "STANCE:";

pub(super) const RULE: ConversationRule = ConversationRule {
    label: |state, turn| {
        let reads = turn.is_none_or(|turn| state.reads_stance(turn));
        (state.poles().is_some() && reads).then_some(LABEL)
    },
    request,
    recorded,
    ..NONE
};

/// Returns the request to end with a position; `None` if the turn is not asked for one.
fn request(state: &State, turn: &Turn) -> Option<String> {
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

/// Returns the first and the last position of each participant.
fn recorded(state: &State) -> Option<String> {
    let positions = state.seats.iter().filter_map(|seat| {
        let all = state.pole_positions(seat);
        let (first, last) = (all.first()?, all.last()?);
        let word = |p: &PositionRecorded| {
            format!("\"{}\" (turn {})", quoted(&p.words), p.number.unwrap_or_default())
        };
        let moved = first.number != last.number;
        let then = if moved { format!(", at the end {}", word(last)) } else { String::new() };
        Some(format!("{}: {}{then}", attribute(&seat.spec.name), word(first)))
    });
    let positions: Vec<String> = positions.collect();
    (!positions.is_empty())
        .then(|| format!("Positions in their own words. {}.", positions.join("; ")))
}
