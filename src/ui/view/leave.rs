//! What waits for the person to allow it: a tool that a model asked for, something that an agent would do.

use crate::model::{SeatId, Text};
use crate::state::{State, Turn};
use crate::text;

/// A use of a tool that waits for the person to allow it.
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

/// Returns the first use of a tool in a turn that waits to be allowed.
pub fn leave_of(state: &State, turn: &Turn) -> Option<AsksLeave> {
    if !state.attended || state.ended.is_some() {
        return None;
    }
    let told = |tool: &Text, what: &str, with: &str| {
        let what = if what.is_empty() { String::new() } else { format!(" {what}") };
        text::label(&format!("{tool}:{what} {with}")).trim_end().to_owned()
    };
    let seat = turn.seat.clone();
    let asked = turn.permissions.iter().find(|p| p.answer.is_none() && turn.call.is_some());
    if let Some(asked) = asked.filter(|p| state.decided(&p.tool).is_none()) {
        let with = asked.input.as_deref().unwrap_or_default();
        let told = told(&asked.tool, &asked.title, with);
        return Some(AsksLeave { seat, tool: asked.tool.clone(), told });
    }
    let tools = &state.seat(&turn.seat)?.spec.tools;
    let acts = |name: &Text| tools.iter().any(|tool| tool.name == *name && !tool.read_only);
    let waits = turn.tools.last()?.runs.iter().find(|run| {
        let tool = &run.request.tool;
        let open = run.called.is_none() && run.returned.is_none();
        open && acts(tool) && state.decided(tool).is_none()
    })?;
    let (tool, with) = (waits.request.tool.clone(), waits.request.arguments.to_string());
    let told = told(&tool, "", &with);
    Some(AsksLeave { seat, tool, told })
}
