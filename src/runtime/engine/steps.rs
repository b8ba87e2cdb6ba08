//! Steps of a plan: the targets of commands on them, or the reason for a refusal, and the events that close a plan
//! before its conversation ends. A resume after such an end undoes them, so that the plan continues where it was.

use super::input::Refusal;
use crate::model::event::ENGINE;
use crate::model::payload::ThreadClosed;
use crate::model::plan::faults;
use crate::model::*;
use crate::state::{Plan, PlannedStep, RunState, Seat, State, Thread};
use serde_json::json;

/// Resolves a command on a plan against the state.
///
/// # Errors
/// If the command is refused.
pub(super) fn resolve(state: &State, command: &Command) -> Result<Targets, Refusal> {
    let (thread, plan) = state.steered_plan()?;
    let mut targets = Targets::default();
    let in_step = |step: &PlannedStep| step.thread.unwrap_or(ThreadId::ROOT);
    match command {
        Command::CancelStep { step } => {
            let step = find(plan, *step)?;
            if step.state.is_over() {
                return Err(format!(
                    "step {} is already {}",
                    step.spec.number,
                    step.state.as_str()
                )
                .into());
            }
            if step.state == StepState::Running {
                targets.turns = state.running_in(in_step(step)).map(|t| t.id).collect();
            }
        }
        Command::AnswerStep { step, text } => {
            let step = find(plan, *step)?;
            if text.trim().is_empty() {
                return Err("`text` is empty".into());
            }
            let asks = step.current().next_back().is_some_and(|m| m.kind == MessageKind::Question);
            if step.state != StepState::Running || !asks {
                return Err(format!("step {} has no open question", step.spec.number).into());
            }
            targets.turns = state.running_in(in_step(step)).map(|t| t.id).collect();
            targets.threads = vec![in_step(step)];
            targets.seats = state.planner(thread).into_iter().collect();
        }
        Command::RerunStep { step } => {
            let step = find(plan, *step)?;
            if !step.state.is_over() {
                return Err(format!("step {} is {}", step.spec.number, step.state.as_str()).into());
            }
        }
        Command::EditStep { step, set } => {
            paused(state)?;
            let step = waiting(plan, *step)?;
            let changed = step.spec.with(set).map_err(String::from)?;
            sound(plan, &changed, thread.most_steps())?;
        }
        Command::AddStep { set } => {
            paused(state)?;
            let new = StepSpec::numbered(plan.free_number()).with(set).map_err(String::from)?;
            sound(plan, &new, thread.most_steps())?;
        }
        Command::MoveStep { step, before } => {
            paused(state)?;
            waiting(plan, *step)?;
            match before {
                Some(before) if before == step => {
                    return Err(format!("step {step} cannot be moved before itself").into());
                }
                Some(before) => drop(find(plan, *before)?),
                None => {}
            }
        }
        _ => {}
    }
    Ok(targets)
}

fn find(plan: &Plan, number: u32) -> Result<&PlannedStep, Refusal> {
    plan.step(number).ok_or_else(|| {
        let all: Vec<String> = plan.steps.iter().map(|s| s.spec.number.to_string()).collect();
        format!("no step {number}; the steps are {}", all.join(", ")).into()
    })
}

fn waiting(plan: &Plan, number: u32) -> Result<&PlannedStep, Refusal> {
    let step = find(plan, number)?;
    match step.state {
        StepState::Waiting => Ok(step),
        state => {
            Err(format!("step {number} is {}: only a waiting step can be changed", state.as_str())
                .into())
        }
    }
}

fn paused(state: &State) -> Result<(), Refusal> {
    match state.run {
        RunState::Paused | RunState::Pausing => Ok(()),
        RunState::Going | RunState::Stepping(_) => {
            Err("pause first, so that no step begins in the meantime".into())
        }
    }
}

/// Checks the changed plan; the error lists all faults.
fn sound(plan: &Plan, changed: &StepSpec, most: u32) -> Result<(), Refusal> {
    let mut steps: Vec<StepSpec> = plan.steps.iter().map(|s| s.spec.clone()).collect();
    match steps.iter_mut().find(|s| s.number == changed.number) {
        Some(step) => *step = changed.clone(),
        None => steps.push(changed.clone()),
    }
    let faults = faults(&steps, &[], most);
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ").into()) }
}

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
