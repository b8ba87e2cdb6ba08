//! The fold of what agents ask leave for: the requests stand in their turn as long as the call runs.

use super::{Conversation, Turn};
use crate::model::agent::*;
use crate::model::*;

impl Turn {
    /// Returns the request for leave that waits for an answer, if there is one.
    pub fn waits_for_leave(&self) -> Option<&Permission> {
        self.permissions.iter().find(|p| p.answer.is_none()).filter(|_| self.call.is_some())
    }
}

impl Conversation {
    /// Returns whether somebody may still say yes or no to a tool: the operator, or a program that steers.
    pub fn can_ask_leave(&self) -> bool {
        self.attended || self.steered
    }

    /// Returns whether the operator said yes or no to a tool, if so.
    pub fn decided(&self, tool: &Text) -> Option<bool> {
        let once = self.tools_allowed_once.contains(tool).then_some(true);
        once.or_else(|| self.tools_decided.get(tool).copied())
    }

    pub(super) fn agent_acted(&mut self, turn: TurnId, ms: Ms) {
        if let Some(turn) = self.turns.get_mut(&turn) {
            turn.active = Some(ms);
        }
    }

    pub(super) fn ask_permission(&mut self, seq: Seq, ms: Ms, a: &PermissionAsked) {
        let Some(turn) = self.turns.get_mut(&a.turn) else { return };
        if turn.waits_for_leave().is_none() {
            turn.active = Some(ms);
        }
        turn.permissions.push(Permission {
            asked: seq,
            request: a.request,
            tool: a.tool.clone(),
            title: a.title.clone(),
            input: a.input.clone(),
            answer: None,
        });
    }

    pub(super) fn answer_permission(&mut self, ms: Ms, a: &PermissionAnswered) {
        let Some(turn) = self.turns.get_mut(&a.turn) else { return };
        if let Some(asked) = turn.permissions.iter_mut().find(|p| p.asked == a.asked) {
            asked.answer = Some(a.yes);
        }
        if turn.waits_for_leave().is_none() {
            // what a person took for the answer is not the agent's time
            let since = turn.active.replace(ms);
            turn.held = turn.held.saturating_add(since.map_or(0, |since| ms.since(since)));
        }
        // allowed once is used up once
        if a.yes {
            self.tools_allowed_once.retain(|tool| *tool != a.tool);
        }
    }
}
