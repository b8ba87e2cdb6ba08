//! Permissions that agents request during a call: the operator decides, and a missing answer never counts as a yes.

use crate::model::agent::{AGENT_TOOLS, Permission, PermissionAnswered, START, permission};
use crate::model::event::ENGINE;
use crate::model::*;
use crate::state::{State, Turn};

/// Reason for a refusal without an operator.
pub(super) const NOBODY: &str = "nobody is there to allow it";
/// Reason for a refusal by the operator.
const REFUSED: &str = "the operator does not allow it";

/// Returns the answer to the first request that can be answered now; requests for the operator's decision wait.
pub(super) fn next(state: &State) -> Option<Draft> {
    open(state).find_map(|(turn, asked)| {
        let (yes, why) = match state.decided(&asked.tool) {
            Some(true) => (true, None),
            Some(false) => (false, Some(REFUSED)),
            None if state.has_operator() => return None,
            None => (false, Some(NOBODY)),
        };
        Some(answer(turn, asked, yes, why))
    })
}

/// Refuses all open requests when nobody is left who could decide.
pub(super) fn refusals(state: &State) -> impl Iterator<Item = Draft> {
    open(state).map(|(turn, asked)| answer(turn, asked, false, Some(NOBODY)))
}

/// Returns the unanswered requests of running calls, each with its turn.
fn open(state: &State) -> impl Iterator<Item = (&Turn, &Permission)> {
    let calling = state.turns.values().filter(|turn| turn.call.is_some());
    calling.flat_map(|turn| {
        turn.permissions.iter().filter(|p| p.answer.is_none()).map(move |asked| (turn, asked))
    })
}

fn answer(turn: &Turn, asked: &Permission, yes: bool, why: Option<&str>) -> Draft {
    let answered = PermissionAnswered {
        turn: turn.id,
        asked: asked.asked,
        tool: asked.tool.clone(),
        yes,
        why: why.map(Into::into),
    };
    draft(turn.thread, ENGINE, answered.into())
}

/// Returns the names of the permissions that the seats of the conversation can request.
pub(super) fn names(state: &State) -> impl Iterator<Item = Text> {
    state.seats.iter().flat_map(|seat| {
        let (tools, starts) = match seat.spec.voice {
            VoiceSpec::Agent(_) => (&AGENT_TOOLS[..], true),
            VoiceSpec::Script(_) | VoiceSpec::Http(_) => (&[][..], true),
            _ => (&[][..], false),
        };
        let sorts = tools.iter().copied().chain(starts.then_some(START));
        sorts.map(|sort| permission(&seat.spec.id, sort))
    })
}
