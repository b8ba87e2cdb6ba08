//! The outcome at the end of a transcript: the cards after the last message, or the final message of a plan or of a
//! search for one answer.

use crate::state::State;
use crate::ui::view::board;
use crate::ui::view::floor::Status;
use crate::ui::view::transcript::{Aside, RowView, Transcript};
use std::ops::RangeInclusive;

/// Returns whether a conversation has ended as planned, or by a decision.
pub fn is_over(state: &State) -> bool {
    matches!(Status::from_state(state), Status::Reached | Status::Done)
}

/// Returns the indices of the first and the last row of the outcome; `None` while the conversation goes on, and without
/// an outcome.
pub fn rows(transcript: &Transcript) -> Option<RangeInclusive<usize>> {
    let over = is_over(transcript.state());
    let mut found: Option<RangeInclusive<usize>> = None;
    let mut has_result = false;
    for at in (0..transcript.len()).rev() {
        let is_card = match (transcript.shown(at)?, transcript.aside(at)) {
            (RowView::Speaking(_), _) => return None,
            (RowView::Words(..), _) => {
                found = found
                    .or_else(|| (over && board::current(transcript).is_some()).then_some(at..=at));
                break;
            }
            (RowView::Aside(..), Aside::Vote(_) | Aside::Verdict(_)) => true,
            (RowView::Aside(..), Aside::Result(_)) => {
                has_result = true;
                true
            }
            (RowView::Aside(..), _) => false,
        };
        if is_card {
            found = Some(at..=found.map_or(at, |rows| *rows.end()));
        }
    }
    if over || has_result { found } else { None }
}
