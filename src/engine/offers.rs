//! Offers that count once the other side accepts them.

use crate::model::Text;
use crate::state::{Entry, State};

/// Returns the rest of a line that begins with a word.
pub(super) fn rest_after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(word)?;
    (!rest.starts_with(|c: char| c.is_alphanumeric())).then_some(rest)
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
