//! Events that close a plan before its conversation ends: its running steps, their threads and executors, the plan
//! itself.
//!
//! A resume after such an end undoes it, so that the plan continues where it was.

use crate::model::event::ENGINE;
use crate::model::payload::ThreadClosed;
use crate::model::*;
use crate::state::{Seat, State, Thread};
use serde_json::json;

/// Reason for the end of a step that was running when the conversation ended.
const WHY: &str = "the conversation ended";

/// Returns the events before an end, in order; every prefix of them is legal.
pub(super) fn before_end(state: &State, reason: StopReason) -> Vec<Draft> {
    state.threads.values().flat_map(|thread| of_plan(state, thread, reason)).collect()
}

fn of_plan(state: &State, thread: &Thread, reason: StopReason) -> Vec<Draft> {
    let Some(plan) = thread.state.plan().filter(|plan| plan.ended.is_none()) else {
        return vec![];
    };
    let mut drafts = vec![];
    for step in &plan.steps {
        let talk = step.thread.unwrap_or(thread.id);
        if step.state == StepState::Running {
            let ended = StepEnded {
                step: step.spec.number,
                attempt: step.attempt,
                is: StepState::Cancelled,
                halted: !step.stopping,
                turn: None,
                why: Some(WHY.into()),
            };
            drafts.push(draft(talk, ENGINE, ended.into()));
        }
        if talk != thread.id && state.threads.get(&talk).is_some_and(|t| t.closed.is_none()) {
            let result = json!({"state": StepState::Cancelled, "result": null, "why": WHY});
            drafts.push(draft(talk, ENGINE, ThreadClosed { reason, result }.into()));
        }
    }
    let template = thread.spec.options["executor"].as_str();
    let made = |s: &&Seat| !s.gone && template.is_some() && s.spec.made_from.as_deref() == template;
    for seat in state.seats.iter().filter(made) {
        let left = SeatLeft { id: seat.spec.id.clone(), why: WHY.into() };
        drafts.push(draft(thread.id, ENGINE, left.into()));
    }
    let ended = PlanEnded { plan: plan.number, is: StepState::Cancelled, turn: None };
    drafts.push(draft(thread.id, ENGINE, ended.into()));
    drafts
}
