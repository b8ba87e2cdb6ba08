//! Resolution of commands on a plan: their targets, or the reason for a refusal.

use super::input::Refusal;
use crate::model::plan::faults;
use crate::model::{Command, MessageKind, StepSpec, StepState, Targets, ThreadId};
use crate::state::{Plan, PlannedStep, RunState, State};

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
