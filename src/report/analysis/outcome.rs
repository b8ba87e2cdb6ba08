//! The outcome of a conversation in a few words.

use super::{Standing, name_of_side};
use crate::model::VerdictGiven;
use crate::state::{State, Swing};

/// Describes the outcome: the winner of the last verdict, the swing between two polls, or the agreement. `None` if it is not
/// known.
pub fn outcome(state: &State, standing: Option<&Standing>) -> Option<String> {
    match (&state.verdict, state.swing()) {
        (Some((verdict, _)), _) if !verdict.interim => Some(winner(state, verdict)),
        (_, Some(swing)) => Some(gained(&swing)),
        _ => standing?.agreement(),
    }
}

/// Describes a swing: `"for" gains 2 votes`.
fn gained(swing: &Swing<'_>) -> String {
    let gain = |winner| swing.gains.iter().find(|(option, _)| *option == winner);
    match swing.winner.and_then(gain) {
        Some((option, 1)) => format!("\"{option}\" gains 1 vote"),
        Some((option, gain)) => format!("\"{option}\" gains {gain} votes"),
        None => "no side gained more votes".to_owned(),
    }
}

/// Describes a verdict: `Nadia wins 8 to 7`.
fn winner(state: &State, verdict: &VerdictGiven) -> String {
    let Some(winner) = &verdict.winner else { return "no winner".into() };
    let score = |side| verdict.scores.get(side).copied();
    let others = verdict.sides.iter().filter(|side| *side != winner).filter_map(score);
    let best =
        others.fold(None, |best: Option<f64>, score| Some(best.map_or(score, |b| b.max(score))));
    let by = match (score(winner), best) {
        (Some(own), Some(best)) if own > best => format!(" {own} to {best}"),
        _ => String::new(),
    };
    format!("{} wins{by}", name_of_side(state, winner))
}
