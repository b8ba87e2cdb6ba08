//! The fold of tool requests, which are part of their turn until all tools have returned.

use super::{Conversation, Entry, State, Turn, UsedTool};
use crate::model::tool::*;
use crate::model::*;

/// Maximum number of tool rounds in one turn; after the last one a model is offered no tools.
const ROUNDS_MAX: usize = 8;
/// Result in the prompt for a tool that was interrupted before it returned.
const INTERRUPTED: &str =
    "interrupted before the tool returned; it may or may not have taken effect";

/// Maximum number of tool calls of ended turns that are kept for each seat of a thread.
const USED_MAX: usize = 8;

impl Turn {
    /// Returns whether a tool that this turn asked for has not returned.
    pub fn waits_for_tools(&self) -> bool {
        self.tools.last().is_some_and(ToolRound::is_open)
    }

    /// Returns the tool rounds for the next grant of an interrupted turn: a tool that was called is never called again.
    pub(super) fn kept_tools(&self) -> Vec<ToolRound> {
        let mut rounds = self.tools.clone();
        for run in rounds.iter_mut().flat_map(|round| &mut round.runs) {
            if run.called.is_some() {
                run.returned.get_or_insert((ToolOutcome::Interrupted, INTERRUPTED.into()));
            }
        }
        rounds
    }
}

impl State {
    /// Returns the tools that the next call of a turn may ask for.
    pub fn tools_offered(&self, turn: &Turn) -> &[Tool] {
        match self.seat(&turn.seat) {
            Some(seat) if turn.speaks() && turn.tools.len() < ROUNDS_MAX => &seat.spec.tools,
            Some(_) | None => &[],
        }
    }
}

impl Conversation {
    /// Returns the turn, the round and the index of the request for a `tool.called`, if the tool has not returned.
    pub fn tool_called(&self, called: Seq) -> Option<(&Turn, &ToolRound, usize)> {
        self.turns.values().find_map(|turn| {
            let round = turn.tools.last()?;
            let open = |run: &ToolRun| run.called == Some(called) && run.returned.is_none();
            Some((turn, round, round.runs.iter().position(open)?))
        })
    }

    pub(super) fn ask_tools(&mut self, seq: Seq, asked: &ToolAsked) {
        let Some(turn) = self.turns.get_mut(&asked.turn) else { return };
        if let Some(usage) = &asked.usage {
            let cost = turn.reserve.price.map(|price| price.cost(usage));
            turn.spent.add(usage, cost);
        }
        let run = |request: &ToolRequest| ToolRun {
            request: request.clone(),
            called: None,
            returned: None,
        };
        let runs = asked.requests.iter().map(run).collect();
        let said = std::mem::take(&mut turn.said).into();
        turn.tools.push(ToolRound { asked: seq, said, state: asked.state.clone(), runs });
        // every call of the turn gets the same number of retries
        turn.call = None;
        turn.tries = 0;
        turn.retries = 0;
        turn.waited = 0;
    }

    /// Records the tool calls of a turn that ends, and drops the oldest ones of its seat.
    pub(super) fn keep_tools(&mut self, turn: &Turn) {
        let Some(thread) = self.threads.get_mut(&turn.thread) else { return };
        let returned = turn.tools.iter().flat_map(|r| &r.runs).filter(|run| run.returned.is_some());
        thread.tools_used.extend(returned.map(|run| UsedTool {
            by: turn.seat.clone(),
            turn: turn.id,
            run: run.clone(),
        }));
        let of_seat = thread.tools_used.iter().filter(|used| used.by == turn.seat).count();
        let mut excess = of_seat.saturating_sub(USED_MAX);
        thread.tools_used.retain(|used| {
            let dropped = excess > 0 && used.by == turn.seat;
            excess -= usize::from(dropped);
            !dropped
        });
    }

    /// Returns the earlier tool calls of a turn's seat in its thread, newest first, without those of hidden turns.
    pub fn tools_used<'a>(&'a self, turn: &'a Turn) -> impl Iterator<Item = &'a UsedTool> {
        let used =
            self.threads.get(&turn.thread).into_iter().flat_map(|t| t.tools_used.iter().rev());
        used.filter(|used| used.by == turn.seat && !self.is_hidden(used.turn))
    }

    fn is_hidden(&self, turn: TurnId) -> bool {
        let of_turn = |e: &&Entry| e.version().turn == Some(turn);
        self.entries.iter().rev().find(of_turn).is_some_and(|e| e.hidden.is_some())
    }

    fn tool_run(&mut self, turn: TurnId, asked: Seq, at: u32) -> Option<&mut ToolRun> {
        let rounds = &mut self.turns.get_mut(&turn)?.tools;
        let round = rounds.iter_mut().find(|round| round.asked == asked)?;
        round.runs.get_mut(usize::try_from(at).ok()?)
    }

    pub(super) fn call_tool(&mut self, seq: Seq, c: &ToolCalled) {
        if let Some(run) = self.tool_run(c.turn, c.asked, c.at) {
            run.called = Some(seq);
        }
        // a permission for one use is used up
        self.tools_allowed_once.retain(|tool| *tool != c.tool);
    }

    pub(super) fn return_tool(&mut self, r: &ToolReturned) {
        if let Some(run) = self.tool_run(r.turn, r.asked, r.at) {
            run.returned = Some((r.is, r.result.clone()));
        }
    }

    /// Applies the operator's decision on a tool.
    pub(super) fn decide_tool(&mut self, tool: &Text, yes: bool, once: bool) {
        self.tools_decided.remove(tool);
        self.tools_allowed_once.retain(|name| name != tool);
        match (yes, once) {
            (true, true) => self.tools_allowed_once.push(tool.clone()),
            (yes, _) => {
                self.tools_decided.insert(tool.clone(), yes);
            }
        }
    }
}
