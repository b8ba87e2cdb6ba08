//! Prompts without a frame (`frame = "none"`): the system message is the persona and each request is the task, as the
//! scenario writes them. Nothing is added: no roster, no rules, no tags, no form of the reply.
//!
//! Own messages are messages of the assistant. Each follows the request that it answered, with the messages of others
//! that were new at the time, so that the context of a seat grows as in a chat.

use super::judge;
use super::notes::notes;
use super::persona::{Uses, fill, messages_facts, prompt_facts, rendered};
use super::task::GO_ON;
use crate::escape::escape_results;
use crate::expr::ExprError;
use crate::model::{BareMessage, Ms, Prompt, Purpose, Sees, Seq, Text};
use crate::state::{Entry, State, Turn};
use crate::text::quotation;
use serde_json::Value;
use std::collections::BTreeSet;

/// A request to a seat: the turn, and the messages of others that its text may quote.
struct BareRequest<'a> {
    turn: Turn,
    others: Vec<&'a Entry>,
    /// The message of the seat before it.
    own: Option<&'a Entry>,
    /// The message that answered it, if it is over.
    answer: Option<&'a Entry>,
    /// The round, if it is over.
    round: Option<usize>,
}

/// Returns true for a prompt without a frame. Votes have one, and judgements whose request the scenario does not write.
pub(super) fn is_bare(state: &State, turn: &Turn) -> bool {
    (state.scenario.bare && turn.speaks()) || state.judge_prompt(turn).is_some()
}

/// Returns the prompt of a turn without a frame: its system message, and its requests with their answers.
pub(super) fn prompt(state: &State, turn: &Turn) -> Prompt {
    let persona = state.seat(&turn.seat).and_then(|s| s.spec.persona.clone());
    let mut bare = vec![];
    if let Some(request) = judge::request(state, turn) {
        let text = request.unwrap_or_else(|fault| fault.to_string());
        let system = persona.map(|text| rendered(&text, state, turn)).unwrap_or_default();
        bare.push(BareMessage { own: false, text: text.into() });
        return Prompt { system: system.into(), bare, ..Prompt::default() };
    }
    let requests = requests(state, turn);
    let system = state.scenario.prompt.system.clone().or(persona);
    let system = system.zip(requests.last()).map(|(text, request)| {
        let text = crate::expr::translate_macros(&text).into_owned();
        fill(&text, state, |uses| facts(state, request, uses)).unwrap_or(text)
    });
    for request in requests {
        bare.push(BareMessage { own: false, text: text_of(state, &request).into() });
        if let Some(entry) = request.answer {
            let text = entry.text_at(state.heard_to(turn)).cloned().unwrap_or_default();
            let quotes = state.checks_quotes();
            let text = if quotes { quotation::as_written(&text).into() } else { text };
            bare.push(BareMessage { own: true, text });
        }
    }
    for note in notes(state, turn) {
        bare.push(BareMessage { own: false, text: note });
    }
    if let Some(part) = &turn.part {
        bare.push(BareMessage { own: true, text: part.clone() });
        bare.push(BareMessage { own: false, text: GO_ON.into() });
    }
    if let Some(rejected) = &turn.rejected {
        bare.push(BareMessage { own: true, text: rejected.said.clone() });
        let why = || format!("This cannot be used: {}.", rejected.why).into();
        bare.push(BareMessage { own: false, text: rejected.ask.clone().unwrap_or_else(why) });
    }
    Prompt {
        system: system.unwrap_or_default().into(),
        bare,
        tools: turn.tools.iter().map(escape_results).collect(),
        ..Prompt::default()
    }
}

