//! What waits for the person to allow it: a tool that a model asked for, something that an agent would do.

use crate::model::{Kind, SeatId, Text, TurnId};
use crate::state::{State, Turn};
use crate::text;

/// A use of a tool that waits for the person to allow it.
#[derive(Debug)]
pub struct AsksLeave {
    /// Who wants to use it.
    pub seat: SeatId,
    /// The name under which it is allowed.
    pub tool: Text,
    /// What it would do, in one line: the words of a stranger.
    pub told: String,
}

/// Returns the first use of a tool that waits to be allowed.
pub fn asks_leave(state: &State) -> Option<AsksLeave> {
    state.turns.values().find_map(|turn| leave_of(state, turn))
}

/// Returns the names under which an event asks for what waits to be allowed, each once.
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

/// Returns the first use of a tool in a turn that waits to be allowed.
pub fn leave_of(state: &State, turn: &Turn) -> Option<AsksLeave> {
    leaves_of(state, turn).into_iter().next()
}

/// Returns every use of a tool in a turn that waits to be allowed.
fn leaves_of(state: &State, turn: &Turn) -> Vec<AsksLeave> {
    if !state.attended || state.ended.is_some() {
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
