//! The outcome of a conversation in a few words.

use super::{Standing, name_of_side};
use crate::model::{VerdictGiven, VoteClosed};
use crate::state::{State, Swing};
use crate::text;

/// Describes the outcome: the winner of the last verdict, the swing between two polls, the last vote, or
/// the positions. `None` if it is not known.
pub fn outcome(state: &State, standing: Option<&Standing>) -> Option<String> {
    match (&state.verdict, state.swing()) {
        (Some((verdict, _)), _) if !verdict.interim => Some(winner(state, verdict)),
        (_, Some(swing)) => Some(gained(&swing)),
        _ => vote(state).or_else(|| standing?.summary()),
    }
}

/// Describes the outcome of a conversation of which only the state was read.
pub fn headline(state: &State) -> Option<String> {
    outcome(state, Standing::new(state).as_ref())
}

/// Describes the last vote: `trams wins 2 to 1`.
fn vote(state: &State) -> Option<String> {
    let vote = state.vote.as_ref().filter(|vote| !vote.is_compared())?;
    let Some(winner) = &vote.winner else { return Some(undecided(vote)) };
    let won = vote.counts.get(winner)?;
    let others = vote.counts.iter().filter(|(option, _)| *option != winner);
    let next = others.map(|(_, count)| *count).max().unwrap_or(0);
    Some(format!("\"{}\" wins {won} to {next}", text::label(winner)))
}

/// Describes a vote without a winner: without ballots as the count says, otherwise a tie.
pub fn undecided(vote: &VoteClosed) -> String {
    let is_empty = vote.ballots.iter().all(|ballot| ballot.choice.is_none());
    let why = text::label(without_result(&vote.how)).into_owned();
    if is_empty { format!("the vote: {why}") } else { "the vote is a tie".into() }
}

/// Returns the reason of a missing result, of which `no result: REASON` is recorded.
pub fn without_result(why: &str) -> &str {
    why.split_once(": ").map_or(why, |(_, reason)| reason)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Ballot;

    #[test]
    fn a_vote_without_ballots_is_no_tie() {
        let mut vote: VoteClosed = serde_json::from_value(serde_json::json!({
            "question": "", "options": ["a", "b"], "ballots": [], "counts": {},
            "how": "no result: all 1 abstained",
        }))
        .unwrap();
        vote.ballots = vec![Ballot::abstained("ada".into(), "")];
        assert_eq!(undecided(&vote), "the vote: all 1 abstained");
        vote.ballots[0].choice = Some("a".into());
        assert_eq!(undecided(&vote), "the vote is a tie");
    }
}
