//! The private goals at the end of a negotiation: the agreed price and the gain of each participant. An offer counts once
//! the other side accepts it.

use crate::model::{GoalOutcome, Text};
use crate::reply::line_with;
use crate::scenario::Rule;
use crate::state::{Entry, State};
use serde_json::{Value, json};

/// Returns the result of a conversation whose participants have goals: the agreed price, and the goals.
pub(super) fn outcome(state: &State) -> Option<Value> {
    let price = price(state);
    let goals = state.seats.iter().filter_map(|seat| {
        let goal = seat.spec.goal.clone()?;
        let gain = price.and_then(|price| goal.gain(price));
        Some(GoalOutcome { participant: seat.spec.id.0.clone(), goal, gain })
    });
    let goals: Vec<GoalOutcome> = goals.collect();
    (!goals.is_empty()).then(|| json!({"price": price, "goals": goals}))
}

/// Returns the price in the last accepted offer; `None` if the last turn accepts none.
fn price(state: &State) -> Option<f64> {
    let number = state.last.as_ref()?.number;
    let last = state.entries.iter().rev().find(|e| e.number == number)?;
    state.scenario.stops.iter().find_map(|stop| match &stop.rule {
        Rule::Word { word, by, accepted_by } if !accepted_by.is_empty() => {
            line_with(last.text(), word)?;
            amount(line_with(accepted_offer(state, last, by, accepted_by)?.text(), word)?)
        }
        _ => None,
    })
}

/// Returns the first number in a text, such as `325,000` or `4.50`.
fn amount(text: &str) -> Option<f64> {
    let (begin, _) = text.char_indices().find(|(_, c)| c.is_ascii_digit())?;
    let number = text.get(begin..)?;
    let end = number.find(|c: char| !c.is_ascii_digit() && !",.'_".contains(c));
    let number = number.get(..end.unwrap_or(number.len()))?.trim_end_matches([',', '.']);
    let plain: String = number.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    plain.parse().ok()
}

/// Returns true if a turn is by one of some participants; an empty list means everybody.
pub(super) fn is_listed(seats: &[Text], entry: &Entry) -> bool {
    seats.is_empty()
        || entry.seat().is_some_and(|seat| seats.iter().any(|listed| **listed == *seat.0))
}

/// Returns the last turn of one of `by` before an answer to it, if the answer is the first turn of one of `accepted_by`
/// since.
pub(super) fn accepted_offer<'a>(
    state: &'a State,
    answer: &Entry,
    by: &[Text],
    accepted_by: &[Text],
) -> Option<&'a Entry> {
    let accepts = answer.seat()?;
    if !is_listed(accepted_by, answer) {
        return None;
    }
    let earlier = state.entries.iter().rev().filter(|e| e.number < answer.number);
    let since = earlier.filter(|e| e.number.is_some()).take_while(|e| e.seat() != Some(accepts));
    since.into_iter().find(|e| is_listed(by, e))
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn reads_the_first_number_with_its_separators() {
        for (text, expected) in [
            (" at 325,000. First of September.", Some(325_000.0)),
            (": 4.50, and no more", Some(4.5)),
            (" it is", None),
        ] {
            assert_eq!(amount(text), expected, "{text}");
        }
    }
}
