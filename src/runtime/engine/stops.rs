//! Stop rules: they end a conversation before its limits do. Checked after each new message while no turn runs.

use super::asking::Says;
use super::drafts::warn_once;
use super::goals::{accepted_offer, is_listed};
use super::judging::{self, JudgeStep};
use super::{loops, result};
use crate::expr::{Condition, Facts, unset_keys};
use crate::model::event::ENGINE;
use crate::model::payload::Paused;
use crate::model::*;
use crate::reply::line_with;
use crate::scenario::Rule;
use crate::state::{Entry, State};

/// Returns the consequence of the rules: an end, the question to the operator, or a call that a rule needs.
pub(super) fn stop(state: &State) -> Option<Draft> {
    if !state.turns.is_empty() {
        return None;
    }
    let watched = state.scenario.stops.iter().any(|stop| matches!(stop.rule, Rule::Loop {}));
    due(state).or_else(|| if watched { None } else { loops::warning(state) })
}

/// Returns the consequence of the first rule that applies.
pub(super) fn due(state: &State) -> Option<Draft> {
    let rules = (0u32..).zip(&state.scenario.stops);
    for (place, stop) in rules {
        match says(state, place, &stop.rule) {
            Says::Nothing => {}
            Says::First(draft) => return Some(*draft),
            Says::Stop(reason, text) if !stop.ask => {
                let cause = EndCause { reason, text: Some(text), rule: Some(place) };
                return result::conclude(state, cause);
            }
            Says::Stop(_, text) => {
                if let Some(asked) = ask(state, place, &stop.rule, &text) {
                    return Some(asked);
                }
            }
        }
    }
    None
}

/// Pauses and asks the operator. A rule that stays true asks once; a rule about a single utterance asks each time.
fn ask(state: &State, place: u32, rule: &Rule, text: &Text) -> Option<Draft> {
    let again = match rule {
        Rule::When(_) | Rule::Agreement(_) | Rule::Loop {} => false,
        Rule::Word { .. } | Rule::Judge { .. } => true,
    };
    let asked = state.asked.get(&place);
    let due = asked.is_none_or(|at| again && *at != state.utterances);
    due.then(|| {
        let why = Some(
            format!("time to stop? {text}; `end` ends the conversation, `resume` continues").into(),
        );
        draft(ThreadId::ROOT, ENGINE, Paused { why, rule: Some(place), ..Paused::default() }.into())
    })
}

/// Returns the breakpoints that have asked and no longer hold: they ask again once they hold again.
pub(super) fn rearmed(state: &State) -> Vec<u32> {
    let rules = (0u32..).zip(&state.scenario.stops);
    let asked = rules.filter(|(place, stop)| stop.every && state.asked.contains_key(place));
    let over =
        asked.filter(|(place, stop)| !matches!(says(state, *place, &stop.rule), Says::Stop(..)));
    over.map(|(place, _)| place).collect()
}

/// Returns whether a condition of the scenario holds; otherwise, if it may not mean what it says, the reason, to follow
/// the condition in a warning.
pub(super) fn holds(state: &State, when: &str) -> Result<bool, String> {
    let mut unset = None;
    let evaluate = |c: Condition| {
        let facts = Facts::new(state.facts_of_rules(|name| c.uses(name)));
        unset = unset_keys(when, &facts);
        c.holds(&facts)
    };
    let holds = Condition::compile(when).and_then(evaluate);
    match (holds.map_err(|fault| format!(", {}: {fault}", fault.place(when)))?, unset) {
        (false, Some(unset)) => Err(format!(": {unset}")),
        (holds, _) => Ok(holds),
    }
}

fn says(state: &State, place: u32, rule: &Rule) -> Says {
    // turns before an end that was passed have been judged already
    let fresh = |turn: TurnId| state.since.reopened.is_none_or(|seq| turn.0 > seq.0);
    let last = state.last.as_ref().filter(|last| fresh(last.turn));
    let Some(last) = last else { return Says::Nothing };
    match rule {
        Rule::Word { word, by, accepted_by } => {
            let seat = last_round(state, last.number).into_iter().find_map(|entry| {
                let earlier = entry.version().turn.is_some_and(|turn| !fresh(turn));
                if earlier || !says_word(state, entry, word) {
                    return None;
                }
                if accepted_by.is_empty() {
                    return if is_listed(by, entry) { entry.seat() } else { None };
                }
                accepted_offer(state, entry, by, accepted_by)
                    .filter(|offer| says_word(state, offer, word))?
                    .seat()
            });
            seat.map_or(Says::Nothing, |seat| {
                Says::Stop(StopReason::StopWord, format!("{seat}: {word}").into())
            })
        }
        Rule::When(when) => match holds(state, when) {
            Ok(true) => Says::Stop(StopReason::Condition, when.clone()),
            Ok(false) => Says::Nothing,
            Err(why) => {
                let warning = warn_once(state, format!("[[stop]] when = \"{when}\"{why}").into());
                warning.map_or(Says::Nothing, |draft| Says::First(draft.into()))
            }
        },
        Rule::Judge { seat, question, every } => {
            match judging::ask(state, place, seat, question, *every) {
                JudgeStep::Now(draft) => Says::First(draft),
                JudgeStep::Ruled(ruling) if ruling.yes => {
                    let why = if ruling.why.is_empty() { "yes" } else { &ruling.why };
                    Says::Stop(StopReason::Goal, format!("{seat}: {why}").into())
                }
                JudgeStep::Ruled(_) | JudgeStep::Not => Says::Nothing,
            }
        }
        Rule::Loop {} => loops::says(state),
        Rule::Agreement(share) => {
            let agreement = state.agreement();
            if agreement < *share {
                return Says::Nothing;
            }
            let percent = (agreement * 100.0).round();
            Says::Stop(StopReason::Consensus, format!("{percent} % give the same answer").into())
        }
    }
}

/// Returns the last turn, and those of the same simultaneous round before it, in order.
fn last_round(state: &State, number: Option<u32>) -> Vec<&Entry> {
    let mut numbered = state.entries.iter().rev().filter(|e| e.number.is_some());
    let Some(last) = numbered.find(|e| e.number == number) else { return vec![] };
    let mut round: Vec<&Entry> = numbered.take_while(|e| e.is_beside(last)).collect();
    round.reverse();
    round.push(last);
    round
}

/// Returns true if a turn has a line that begins with a word.
fn says_word(state: &State, entry: &Entry, word: &str) -> bool {
    let shown = entry.hidden.is_none() && entry.version().cut.is_none();
    let marked = || entry.version().turn.is_some_and(|turn| marks(state, turn, word));
    shown && (line_with(entry.text(), word).is_some() || marked())
}

/// Returns true if a marker reply had this marker, which was removed from the shown text.
fn marks(state: &State, turn: TurnId, word: &str) -> bool {
    let batches = state.threads.values().filter_map(|t| t.batch.as_ref());
    let reply = batches.flat_map(|b| &b.ended).find(|r| r.turn == turn);
    let found = reply.and_then(|r| r.structured["markers"].as_array());
    found.is_some_and(|all| all.iter().any(|m| m.as_str().is_some_and(|m| m.trim() == word)))
}
