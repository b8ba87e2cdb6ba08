//! The fold of permission requests by agents, which are part of their turn while the call runs.

use super::{Conversation, Turn};
use crate::model::agent::*;
use crate::model::*;

impl Turn {
    /// Returns the permission request that waits for an answer.
    pub fn waits_for_leave(&self) -> Option<&Permission> {
        self.call?;
        self.permissions.iter().find(|p| p.answer.is_none())
    }
}

impl Conversation {
    /// Returns whether somebody can raise limits and allow tools: an operator, or a program that sends commands.
    pub fn has_operator(&self) -> bool {
        self.attended || self.steered
    }

    /// Returns the operator's decision on a tool, if there is one.
    pub fn decided(&self, tool: &Text) -> Option<bool> {
        let once = self.tools_allowed_once.contains(tool).then_some(true);
        once.or_else(|| self.tools_decided.get(tool).copied())
    }

    /// Drops the operator's decisions on the permissions of a seat that gets another program.
    pub(super) fn drop_permissions(&mut self, seat: &SeatId) {
        let others =
            |tool: &Text| !tool.strip_prefix(&**seat).is_some_and(|sort| sort.starts_with('/'));
        self.tools_decided.retain(|tool, _| others(tool));
        self.tools_allowed_once.retain(others);
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
            // the time that a person takes to answer does not count as the agent's
            let since = turn.active.replace(ms);
            turn.held = turn.held.saturating_add(since.map_or(0, |since| ms.since(since)));
        }
        // a permission for one use is used up
        if a.yes {
            self.tools_allowed_once.retain(|tool| *tool != a.tool);
        }
    }
}
