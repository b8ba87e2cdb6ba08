//! Tool uses and agent actions that wait for the person's permission.

use super::{State, Turn};
use crate::model::{Kind, SeatId, Text, TurnId};
use crate::text;

/// A tool use that waits for permission.
#[derive(Debug)]
pub struct AsksLeave {
    /// Seat that requests it.
    pub seat: SeatId,
    /// Name under which the permission is granted.
    pub tool: Text,
    /// Description of the action on one line; untrusted text.
    pub told: String,
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
    let told = |tool: &Text, what: &str, with: &str| {
        let what = if what.is_empty() { String::new() } else { format!(" {what}") };
        text::label(&format!("{tool}:{what} {with}")).trim_end().to_owned()
    };
    let undecided = |tool: &Text| state.decided(tool).is_none();
    let leave =
        |tool: &Text, told: String| AsksLeave { seat: turn.seat.clone(), tool: tool.clone(), told };
    let open = turn.permissions.iter().filter(|p| p.answer.is_none() && turn.call.is_some());
    let permissions = open.filter(|p| undecided(&p.tool)).map(|p| {
        let with = p.input.as_deref().unwrap_or_default();
        leave(&p.tool, told(&p.tool, &p.title, with))
    });
    let tools = state.seat(&turn.seat).map_or(&[][..], |seat| &seat.spec.tools[..]);
    let acts = |name: &Text| tools.iter().any(|tool| tool.name == *name && !tool.read_only);
    let open = turn.tools.last().into_iter().flat_map(|round| &round.runs);
    let open = open.filter(|run| run.called.is_none() && run.returned.is_none());
    let requests = open.map(|run| &run.request).filter(|r| acts(&r.tool) && undecided(&r.tool));
    let requests = requests.map(|r| leave(&r.tool, told(&r.tool, "", &r.arguments.to_string())));
    permissions.chain(requests).collect()
}
