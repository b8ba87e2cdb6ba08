//! Facts for expectations: the final state as conditions see it, and facts that only a finished run has.
//!
//! Times are virtual seconds from the start. Values that grow with the conversation are computed only on demand.

use super::calls::CallSeen;
use super::fault::TestFault;
use super::plan::{Test, TestRun};
use super::tools;
use crate::export;
use crate::expr::{Condition, Facts, Function};
use crate::model::payload::TurnEnded;
use crate::model::{Event, Kind, Ms, SeatId, TurnId};
use crate::state::State;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns the facts of a run; `wanted` is true for the names that an expectation uses.
pub fn of_run(test: &Test, ran: &TestRun, run: u32, wanted: impl Fn(&str) -> bool) -> Facts {
    let state = &ran.state;
    let mut facts = state.facts(&wanted);
    let turns = Turns::from_events(&ran.events);
    if let Some(utterances) = facts["utterances"].as_array_mut() {
        for utterance in utterances {
            turns.add_facts(utterance);
        }
    }
    let spent = state.spent();
    facts["case"] = Value::Object(test.variables.clone());
    facts["run"] = run.into();
    facts["exit"] = json!(state.exit_code());
    facts["ms"] = state.ms.0.into();
    facts["cost"] = f64::from(spent.usd).into();
    facts["tokens"] = json!({
        "input": spent.usage.input, "output": spent.usage.output, "total": spent.usage.tokens(),
    });
    facts["speakers"] = json!(speakers(state));
    facts["receipts"] = receipts(&ran.events);
    facts["attack"] = json!(ran.attack);
    facts["warnings"] = json!(state.warnings);
    facts["events"] = counts(&ran.events);
    if wanted("turns") {
        facts["turns"] = turns.all.iter().map(|(_, turn)| turn.clone()).collect();
    }
    if wanted("calls") {
        facts["calls"] = ran.asked.iter().map(call).collect();
    }
    if wanted("tool_calls") {
        facts["tool_calls"] = tools::called(&ran.events).into();
    }
    if wanted("transcript") {
        facts["transcript"] = transcript(&ran.events).into();
    }
    let facts = Facts::new(facts);
    if wanted("prompt") { facts.with_function("prompt", prompts(&ran.asked)) } else { facts }
}

/// Returns the facts of one utterance during the run; `None` if it does not exist.
pub fn of_utterance(
    test: &Test,
    state: &State,
    number: u32,
    condition: &Condition,
) -> Option<Facts> {
    let utterance = state.utterance_facts(number)?;
    let mut facts = state.facts(|name| condition.uses(name));
    facts["utterance"] = utterance;
    facts["case"] = Value::Object(test.variables.clone());
    Some(Facts::new(facts))
}

/// Returns the failed turns, each with its participant and error, without duplicates.
pub fn failed_turns(events: &[Event]) -> Vec<String> {
    let mut failed: Vec<String> = vec![];
    for (_, turn) in
        Turns::from_events(events).all.iter().filter(|(_, turn)| turn["outcome"] == "failed")
    {
        let who = turn["participant"].as_str().unwrap_or_default();
        let line = format!("{who}: {}", turn["error"]["text"].as_str().unwrap_or_default());
        if !failed.contains(&line) {
            failed.push(line);
        }
    }
    failed
}

/// Returns the speakers, in the order of the transcript.
pub fn speakers(state: &State) -> Vec<String> {
    let spoke = state.entries.iter().filter(|e| e.number.is_some());
    spoke.filter_map(|e| e.seat()).map(ToString::to_string).collect()
}

/// Returns the messages up to an utterance, one paragraph each, with the tool calls before each.
pub fn said(state: &State, events: &[Event], last: u32) -> String {
    let mut all = String::new();
    let calls = tools::called(events);
    for entry in &state.entries {
        let of_entry =
            calls.iter().filter(|call| entry.number.is_some_and(|n| call["utterance"] == n));
        all.extend(of_entry.map(|call| format!("[tool] {}\n\n", tools::describe(call))));
        let who = match entry.seat().and_then(|seat| state.seat(seat)) {
            Some(seat) => seat.spec.name.to_string(),
            None => "host".into(),
        };
        let number = entry.number.map_or(String::new(), |n| format!("[{n}] "));
        all.push_str(&format!("{number}{who}: {}\n\n", entry.text()));
        if entry.number == Some(last) {
            break;
        }
    }
    all
}

/// Returns the whole transcript, as Markdown.
pub fn transcript(events: &[Event]) -> String {
    export::whole(events, export::md::spell)
}

