//! Templates of the scenario in prompts, filled in: personas, tasks and requests.

use super::said_to_all::at_table;
use crate::expr::{self, Facts, Template};
use crate::reply;
use crate::state::{Entry, State, Turn};
use serde_json::{Value, json};

/// Returns whether a template uses a fact.
pub type Uses<'a> = &'a dyn Fn(&str) -> bool;

/// Fills in a persona; an invalid template is used unchanged.
pub(super) fn rendered(persona: &str, state: &State, turn: &Turn) -> String {
    filled(persona, state, turn).unwrap_or_else(|_| persona.to_owned())
}

/// Fills in a persona for a turn. Macros of character cards in it are replaced.
///
/// # Errors
/// If its template is invalid.
pub(super) fn filled(persona: &str, state: &State, turn: &Turn) -> Result<String, expr::ExprError> {
    let persona = expr::translate_macros(persona);
    if !persona.contains('{') {
        return Ok(persona.into_owned());
    }
    fill(&persona, state, |uses| prompt_facts(state, turn, uses))
}

/// Fills in a template with the facts of the names that it uses. In a batch, all values that it uses have to exist.
///
/// # Errors
/// If the template is invalid, or has no value for a field.
pub(super) fn fill(
    text: &str,
    state: &State,
    facts: impl FnOnce(Uses<'_>) -> Value,
) -> Result<String, expr::ExprError> {
    let template = Template::compile(text)?;
    let template = if state.scenario.strict { template.strict() } else { template };
    let uses = |name: &str| template.names().any(|(used, _)| used == name);
    let is_constant = template.names().next().is_none();
    template.render(&Facts::new(if is_constant { json!({}) } else { facts(&uses) }))
}

/// Returns the facts of a call that a voice or a template uses, with the reading of the host's words.
pub fn turn_facts(state: &State, turn: &Turn, uses: Uses<'_>) -> Value {
    let mut facts = state.facts_of_turn(turn, uses);
    let said = facts["operator"]["said"].as_str().unwrap_or_default();
    facts["operator"]["wish"] = reply::is_wish(said, &at_table(state)).into();
    facts
}

/// Returns the facts of a template in a prompt that it uses: those of the call, the question, the visible messages, and
/// the number of rounds.
pub(super) fn prompt_facts(state: &State, turn: &Turn, uses: Uses<'_>) -> Value {
    let mut facts = turn_facts(state, turn, uses);
    let is_own = |entry: &&Entry| entry.seat() == Some(&turn.seat);
    let (own, others): (Vec<&Entry>, Vec<&Entry>) = state.visible(turn).partition(is_own);
    if facts["question"].is_null() {
        facts["question"] = state.topic_for(turn).map_or("", |topic| topic.trim()).into();
    }
    let phase = state.phase_of(turn.thread);
    let rounds = phase.and_then(|phase| phase.policy.options.get("rounds")).cloned();
    facts["rounds"] = rounds.unwrap_or(Value::Null);
    facts["own"] = own.last().map_or("", |entry| entry.text()).into();
    if uses("others") {
        facts["others"] = messages_facts(state, turn, &others);
    }
    facts
}

/// Returns messages as facts: the name or label of the author, the text, and the answer in it.
pub(super) fn messages_facts(state: &State, turn: &Turn, entries: &[&Entry]) -> Value {
    let labels = state.labels(turn);
    let place = state.heard_to(turn);
    let message = |entry: &&Entry| {
        let text = state.shown_as(entry, entry.text_at(place)?, &labels);
        let name = entry.seat().map(|id| {
            let name = || state.seat(id).map_or(id.0.clone(), |s| s.spec.name.clone());
            labels.get(id).cloned().unwrap_or_else(name)
        });
        let name = name.unwrap_or_else(|| "host".into());
        let own = entry.seat() == Some(&turn.seat);
        Some(json!({"name": name, "text": text, "answer": entry.version().answer, "own": own}))
    };
    entries.iter().filter_map(message).collect()
}
