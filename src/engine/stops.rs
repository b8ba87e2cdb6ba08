//! Stop rules: what ends a conversation before its limits do, looked at when nobody speaks and something new was said.

use super::asking::Says;
use super::drafts::warn_once;
use super::judging::{self, Asked};
use super::{loops, verdict};
use crate::expr::{Condition, Facts};
use crate::model::event::ENGINE;
use crate::model::payload::Paused;
use crate::model::*;
use crate::scenario::Rule;
use crate::state::State;

/// Returns the end that a rule comes to, the question whether it should end, or what a rule needs to know.
pub(super) fn stop(state: &State) -> Option<Draft> {
    if state.scenario.stops.is_empty() || !state.turns.is_empty() {
        return None;
    }
    let places = 0u32..;
    places.zip(&state.scenario.stops).find_map(|(place, stop)| {
        match says(state, place, &stop.rule) {
            Says::Nothing => None,
            Says::First(draft) => Some(*draft),
            Says::Stop(reason, text) if !stop.ask => verdict::conclude(state, reason, Some(text)),
            Says::Stop(_, text) => ask(state, place, &stop.rule, &text),
        }
    })
}

/// Pauses and asks. A rule that goes on holding asks once; one that holds for a single utterance asks each time.
fn ask(state: &State, place: u32, rule: &Rule, text: &Text) -> Option<Draft> {
    let again = match rule {
        Rule::When(_) | Rule::Agreement(_) | Rule::Loop {} => false,
        Rule::Word { .. } | Rule::Judge { .. } => true,
    };
    let asked = state.asked.get(&place);
    let due = asked.is_none_or(|at| again && *at != state.utterances);
    due.then(|| {
        let why = Some(format!("time to stop? {text}; `end` ends it, `resume` goes on").into());
        draft(ThreadId::ROOT, ENGINE, Paused { why, rule: Some(place), ..Paused::default() }.into())
    })
}

/// Returns the breakpoints that asked and do not hold any more: when they do again, they ask again.
pub(super) fn rearmed(state: &State) -> Vec<u32> {
    let rules = (0u32..).zip(&state.scenario.stops);
    let asked = rules.filter(|(place, stop)| stop.every && state.asked.contains_key(place));
    let over = asked.filter(|(place, stop)| !matches!(says(state, *place, &stop.rule), Says::Stop(..)));
    over.map(|(place, _)| place).collect()
}

fn says(state: &State, place: u32, rule: &Rule) -> Says {
    // what was said before an end was passed has been judged
    let fresh = |turn: TurnId| state.since.reopened.is_none_or(|seq| turn.0 > seq.0);
    let last = state.last.as_ref().filter(|last| fresh(last.turn));
    let Some(last) = last else { return Says::Nothing };
    match rule {
        Rule::Word { word, by } => {
            let Some(entry) = state.entries.iter().rev().find(|e| e.number == last.number) else {
                return Says::Nothing;
            };
            let listed = by.is_empty() || by.iter().any(|b| last.seat == **b);
            let begins = |l: &str| {
                let rest = l.trim_start().strip_prefix(&**word);
                rest.is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric()))
            };
            let shown = entry.hidden.is_none() && entry.version().cut.is_none();
            let holds = listed && shown && entry.text().lines().any(begins);
            let text = || format!("{}: {word}", last.seat).into();
            if holds { Says::Stop(StopReason::StopWord, text()) } else { Says::Nothing }
        }
        Rule::When(when) => {
            let holds =
                |c: Condition| c.holds(&Facts::new(state.facts_of_rules(|name| c.uses(name))));
            match Condition::compile(when).and_then(holds) {
                Ok(true) => Says::Stop(StopReason::Condition, when.clone()),
                Ok(false) => Says::Nothing,
                Err(fault) => {
                    let place = fault.place(when);
                    let text = format!("[[stop]] when = \"{when}\", {place}: {fault}");
                    let warning = warn_once(state, text.into());
                    warning.map_or(Says::Nothing, |draft| Says::First(draft.into()))
                }
            }
        }
        Rule::Judge { seat, question, every } => {
            match judging::ask(state, place, seat, question, *every) {
                Asked::Now(draft) => Says::First(draft),
                Asked::Ruled(ruling) if ruling.yes => {
                    let why = if ruling.why.is_empty() { "yes" } else { &ruling.why };
                    Says::Stop(StopReason::Goal, format!("{seat}: {why}").into())
                }
                Asked::Ruled(_) | Asked::Not => Says::Nothing,
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
