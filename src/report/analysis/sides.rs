//! Names of the sides of a verdict, in place of the labels that its judges knew.

use super::name;
use crate::model::{Judgement, Text, VerdictGiven};
use crate::state::State;

/// Beginning of the labels of sides in a swap test; a number follows.
const LABEL: &str = "Side ";

/// Returns the index of the seat that a side names by id, name or role; `None` unless exactly one matches.
pub fn seat_of_side(state: &State, side: &str) -> Option<usize> {
    let is = |name: &str| name.eq_ignore_ascii_case(side);
    let mut fits = state.seats.iter().enumerate().filter(|(_, seat)| {
        let spec = &seat.spec;
        is(&spec.id) || is(&spec.name) || spec.role.as_deref().is_some_and(is)
    });
    let place = fits.next().map(|(place, _)| place);
    if fits.next().is_none() { place } else { None }
}

/// Returns the name of a side: that of its participant if it names exactly one, otherwise its own.
pub fn name_of_side(state: &State, side: &str) -> String {
    let seat = seat_of_side(state, side).and_then(|place| state.seats.get(place));
    seat.map_or_else(|| side.to_owned(), |seat| name(state, &seat.spec.id))
}

/// Returns a text of a judge with the names of the sides in place of their labels.
pub fn with_names(
    state: &State,
    verdict: &VerdictGiven,
    judgement: &Judgement,
    text: &str,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(LABEL) {
        let (before, after) = rest.split_at(at);
        let digits = &after[LABEL.len()..];
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let side = digits[..end].parse().ok().and_then(|n| labelled(verdict, judgement, n));
        out.push_str(before);
        match side {
            Some(side) => out.push_str(&name_of_side(state, side)),
            None => out.push_str(&after[..LABEL.len() + end]),
        }
        rest = &digits[end..];
    }
    out + rest
}

/// Returns the side with a number, counted from 1 in the order of the judge.
fn labelled<'v>(
    verdict: &'v VerdictGiven,
    judgement: &Judgement,
    number: usize,
) -> Option<&'v Text> {
    let place = if judgement.swapped {
        verdict.sides.len().checked_sub(number)?
    } else {
        number.checked_sub(1)?
    };
    verdict.sides.get(place)
}

/// Returns the turns that decided a debate, each with its speaker: `#5 Nadia, #6 Florian`.
pub fn deciding_turns(state: &State, judgement: &Judgement) -> String {
    let turns = judgement.decided_by.iter().map(|number| {
        let entry = state.entries.iter().find(|entry| entry.number == Some(*number));
        let speaker = entry.and_then(|entry| entry.seat()).map(|seat| name(state, seat));
        speaker.map_or_else(|| format!("#{number}"), |speaker| format!("#{number} {speaker}"))
    });
    turns.collect::<Vec<_>>().join(", ")
}
