//! Notes on tool calls, one line per request: the request and its outcome.

use super::narrated::Narrated;
use crate::analysis::name;
use crate::model::tool::{ToolAsked, ToolRequest, ToolReturned};
use crate::model::{ToolOutcome, TurnId};
use crate::state::{State, leave};
use crate::text;
use serde_json::Value;

/// Maximum length of the arguments, in characters.
const ARGUMENTS_MAX: usize = 80;
/// Maximum length of a result, in characters.
pub(super) const RESULT_MAX: usize = 120;

/// Returns the note on the outcome of a tool call.
pub(super) fn returned(state: &State, r: &ToolReturned) -> Vec<Narrated> {
    let request = state.turns.get(&r.turn).and_then(|turn| {
        let round = turn.tools.iter().find(|round| round.asked == r.asked)?;
        Some(&round.runs.get(usize::try_from(r.at).ok()?)?.request)
    });
    let asked = request.map_or_else(|| r.tool.to_string(), spelled);
    let first = r.result.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    let lines = r.result.lines().count();
    let came = match r.is {
        ToolOutcome::Done if lines > 1 => format!("{lines} lines"),
        ToolOutcome::Done => short(first, RESULT_MAX),
        is => format!("{}: {}", is.as_str(), short(first, RESULT_MAX)),
    };
    let who = who(state, r.turn);
    vec![Narrated::Note(text::label(&format!("{who} used {asked}: {came}")).into_owned())]
}

/// Returns the notes on requests that wait for the operator's permission, each with the whole call.
pub(super) fn waiting(state: &State, asked: &ToolAsked) -> Vec<Narrated> {
    if !state.has_operator() {
        return vec![];
    }
    let Some(turn) = state.turns.get(&asked.turn) else { return vec![] };
    let Some(seat) = state.seat(&turn.seat) else { return vec![] };
    let waits = |request: &&ToolRequest| {
        let tool = seat.spec.tools.iter().find(|tool| tool.name == request.tool);
        let free = state.tools_allowed_once.contains(&request.tool);
        let decided = free || state.tools_decided.contains_key(&request.tool);
        tool.is_some_and(|tool| !tool.read_only) && !decided
    };
    let note = |request: &ToolRequest| {
        let with = leave::spelled(&leave::arguments(&request.arguments));
        let tool = text::visible(&request.tool);
        Narrated::Note(format!("{} asks to use {tool}({with})", who(state, asked.turn)))
    };
    asked.requests.iter().filter(waits).map(note).collect()
}

pub(super) fn who(state: &State, turn: TurnId) -> String {
    state.turns.get(&turn).map_or_else(|| "a participant".into(), |turn| name(state, &turn.seat))
}

/// Returns a request in call syntax: `read_file(path: notes.txt)`.
fn spelled(request: &ToolRequest) -> String {
    let argument = |(key, value): (&String, &Value)| match value {
        Value::String(text) => format!("{key}: {text}"),
        other => format!("{key}: {other}"),
    };
    let arguments = match &request.arguments {
        Value::Object(map) => map.iter().map(argument).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    };
    format!("{}({})", request.tool, short(&arguments, ARGUMENTS_MAX))
}

pub(super) fn short(words: &str, most: usize) -> String {
    let mut short: String = words.chars().take(most).collect();
    if short.len() < words.len() {
        short.push_str("...");
    }
    short
}
