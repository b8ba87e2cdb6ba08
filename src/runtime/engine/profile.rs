//! Consequences of a person's profile: recording it, entering a stage, ranking the catalogue.
//!
//! Stages and rankings are computed when no turn runs, so that seats that speak at the same time see the same.

use super::drafts::warn_once;
use crate::expr::{Condition, ExprError, Facts, unset_keys};
use crate::model::event::ENGINE;
use crate::model::profile::merge;
use crate::model::{
    Draft, RankedBecause, RankedItem, RankingMade, StageEntered, Text, ThreadId, draft,
};
use crate::reply::ReadReply;
use crate::scenario::RankingSpec;
use crate::state::{State, Turn};
use crate::text;
use serde_json::{Map, Value, json};

/// Maximum score of an item.
const SCORE_MAX: f64 = 100.0;

/// Returns the next event about the profile, if one is due.
pub(super) fn next(state: &State) -> Option<Draft> {
    let noted = |kind| Some(draft(ThreadId::ROOT, ENGINE, kind));
    if let Some(updated) = state.unrecorded_profile() {
        return noted(updated.into());
    }
    if state.scenario.stages.is_empty() && state.scenario.ranking.is_none() || !state.is_quiet() {
        return None;
    }
    if let Some(told) = unset(state) {
        return Some(told);
    }
    let stage = match stage(state) {
        Ok(stage) => stage.map(Into::into),
        Err(why) => return warn_once(state, why.into()).or_else(|| ranking(state)),
    };
    stage.map_or_else(|| ranking(state), noted)
}

/// Warns once about each condition of a stage or ranking that reads a key which is not set after the first turn.
fn unset(state: &State) -> Option<Draft> {
    state.last.as_ref()?;
    let stages = state.scenario.stages.iter();
    let stages = stages
        .filter_map(|stage| Some((format!("[[stage]] {}", stage.name), stage.when.as_ref()?)));
    let ranking = state.scenario.ranking.iter().flat_map(|ranking| {
        let when = ranking.when.as_ref().map(|when| ("[ranking] when".to_owned(), when));
        let asked = ranking.asked.as_ref().map(|asked| ("[ranking] asked".to_owned(), asked));
        when.into_iter().chain(asked)
    });
    stages.chain(ranking).find_map(|(place, when)| {
        let facts = Facts::new(state.facts(|name| when.contains(name)));
        let text = format!("{place}: \"{when}\": {}", unset_keys(when, &facts)?);
        warn_once(state, text.into())
    })
}

/// Returns true if a condition holds; the error is the text of a warning.
fn holds(state: &State, when: &str, place: &str) -> Result<bool, String> {
    let told = |fault: ExprError| {
        format!("{place}: \"{when}\", {}: {fault}; it does not hold", fault.place(when))
    };
    let condition = Condition::compile(when).map_err(told)?;
    condition.holds(&Facts::new(state.facts(|name| condition.uses(name)))).map_err(told)
}

/// Returns the stage if it differs from the recorded one, or if a reply claims another one.
fn stage(state: &State) -> Result<Option<StageEntered>, String> {
    let spec = &state.scenario.stages;
    let mut found = None;
    for stage in spec {
        let place = || format!("[[stage]] {}", stage.name);
        if stage.when.as_ref().map_or(Ok(true), |when| holds(state, when, &place()))? {
            found = Some(stage.name.clone());
            break;
        }
    }
    let fields = &state.scenario.profile.fields;
    let knows = |field: &&Text| state.known.profile.contains_key(&***field);
    let claimed =
        state.claimed_stage().map(Text::from).filter(|claimed| found.as_ref() != Some(claimed));
    let known = if fields.is_empty() {
        state.known.profile.len()
    } else {
        fields.iter().filter(knows).count()
    };
    let entered = StageEntered {
        stage: found,
        known: known as u32,
        of: fields.len() as u32,
        claimed: if spec.is_empty() { None } else { claimed },
    };
    let noted = &state.known.stage;
    let changed = (&entered.stage, &entered.claimed) != (&noted.stage, &noted.claimed);
    Ok(changed.then_some(entered))
}

/// Returns the ranking if it is due and was not made from the current profile yet.
fn ranking(state: &State) -> Option<Draft> {
    let spec = state.scenario.ranking.as_ref()?;
    if state.known.ranking().is_some() || state.known.profile.is_empty() {
        return None;
    }
    let due = |when: &Option<Text>, key: &str| match when {
        Some(when) => holds(state, when, &format!("[ranking] {key}")),
        None => Ok(false),
    };
    let because = match (due(&spec.when, "when"), due(&spec.asked, "asked")) {
        (Err(why), _) | (_, Err(why)) if warn_once(state, why.clone().into()).is_some() => {
            return warn_once(state, why.into());
        }
        (Ok(true), _) => RankedBecause::Condition,
        (_, Ok(true)) => RankedBecause::Asked,
        _ if spec.when.is_none() && spec.asked.is_none() => RankedBecause::Condition,
        _ => return None,
    };
    match ranked(state, spec, because) {
        Ok(made) => Some(draft(ThreadId::ROOT, ENGINE, made.into())),
        Err(why) => warn_once(state, why.into()),
    }
}

