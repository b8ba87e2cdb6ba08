//! The end of a conversation in words, with everything that is lost. Screen, text, exports, pages and programs all use
//! these words.

use super::narrated::utterances;
use crate::analysis::{name, outcome};
use crate::model::payload::Ended;
use crate::model::{SeatId, StopReason, Text};
use crate::state::State;

/// Describes what is lost, one entry for each loss: `without Bob (failed 3 times)`.
pub fn losses(state: &State) -> Vec<String> {
    let result = state.losses().result.map(|why| why.to_string());
    lost_parts(state, "without ").into_iter().map(|(_, part)| part).chain(result).collect()
}

/// Describes what is lost besides the result, with a word before everything that is absent. The flag is false for failures
/// of somebody who was heard nevertheless.
pub(super) fn lost_parts(state: &State, without: &str) -> Vec<(bool, String)> {
    let lost = state.losses();
    let times = |n: u32| match n {
        1 => "failed once".to_owned(),
        2 => "failed twice".to_owned(),
        n => format!("failed {n} times"),
    };
    let seats = lost.seats.iter().map(|lost| {
        let (who, failed) = (name(state, &lost.seat), times(lost.failures));
        if lost.spoke {
            (false, format!("{who} {failed}"))
        } else {
            (true, format!("{without}{who} ({failed})"))
        }
    });
    let broken = broken(state).map(|broken| (false, broken));
    let unvoted: Vec<String> = lost.unvoted.iter().map(|id| name(state, id)).collect();
    let unvoted =
        (!unvoted.is_empty()).then(|| format!("{without}a vote of {}", unvoted.join(", ")));
    let steps = lost.steps.map(|steps| format!("steps: {steps}"));
    seats.chain(broken).chain(unvoted.into_iter().chain(steps).map(|part| (true, part))).collect()
}

/// Describes the replies whose call failed after their first words; `None` without any.
pub fn broken(state: &State) -> Option<String> {
    match state.losses().broken {
        0 => None,
        1 => Some("1 reply failed mid-sentence".to_owned()),
        n => Some(format!("{n} replies failed mid-sentence")),
    }
}

/// Person to whom a conversation is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hearer {
    /// The operator, called `you`.
    #[default]
    Operator,
    /// Somebody else, who hears of `the host`.
    Other,
}

impl Hearer {
    /// Returns the word for the operator.
    pub fn operator(self) -> &'static str {
        match self {
            Hearer::Operator => "you",
            Hearer::Other => "the host",
        }
    }
}

/// Returns an end followed by everything that is lost; a failure says it by itself.
fn with_losses(how: Option<String>, state: &State, e: &Ended) -> String {
    let losses = if e.reason.is_failure() { vec![] } else { losses(state) };
    how.into_iter().chain(losses).collect::<Vec<_>>().join(", ")
}

/// Describes the end of a conversation after its turns: `9 turns, without Bob (failed 3 times)`. Only an end without
/// losses is as planned.
pub fn conclusion(state: &State, e: &Ended, hearer: Hearer) -> String {
    let turns = utterances(state.utterances);
    if !e.reason.is_length() {
        let how = ending(state, e, hearer);
        return with_losses(Some(how.trim_end_matches('.').to_owned()), state, e);
    }
    match with_losses(None, state, e) {
        losses if losses.is_empty() => format!("{turns}, as planned"),
        losses => format!("{turns}, {losses}"),
    }
}

/// Describes the end of a conversation where its turns are told already: `finished as planned`.
pub fn how_it_ended(state: &State, e: &Ended, hearer: Hearer) -> String {
    let cause = e.text.iter().map(|text| format!(": {text}")).collect::<String>();
    let how = ended(e.reason, hearer) + &cause;
    let is_lossy = e.reason.is_length() && !state.losses().is_empty();
    with_losses((!is_lossy).then_some(how), state, e)
}

/// Describes the end of a conversation with its cause: who won, who said the stop word.
pub fn ending(state: &State, e: &Ended, hearer: Hearer) -> String {
    let said = |text: &Text| {
        let (seat, word) = text.split_once(": ")?;
        let human = state.seat(seat).is_some_and(|seat| seat.spec.voice.is_operators());
        let who = if human { hearer.operator().into() } else { name(state, &SeatId(seat.into())) };
        Some(format!("finished: {who} said {word}"))
    };
    let told = match e.reason {
        StopReason::Verdict => outcome(state, None).map(|outcome| format!("finished: {outcome}")),
        StopReason::StopWord => e.text.as_ref().and_then(said),
        _ => None,
    };
    told.unwrap_or_else(|| {
        let why = e.text.iter().map(|t| format!(": {t}")).collect::<String>();
        format!("{}{why}", ended(e.reason, hearer))
    })
}

/// Returns a stop reason as text: `as planned`.
pub fn reason(reason: StopReason) -> String {
    reason.words()
}

/// Describes an end in a list of sessions: `as planned`. An end that lacks something is `incomplete`.
pub fn listed(why: StopReason, lossy: bool) -> String {
    match (lossy, why.is_length()) {
        (false, _) => reason(why),
        (true, true) => "incomplete".into(),
        (true, false) => format!("{}, incomplete", reason(why)),
    }
}

/// Returns the end of a conversation as text. Distinguishes normal ends from limits, errors and the operator:
/// `finished: verdict`, `stopped at the time limit`.
pub fn ended(why: StopReason, hearer: Hearer) -> String {
    match why {
        StopReason::Completed => "finished".into(),
        StopReason::Operator => format!("ended by {}", hearer.operator()),
        StopReason::Signal => "interrupted".into(),
        StopReason::Failure => "failed".into(),
        StopReason::Starved => "failed: somebody could not speak".into(),
        StopReason::Loop => "stopped: the conversation went in circles".into(),
        length if length.is_length() => "finished as planned".into(),
        settled if settled.settled() => format!("finished: {}", reason(why)),
        _ => format!("stopped at the {}", reason(why)),
    }
}
