//! Tool uses and agent actions that wait for the person's permission.

use super::{State, Turn};
use crate::model::{Kind, SeatId, Seq, Text, TurnId};
use crate::text;
use serde_json::Value;

/// A tool use that waits for permission. Its texts are untrusted, and safe for one line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsksLeave {
    /// Seat that requests it.
    pub seat: SeatId,
    /// Name under which the permission is granted.
    pub tool: Text,
    /// Description of the action in the agent's words; empty for a tool of the scenario.
    pub title: String,
    /// Names and values of all arguments, whole.
    pub arguments: Vec<(String, String)>,
    /// Event of the request, and its index there.
    pub at: (Seq, usize),
}

impl AsksLeave {
    /// Returns the whole call on one line.
    pub fn describe(&self) -> String {
        let mut told = text::visible(&self.tool);
        if !self.title.is_empty() {
            told.push_str(&format!(": {}", self.title));
        }
        if !self.arguments.is_empty() {
            told.push_str(&format!(" ({})", spelled(&self.arguments)));
        }
        told
    }
}

/// Returns the names and the values of arguments, with visible control characters.
pub fn arguments(arguments: &Value) -> Vec<(String, String)> {
    let value = |value: &Value| match value {
        Value::String(words) => text::visible(words),
        other => text::visible(&other.to_string()),
    };
    match arguments {
        Value::Object(map) => map.iter().map(|(key, v)| (text::visible(key), value(v))).collect(),
        Value::Null => vec![],
        other => vec![("input".into(), value(other))],
    }
}

/// Returns arguments on one line: `path: notes.txt, lines: 3`.
pub fn spelled(arguments: &[(String, String)]) -> String {
    let each: Vec<String> = arguments.iter().map(|(key, v)| format!("{key}: {v}")).collect();
    each.join(", ")
}

/// Returns the first tool use that waits for permission.
pub fn asks_leave(state: &State) -> Option<AsksLeave> {
    state.turns.values().find_map(|turn| leave_of(state, turn))
}

/// Returns the distinct tool names in an event whose requests still wait for permission.
pub fn asked_in<'a>(state: &State, kind: &'a Kind) -> Vec<&'a Text> {
    let (turn, asked): (TurnId, Vec<&Text>) = match kind {
        Kind::PermissionAsked(asked) => (asked.turn, vec![&asked.tool]),
        Kind::ToolAsked(asked) => (asked.turn, asked.requests.iter().map(|r| &r.tool).collect()),
        _ => return vec![],
    };
    let Some(turn) = state.turns.get(&turn) else { return vec![] };
    let open = leaves_of(state, turn);
    let mut waiting = vec![];
    for tool in asked {
        if open.iter().any(|asks| asks.tool == *tool) && !waiting.contains(&tool) {
            waiting.push(tool);
        }
    }
    waiting
}

/// Returns the first tool use of a turn that waits for permission.
pub fn leave_of(state: &State, turn: &Turn) -> Option<AsksLeave> {
    leaves_of(state, turn).into_iter().next()
}

/// Returns all tool uses of a turn that wait for permission.
pub fn leaves_of(state: &State, turn: &Turn) -> Vec<AsksLeave> {
    if !state.has_operator() || state.ended.is_some() {
        return vec![];
    }
    let undecided = |tool: &Text| state.decided(tool).is_none();
    let leave = |tool: &Text, title: String, with: &Value, at| AsksLeave {
        seat: turn.seat.clone(),
        tool: tool.clone(),
        title,
        arguments: arguments(with),
        at,
    };
    let open = turn.permissions.iter().filter(|p| p.answer.is_none() && turn.call.is_some());
    let permissions = open.filter(|p| undecided(&p.tool)).map(|p| {
        let with = input(p.input.as_deref());
        leave(&p.tool, text::visible(&p.title), &with, (p.asked, 0))
    });
    let tools = state.seat(&turn.seat).map_or(&[][..], |seat| &seat.spec.tools[..]);
    let acts = |name: &Text| tools.iter().any(|tool| tool.name == *name && !tool.read_only);
    let round = turn.tools.last();
    let asked = round.map_or(Seq(0), |round| round.asked);
    let runs = round.into_iter().flat_map(|round| round.runs.iter().enumerate());
    let open = runs.filter(|(_, run)| run.called.is_none() && run.returned.is_none());
    let requests = open.map(|(i, run)| (i, &run.request));
    let requests = requests.filter(|(_, r)| acts(&r.tool) && undecided(&r.tool));
    let requests = requests.map(|(i, r)| leave(&r.tool, String::new(), &r.arguments, (asked, i)));
    permissions.chain(requests).collect()
}

/// Returns the arguments that an agent reported as JSON.
pub fn input(reported: Option<&str>) -> Value {
    let json = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| text.into());
    reported.map_or(Value::Null, json)
}