/// Finds the call of a seat's turn, numbered from 1; of the last turn if none is named.
///
/// # Errors
/// If there is no such turn; the text has the number of turns.
pub fn prompt_of<'a>(
    asked: &'a [CallSeen],
    seat: &str,
    turn: Option<usize>,
) -> Result<&'a CallSeen, TestFault> {
    let mut turns: Vec<&CallSeen> = vec![];
    for call in asked.iter().filter(|a| a.seat == *seat) {
        // keeps the last call of a turn with several calls
        match turns.last_mut() {
            Some(last) if last.turn == call.turn => *last = call,
            Some(_) | None => turns.push(call),
        }
    }
    let found = match turn {
        Some(turn) => turn.checked_sub(1).and_then(|i| turns.get(i)),
        None => turns.last(),
    };
    found.copied().ok_or_else(|| match turns.len() {
        0 => format!("`{seat}` was never asked").into(),
        1 => format!("`{seat}` was asked once").into(),
        n => format!("`{seat}` was asked {n} times").into(),
    })
}

fn prompts(asked: &[CallSeen]) -> Function {
    let asked: Vec<CallSeen> = asked.to_vec();
    Arc::new(move |arguments| {
        let spelled = "use prompt('bo', 2) for the prompt of `bo` in its second turn";
        let (seat, turn) = match arguments {
            [Value::String(seat)] => (seat, None),
            [Value::String(seat), turn] => {
                (seat, Some(turn.as_u64().filter(|n| *n > 0).ok_or(spelled)?))
            }
            _ => return Err(spelled.into()),
        };
        let turn = turn.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        Ok(prompt_of(&asked, seat, turn)?.shown().into())
    })
}

fn call(asked: &CallSeen) -> Value {
    json!({
        "participant": asked.seat, "purpose": asked.purpose, "number": asked.number,
        "attempt": asked.attempt,
    })
}

/// Returns the last outcome of every command with an `id`, and all of its outcomes.
fn receipts(events: &[Event]) -> Value {
    let mut receipts: BTreeMap<String, Value> = BTreeMap::new();
    for event in events {
        let (id, is, why) = match &event.kind {
            Kind::Receipt(r) => (&r.id, json!(r.is), json!(r.why)),
            Kind::CommandRefused(r) => (&r.id, "refused".into(), json!(r.why)),
            _ => continue,
        };
        let Some(id) = id else { continue };
        let receipt = receipts.entry(id.to_string()).or_insert_with(|| json!({ "all": [] }));
        if let Some(all) = receipt["all"].as_array_mut() {
            all.push(is.clone());
        }
        receipt["is"] = is;
        receipt["why"] = why;
    }
    json!(receipts)
}

/// Returns the number of events of each kind.
fn counts(events: &[Event]) -> Value {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for event in events {
        *counts.entry(event.kind.name()).or_default() += 1;
    }
    json!(counts)
}

/// Facts of all turns that ended, with their times.
struct Turns {
    all: Vec<(Option<u32>, Value)>,
}

impl Turns {
    fn from_events(events: &[Event]) -> Turns {
        let mut granted: BTreeMap<TurnId, (SeatId, Ms)> = BTreeMap::new();
        let mut calls: BTreeMap<TurnId, u32> = BTreeMap::new();
        let mut all = vec![];
        for event in events {
            match &event.kind {
                Kind::FloorGranted(g) => {
                    granted.insert(TurnId(event.seq.0), (g.participant.clone(), event.ms));
                }
                Kind::CallStarted(c) => *calls.entry(c.turn).or_default() += 1,
                Kind::TurnEnded(ended) => {
                    let seat = granted.get(&ended.turn);
                    let calls = calls.get(&ended.turn).copied().unwrap_or(0);
                    all.push((ended.number, turn(ended, seat, event.ms, calls)));
                }
                _ => {}
            }
        }
        Turns { all }
    }

    /// Adds the facts of an utterance's last turn to it.
    fn add_facts(&self, utterance: &mut Value) {
        let number = utterance["number"].as_u64();
        let of = |(n, _): &&(Option<u32>, Value)| n.map(u64::from) == number;
        let (Some((_, turn)), Some(map)) =
            (self.all.iter().rev().find(of), utterance.as_object_mut())
        else {
            return;
        };
        for key in ["at", "took", "calls", "tokens", "cost", "why", "finish"] {
            map.insert(key.into(), turn[key].clone());
        }
    }
}

fn turn(ended: &TurnEnded, granted: Option<&(SeatId, Ms)>, now: Ms, calls: u32) -> Value {
    let seconds = |ms: u64| ms as f64 / 1000.0;
    let at = granted.map_or(now, |(_, at)| *at);
    let mut turn = Map::new();
    let mut put = |key: &str, value: Value| turn.insert(key.into(), value);
    put("participant", json!(granted.map(|(seat, _)| seat)));
    put("purpose", json!(ended.purpose));
    put("number", json!(ended.number));
    put("outcome", json!(ended.outcome));
    put("text", json!(ended.text));
    put("think", json!(ended.think));
    put("structured", ended.structured.clone());
    put("why", json!(ended.why));
    put("error", json!(ended.error));
    put("finish", json!(ended.finish));
    put("calls", calls.into());
    put("tokens", json!(ended.usage));
    put("cost", json!(ended.cost));
    put("at", seconds(at.0).into());
    put("took", seconds(now.since(at)).into());
    Value::Object(turn)
}