/// Returns the requests to a seat up to a turn: the ones answered by its visible messages, then the one of the turn.
fn requests<'a>(state: &'a State, turn: &'a Turn) -> Vec<BareRequest<'a>> {
    let mut requests = vec![];
    let mut shown: BTreeSet<Seq> = BTreeSet::new();
    let mut visible: Vec<&Entry> = state.visible(turn).collect();
    let is_own = |entry: &&Entry| entry.of.is_none() && entry.seat() == Some(&turn.seat);
    // with `last_round`, the request quotes own messages too
    let grows = state.sees(turn) != Sees::LastRound;
    let own: Vec<&Entry> = visible.iter().copied().filter(|e| grows && is_own(e)).collect();
    let mut before = None;
    for entry in own {
        let Some(past) = past_turn(entry) else { continue };
        let seen = state.shown_to(entry);
        let mut others: Vec<&Entry> =
            state.entries.iter().filter(|e| seen.contains(&e.seq) && e.seq < entry.seq).collect();
        others.retain(|e| !is_own(e) && shown.insert(e.seq));
        let beside = |e: &&Entry| e.thread == entry.thread && is_own(e) && e.seq <= entry.seq;
        let round = Some(state.entries.iter().filter(beside).count());
        let answer = Some(entry);
        requests.push(BareRequest { turn: past, others, own: before, answer, round });
        before = answer;
    }
    if !grows {
        before = visible.iter().copied().rfind(is_own);
    }
    visible.retain(|e| !(grows && is_own(e)) && shown.insert(e.seq));
    requests.push(BareRequest {
        turn: turn.clone(),
        others: visible,
        own: before,
        answer: None,
        round: None,
    });
    requests
}

/// Returns the earlier turn of a message, as it was granted.
fn past_turn(entry: &Entry) -> Option<Turn> {
    let version = entry.version();
    let at = Seq(version.turn?.0);
    let turn = Turn::granted(at, Ms(0), entry.thread, entry.seat()?.clone(), Purpose::Speak);
    Some(Turn { horizon: version.horizon, number: entry.number, ..turn })
}

/// Returns the text of a request; a template with a fault is used unchanged.
fn text_of(state: &State, request: &BareRequest<'_>) -> String {
    let checked = if request.answer.is_none() {
        state.rolls.request(&request.turn, state.next_seq)
    } else {
        None
    };
    if let Some(text) = checked {
        return text.to_string();
    }
    written(state, request).unwrap_or_else(|_| {
        let task = state.shows(&request.turn).and_then(|shows| shows.task.as_ref());
        let source = source(state, request).or(task);
        source.map_or(String::new(), ToString::to_string)
    })
}

/// Returns the template of the scenario for a request, if there is one.
fn source<'a>(state: &'a State, request: &BareRequest<'_>) -> Option<&'a Text> {
    let is_first = request.own.is_none() && request.others.is_empty();
    let templates = &state.scenario.prompt;
    if is_first { templates.first.as_ref() } else { templates.next.as_ref() }
}

/// Returns the text of a request: the template of the scenario, else the task of the phase, else the question.
fn written(state: &State, request: &BareRequest<'_>) -> Result<String, ExprError> {
    let task = state.shows(&request.turn).and_then(|shows| shows.task.as_ref());
    let task =
        task.map(|task| fill(task, state, |uses| facts(state, request, uses))).transpose()?;
    match (source(state, request), task) {
        (Some(source), task) => fill(source, state, |uses| {
            let mut facts = facts(state, request, uses);
            facts["task"] = task.unwrap_or_default().into();
            facts
        }),
        (None, Some(task)) => Ok(task),
        (None, None) => {
            let topic = state.topic_for(&request.turn);
            Ok(topic.map(|topic| topic.trim().to_owned()).unwrap_or_default())
        }
    }
}

/// Returns the facts of a request: those of the turn, with the messages of others that are new in it.
fn facts(state: &State, request: &BareRequest<'_>, uses: Uses<'_>) -> Value {
    let BareRequest { turn, others, own, round, .. } = request;
    let mut facts = prompt_facts(state, turn, &|name| name != "others" && uses(name));
    facts["others"] = messages_facts(state, turn, others);
    facts["own"] = own.map_or("", |entry| entry.text()).into();
    if let Some(round) = round {
        facts["round"] = (*round).into();
    }
    facts
}

/// Returns the fault of a turn's request, for a warning: its template, or an empty text in a batch.
pub(super) fn fault(state: &State, turn: &Turn) -> Option<String> {
    let text = match judge::request(state, turn) {
        Some(text) => text,
        None => {
            let written = written(state, requests(state, turn).last()?);
            if let Ok(text) = &written {
                state.rolls.keep_request(turn, state.next_seq, text.as_str().into());
            }
            written
        }
    };
    match text {
        Ok(text) if state.scenario.strict && text.trim().is_empty() => Some("it is empty".into()),
        Ok(_) => None,
        Err(fault) => Some(fault.to_string()),
    }
}
