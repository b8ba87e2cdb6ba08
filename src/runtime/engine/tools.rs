//! Tools of a turn: a model's requests are checked and run, and the results are in the next call of the same turn.

use super::permissions::NOBODY;
use crate::model::event::ENGINE;
use crate::model::tool::*;
use crate::model::*;
use crate::scenario;
use crate::state::{State, Turn};
use crate::tool::{ToolJob, ToolResult};
use crate::voice::Done;
use serde_json::Value;

/// Maximum number of requests of one call that are carried out.
const REQUESTS_MAX: usize = 16;
/// Number of failures after which an equal request of the same turn is rejected.
const EQUAL_FAILURES: usize = 2;
/// Maximum length of a message about wrong arguments, in bytes.
const WRONG_MAX: usize = 500;

/// Returns `tool.asked` for a call that ended with requests, if its turn was offered tools.
pub(super) fn asked(state: &State, turn: &Turn, done: &Done, used: Option<Usage>) -> Option<Draft> {
    let call = turn.call?;
    if done.tools.is_empty() || state.tools_offered(turn).is_empty() {
        return None;
    }
    let requests = done.tools.iter().take(REQUESTS_MAX).cloned().collect();
    let state = Value::clone(&done.state);
    let asked = ToolAsked { turn: turn.id, call, requests, state, usage: used };
    Some(draft(turn.thread, &turn.seat, asked.into()))
}

/// Returns the next event of the first request that is neither running nor returned: its call, or its refusal. Requests
/// that the operator has to allow wait.
pub(super) fn next(state: &State) -> Option<Draft> {
    state.turns.values().find_map(|turn| {
        let round = turn.tools.last()?;
        let fresh = |(_, run): &(usize, &ToolRun)| run.called.is_none() && run.returned.is_none();
        round.runs.iter().enumerate().filter(fresh).find_map(|(at, run)| {
            let turn_id = turn.id;
            let asked = round.asked;
            let tool = run.request.tool.clone();
            let at = u32::try_from(at).ok()?;
            Some(match decided(state, turn, run) {
                Decided::Call => {
                    let called = ToolCalled { turn: turn_id, asked, at, tool };
                    draft(turn.thread, ENGINE, called.into())
                }
                Decided::Back(is, result) => {
                    let whole = None;
                    let took_ms = 0;
                    let back =
                        ToolReturned { turn: turn_id, asked, at, tool, is, result, whole, took_ms };
                    draft(turn.thread, ENGINE, back.into())
                }
                Decided::Waits => return None,
            })
        })
    })
}

/// Refuses all requests that wait for permission, when nobody is left who could give it.
pub(super) fn refusals(state: &State) -> Vec<Draft> {
    let mut drafts = vec![];
    for turn in state.turns.values() {
        let Some(round) = turn.tools.last() else { continue };
        for (at, run) in (0u32..).zip(&round.runs) {
            let fresh = run.called.is_none() && run.returned.is_none();
            if !fresh || !matches!(decided(state, turn, run), Decided::Waits) {
                continue;
            }
            let back = ToolReturned {
                turn: turn.id,
                asked: round.asked,
                at,
                tool: run.request.tool.clone(),
                is: ToolOutcome::Refused,
                result: NOBODY.into(),
                whole: None,
                took_ms: 0,
            };
            drafts.push(draft(turn.thread, ENGINE, back.into()));
        }
    }
    drafts
}

enum Decided {
    Call,
    Back(ToolOutcome, Text),
    Waits,
}

fn decided(state: &State, turn: &Turn, run: &ToolRun) -> Decided {
    let back = |is, why: String| Decided::Back(is, why.into());
    let name = &run.request.tool;
    if !run.request.arguments.is_object() {
        return back(ToolOutcome::Failed, "the arguments are not a JSON object".to_owned());
    }
    let tools = state.seat(&turn.seat).map(|s| s.spec.tools.as_slice()).unwrap_or_default();
    let Some(tool) = tools.iter().find(|tool| tool.name == *name) else {
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        let why = format!("there is no such tool; there are: {}", names.join(", "));
        return back(ToolOutcome::Failed, why);
    };
    if let Err(why) = fits(tool, &run.request.arguments) {
        return back(ToolOutcome::Failed, why);
    }
    let same = |other: &&ToolRun| {
        let failed = other.returned.as_ref().is_some_and(|(is, _)| *is == ToolOutcome::Failed);
        failed && other.request == run.request
    };
    if turn.tools.iter().flat_map(|round| &round.runs).filter(same).count() >= EQUAL_FAILURES {
        let why = "this has failed in the same way before and is not tried again".to_owned();
        return back(ToolOutcome::Failed, why);
    }
    if tool.read_only {
        return Decided::Call;
    }
    match state.decided(name) {
        Some(true) => Decided::Call,
        Some(false) => back(ToolOutcome::Refused, "the operator does not allow it".to_owned()),
        None if state.has_operator() => Decided::Waits,
        None => back(ToolOutcome::Refused, NOBODY.to_owned()),
    }
}

/// Checks arguments against the schema of a tool.
fn fits(tool: &Tool, arguments: &Value) -> Result<(), String> {
    let validator = scenario::validator(&tool.parameters)?;
    validator.validate(arguments).map_err(|e| {
        let mut why = match e.instance_path().as_str() {
            "" => format!("invalid arguments: {e}"),
            path => format!("the arguments are wrong at {path}: {e}"),
        };
        why.truncate(why.floor_char_boundary(WRONG_MAX));
        why
    })
}

/// Returns the job of a `tool.called`.
pub(super) fn job(state: &State, called: Seq) -> Option<ToolJob> {
    let (turn, round, at) = state.tool_called(called)?;
    let request = &round.runs.get(at)?.request;
    let seat = state.seat(&turn.seat)?;
    let tool = seat.spec.tools.iter().find(|tool| tool.name == request.tool)?.clone();
    let arguments = request.arguments.clone();
    let participant = turn.seat.clone();
    Some(ToolJob { called, turn: turn.id, participant, tool, arguments })
}

/// Returns the event for a tool's result.
pub(super) fn returned(state: &State, called: Seq, end: &ToolResult) -> Option<Draft> {
    let (turn, round, at) = state.tool_called(called)?;
    let back = ToolReturned {
        turn: turn.id,
        asked: round.asked,
        at: u32::try_from(at).ok()?,
        tool: round.runs.get(at)?.request.tool.clone(),
        is: end.is,
        result: end.result.clone(),
        whole: end.whole.clone(),
        took_ms: end.took_ms,
    };
    Some(draft(turn.thread, ENGINE, back.into()))
}
