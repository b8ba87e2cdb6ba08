//! Notes on a plan: its steps, the participants that join and leave for them, and its end.

use super::narrated::{Narrated, note};
use crate::analysis::name;
use crate::model::{PlanEnded, PlanMade, SeatJoined, SeatLeft, StepEnded, StepState};
use crate::state::State;
use crate::text;

pub(super) fn made(made: &PlanMade) -> Vec<Narrated> {
    let steps = text::plural(made.steps.len(), "step");
    match &made.why {
        Some(why) => note(format!("new plan because {why}: {steps} in all")),
        None => note(format!("the plan has {steps}")),
    }
}

pub(super) fn joined(joined: &SeatJoined) -> Vec<Narrated> {
    note(format!("{} joins", joined.participant.name))
}

pub(super) fn left(state: &State, left: &SeatLeft) -> Vec<Narrated> {
    note(format!("{} leaves: {}", name(state, &left.id), left.why))
}

pub(super) fn step(ended: &StepEnded) -> Vec<Narrated> {
    let why = ended.why.iter().map(|why| format!(": {why}")).collect::<String>();
    let again = match ended.attempt {
        0 | 1 => String::new(),
        n => format!(", attempt {n}"),
    };
    note(format!("step {}{again} {}{why}", ended.step, ended.is.as_str()))
}

pub(super) fn ended(state: &State, ended: &PlanEnded) -> Vec<Narrated> {
    let plan = state.plan().filter(|plan| plan.number == ended.plan);
    let completed = plan.map_or(0, |plan| plan.states().count(StepState::Completed));
    match (ended.is, plan) {
        (StepState::Cancelled, _) => note("the plan stopped: the conversation ended"),
        // an earlier program called it completed
        (_, Some(plan)) if ended.turn.is_some() && completed > 0 && plan.lost() > 0 => {
            note(format!("the plan ended: {}", plan.tally()))
        }
        (StepState::Completed, _) => note("the plan is completed"),
        _ if ended.turn.is_none() => note("the plan failed: no answer was given"),
        _ => note("the plan failed: no step was completed"),
    }
}
