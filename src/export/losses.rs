//! The end of a conversation in words, with everything that is lost. Screen, text, exports, pages and programs all use
//! these words.

use super::narrate::{ended, ending};
use super::narrated::utterances;
use crate::analysis::name;
use crate::model::payload::Ended;
use crate::state::State;

/// Describes what is lost, one entry for each loss: `without Bob (failed 3 times)`.
pub fn losses(state: &State) -> Vec<String> {
    let lost = state.losses();
    let times = |n: u32| match n {
        1 => "failed once".to_owned(),
        2 => "failed twice".to_owned(),
        n => format!("failed {n} times"),
    };
    let seats = lost.seats.iter().map(|lost| {
        let (who, failed) = (name(state, &lost.seat), times(lost.failures));
        if lost.spoke { format!("{who} {failed}") } else { format!("without {who} ({failed})") }
    });
    let unvoted: Vec<String> = lost.unvoted.iter().map(|id| name(state, id)).collect();
    let unvoted =
        (!unvoted.is_empty()).then(|| format!("without a vote of {}", unvoted.join(", ")));
    let steps = lost.steps.map(|steps| format!("steps: {steps}"));
    let result = lost.result.map(|why| why.to_string());
    seats.chain(unvoted).chain(steps).chain(result).collect()
}

/// Returns an end followed by everything that is lost; a failure says it by itself.
fn with_losses(how: Option<String>, state: &State, e: &Ended) -> String {
    let losses = if e.reason.is_failure() { vec![] } else { losses(state) };
    how.into_iter().chain(losses).collect::<Vec<_>>().join(", ")
}

/// Describes the end of a conversation after its turns: `9 turns, without Bob (failed 3 times)`. Only an end without
/// losses is as planned.
pub fn conclusion(state: &State, e: &Ended) -> String {
    let turns = utterances(state.utterances);
    if !e.reason.is_length() {
        let how = ending(state, e);
        return with_losses(Some(how.trim_end_matches('.').to_owned()), state, e);
    }
    match with_losses(None, state, e) {
        losses if losses.is_empty() => format!("{turns}, as planned"),
        losses => format!("{turns}, {losses}"),
    }
}

/// Describes the end of a conversation where its turns are told already: `finished as planned`.
pub fn how_it_ended(state: &State, e: &Ended) -> String {
    let cause = e.text.iter().map(|text| format!(": {text}")).collect::<String>();
    let how = ended(e.reason) + &cause;
    let is_lossy = e.reason.is_length() && !state.losses().is_empty();
    with_losses((!is_lossy).then_some(how), state, e)
}
