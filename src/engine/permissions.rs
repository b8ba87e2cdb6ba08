//! Permissions that agents ask for in the middle of a call: the operator decides, and no answer is never a yes.

use crate::model::agent::{AGENT_TOOLS, PermissionAnswered, permission};
use crate::model::event::ENGINE;
use crate::model::*;
use crate::state::State;

/// The reason for a refusal where there is no operator.
const NOBODY: &str = "nobody is there to allow it";
/// The reason for a refusal by the operator.
const REFUSED: &str = "the operator does not allow it";

/// Returns the answer to the first request that can be answered now; one that the operator has to decide waits.
pub(super) fn next(state: &State) -> Option<Draft> {
    state.turns.values().filter(|turn| turn.call.is_some()).find_map(|turn| {
        let mut open = turn.permissions.iter().filter(|p| p.answer.is_none());
        open.find_map(|asked| {
            let (yes, why) = match state.decided(&asked.tool) {
                Some(true) => (true, None),
                Some(false) => (false, Some(REFUSED.into())),
                None if state.attended => return None,
                None => (false, Some(NOBODY.into())),
            };
            let (turn_id, tool) = (turn.id, asked.tool.clone());
            let answered = PermissionAnswered { turn: turn_id, asked: asked.asked, tool, yes, why };
            Some(draft(turn.thread, ENGINE, answered.into()))
        })
    })
}

/// Returns the names under which the agents at the table are allowed something.
pub(super) fn names(state: &State) -> impl Iterator<Item = Text> {
    let agents = state.seats.iter().filter(|s| matches!(s.spec.voice, VoiceSpec::Agent(_)));
    agents.flat_map(|s| AGENT_TOOLS.iter().map(|sort| permission(&s.spec.id, sort)))
}