/// Returns the reason for rejecting a reply that names an item which the filters leave out, given the facts in the same
/// reply. Items that the person has just named may be answered about.
pub(super) fn named_in_vain(state: &State, turn: &Turn, form: &ReadReply) -> Option<String> {
    let spec = state.scenario.ranking.as_ref()?;
    let contract = state.contract_of(turn);
    if !contract.keep {
        return None;
    }
    let says = form.text.as_deref()?;
    let mut profile = (*state.known.profile).clone();
    merge(&mut profile, &contract.facts_in(&form.structured)?);
    let (items, left_out) = evaluate(state, spec, &profile).ok()?;
    let person = state.said_by_person().map_or("", |entry| entry.text());
    let is_named = |item: &&LeftOut<'_>| {
        text::contains_name(says, item.name) && !text::contains_name(person, item.name)
    };
    let LeftOut { filter, name } = left_out.iter().find(is_named)?;
    let names: Vec<&str> = items.iter().map(|item| &*item.name).collect();
    Some(format!(
        "it names {name}, which the filter `{filter}` leaves out; the ranking is now: {}",
        names.join(", ")
    ))
}

/// Ranks the items of the catalogue.
fn ranked(
    state: &State,
    spec: &RankingSpec,
    because: RankedBecause,
) -> Result<RankingMade, String> {
    let (items, excluded) = evaluate(state, spec, &state.known.profile)?;
    let mut left_out = Map::new();
    for LeftOut { filter, .. } in excluded {
        let so_far = left_out.get(&**filter).and_then(Value::as_u64).unwrap_or(0);
        left_out.insert(filter.to_string(), (so_far + 1).into());
    }
    Ok(RankingMade { because, items, left_out })
}

/// An item that a filter leaves out.
struct LeftOut<'a> {
    filter: &'a Text,
    name: &'a Text,
}

/// Returns the best items for a profile, and the items that a filter leaves out.
fn evaluate<'a>(
    state: &State,
    spec: &'a RankingSpec,
    profile: &Map<String, Value>,
) -> Result<(Vec<RankedItem>, Vec<LeftOut<'a>>), String> {
    let told = |place: String, when: &str, fault: &ExprError| {
        format!("[ranking] {place}: \"{when}\", {}: {fault}; nothing is ranked", fault.place(when))
    };
    let compiled = |place: String, when: &Text| {
        Condition::compile(when).map_err(|fault| told(place, when, &fault))
    };
    let filters = spec
        .filters
        .iter()
        .map(|(name, when)| Ok((name, when, compiled(format!("filter {name}"), when)?)));
    let filters: Vec<(&Text, &Text, Condition)> = filters.collect::<Result<_, String>>()?;
    let scores = spec.scores.iter().map(|(name, weight, when)| {
        Ok((name, *weight, when, compiled(format!("score {name}"), when)?))
    });
    let scores: Vec<(&Text, f64, &Text, Condition)> = scores.collect::<Result<_, String>>()?;
    let known = json!({
        "profile": profile,
        "fields": state.scenario.profile.fields,
        "stage": state.known.stage.stage,
    });
    let mut left_out = vec![];
    let mut items: Vec<RankedItem> = vec![];
    'items: for (id, name, item) in &spec.items {
        let mut facts = known.clone();
        facts["item"] = item.clone();
        let facts = Facts::new(facts);
        for (filter, when, condition) in &filters {
            let holds = condition
                .value(&facts)
                .map_err(|fault| told(format!("filter {filter}, {id}"), when, &fault))?;
            if share(&holds) == 0.0 {
                left_out.push(LeftOut { filter, name });
                continue 'items;
            }
        }
        let mut parts: Vec<(Text, f64)> = vec![];
        for (score, weight, when, condition) in &scores {
            let holds = condition
                .value(&facts)
                .map_err(|fault| told(format!("score {score}, {id}"), when, &fault))?;
            parts.push(((*score).clone(), tenths(weight * share(&holds))));
        }
        let sum: f64 = parts.iter().map(|(_, given)| given).sum();
        let score = tenths(sum.clamp(0.0, SCORE_MAX));
        items.push(RankedItem { id: id.clone(), name: name.clone(), score, parts });
    }
    // the sort is stable: equal scores keep the order of the file
    items.sort_by(|a, b| b.score.total_cmp(&a.score));
    items.truncate(spec.top as usize);
    Ok((items, left_out))
}

/// Returns the share of a weight that counts: true and non-empty values count in full, a number as a share from 0 to 1.
fn share(value: &Value) -> f64 {
    match value {
        Value::Bool(holds) => f64::from(u8::from(*holds)),
        Value::Number(number) => number.as_f64().unwrap_or(0.0).clamp(0.0, 1.0),
        Value::Null => 0.0,
        Value::String(text) => f64::from(u8::from(!text.is_empty())),
        Value::Array(list) => f64::from(u8::from(!list.is_empty())),
        Value::Object(map) => f64::from(u8::from(!map.is_empty())),
    }
}

/// Rounds to one decimal.
fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
