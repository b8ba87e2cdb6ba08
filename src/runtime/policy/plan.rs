//! A planner makes a plan, executors carry out its steps, and the planner answers from all results.
//!
//! A step begins once the steps it depends on are over and fewer than `parallel` steps are running; its conversation is
//! a thread of its own (`step.rs`). A failed step keeps its reason and the plan goes on, after the planner was asked
//! once for another plan. Steps that depend on it are blocked. The planner reads new operator messages before any
//! further step begins. Progress is in the state's plan; the memo holds the planner's last task.

mod board;
mod prompt;

use super::{Decision, NextMove, Policy, View};
use crate::model::payload::ThreadOpened;
use crate::model::*;
use crate::scenario::{OptionKind, PolicyRow, TakesPart, options};
use crate::state::policies::plan;
use crate::state::{Handled, Memo, Plan, PlannedStep, Reply, StepStates, Task};
use serde_json::{Value, json};

const ROW: PolicyRow = PolicyRow {
    name: plan::NAME,
    meaning: "A planner makes a plan, executors made from one participant carry out its steps, and the planner answers.",
    options: options! {
        "executor" = OptionKind::Named { speaks: false },
            "The participant that executors are made from, one for each step; it takes no turns itself.";
        "planner" = OptionKind::Named { speaks: true },
            "The planner, who also answers questions and gives the final answer (default: the first participant who \
             speaks).";
        "judge" = OptionKind::Named { speaks: false },
            "Who says whether a step is really done before it is accepted (default: no one).";
        "parallel" = OptionKind::Count, "How many steps run at the same time (default 3).";
        "steps" = OptionKind::CountTo(plan::STEPS_MAX), "How many steps a plan may have in all (default 12).";
        "exchanges" = OptionKind::Count,
            "How many messages an executor may write before its step fails (default 10).";
        "updates" = OptionKind::Count,
            "Number of updates in a row after which the planner decides how to continue (default 3).";
        "step_seconds" = OptionKind::Count,
            "Seconds after which a step fails and its call is cut (default: no limit).";
        "replan" = OptionKind::Flag,
            "Whether the planner is asked once for another plan when a step fails (default true).";
        "approve" = OptionKind::Flag,
            "Whether the conversation pauses after each plan, before its steps begin (default false).";
        "messages" = OptionKind::Count,
            "How many messages an executor may write to other executors in a step (default 3).";
    },
    takes_part: TakesPart::NoTurns("no turns, but the planner hears you"),
    traits: plan::TRAITS,
};

/// Policy `plan`; see the module.
pub(super) const POLICY: Policy = Policy {
    board: board::board,
    details: board::details,
    prompt: |v, turn| prompt::parts(v.state, turn),
    tags: prompt::TAGS,
    overlaps: true,
    result,
    ..Policy::new(ROW, next)
};

/// Default number of steps that run at the same time.
const PARALLEL: u64 = 3;
/// First question to the planner.
const ASK_PLAN: &str = "Break the request down into steps, each with one clear goal. Whoever carries out a step sees only the \
                        request, the step's description and goal, and the results of the steps it depends on. Steps that \
                        do not depend on each other run in parallel.";
/// Question to the planner at the end.
const ASK_ANSWER: &str = "All steps are finished. Write the final answer to the request, based on all results. It must be \
                          complete and make sense on its own. If something could not be done, say what and why.";
/// Instructions to the planner for an updated plan.
const ASK_REST: &str = "List all remaining steps, including the waiting ones you want to keep; a waiting step you leave out is \
                        dropped. Do not list steps that are running or finished. Give each new step a new number. If nothing \
                        is left to do, return an empty list. A step that waits for a failed step never runs.";

fn next(v: &View<'_>) -> Decision {
    let Some(planner) = v.state.planner(v.thread) else { return v.end(StopReason::Failure) };
    let number = number(v);
    let plan = v.thread.state.plan().filter(|plan| plan.number == number);
    let reply = v.thread.asked.as_ref().and_then(|b| b.ended.last());
    match (v.thread.memo.step, plan, reply) {
        (None, ..) => {
            let before = v.thread.state.plan().map_or(0, |plan| plan.number);
            let memo = Memo { number: Some(before + 1), step: Some(Task::Plan), ..v.memo() };
            ask(v, &planner, "plans", ASK_PLAN.into(), memo)
        }
        (Some(Task::Plan | Task::PlanAgain), plan, Some(reply))
            if planned(reply) && plan.is_none_or(|plan| plan.turn != reply.turn) =>
        {
            record(v, made(v, plan, reply, number).into())
        }
        (Some(Task::Plan), None, reply) if may_try_again(v, reply) => {
            ask(v, &planner, "plans", ASK_PLAN.into(), v.memo())
        }
        (Some(Task::Close), Some(plan), reply) => closed(v, plan, &planner, reply),
        (_, Some(plan), _) => carry_out(v, plan, &planner),
        (_, None, _) => v.end(StopReason::Failure),
    }
}

fn result(v: &View<'_>) -> Value {
    let Some(plan) = v.thread.state.plan() else { return Value::Null };
    let answer = plan.ended.as_ref().and_then(|ended| said(v, ended.turn?));
    let states = plan.states();
    let steps = plan.steps.iter().map(|step| {
        json!({
            "number": step.spec.number,
            "description": step.spec.description,
            "state": states.state(step),
            "executor": step.executor,
            "exchanges": step.exchange(),
            "attempts": step.attempt,
            "result": v.state.step_result(step),
            "why": step.why,
        })
    });
    let state = plan.ended.as_ref().map(|ended| ended.is);
    json!({"answer": answer, "state": state, "steps": steps.collect::<Value>()})
}

/// Returns the number of the plan that is being made or carried out.
fn number(v: &View<'_>) -> u32 {
    v.thread.memo.number.unwrap_or(0)
}

/// Returns the current text of a turn, unless hidden.
fn said(v: &View<'_>, turn: TurnId) -> Option<Text> {
    Some(v.state.shown_entry(turn)?.text().clone())
}

fn planned(reply: &Reply) -> bool {
    reply.outcome == Outcome::Said && reply.structured["steps"].is_array()
}

/// Returns whether the planner is asked again for a missing reply: once after each resume.
fn may_try_again(v: &View<'_>, reply: Option<&Reply>) -> bool {
    reply.is_none_or(|reply| v.state.since.reopened.is_some_and(|at| at.0 > reply.turn.0))
}

fn record(v: &View<'_>, kind: Kind) -> Decision {
    Decision { next: NextMove::Record(Box::new(kind)), memo: v.memo() }
}

/// Asks the planner, or waits until it can be asked.
fn ask(v: &View<'_>, planner: &SeatId, why: &str, question: Text, memo: Memo) -> Decision {
    if !v.state.may_speak(planner) {
        let muted = v.state.seat(planner).is_some_and(|s| s.muted && !s.gone);
        return if muted { v.wait() } else { v.end(StopReason::Exhausted) };
    }
    let next = NextMove::Ask {
        purpose: Purpose::Speak,
        seats: vec![planner.clone()],
        why: format!("{} {why}", v.name(planner)).into(),
        question,
        options: vec![],
    };
    Decision { next, memo }
}

/// Returns the plan from the planner's reply: steps that have begun stay, the others are replaced by those in the
/// reply.
fn made(v: &View<'_>, plan: Option<&Plan>, reply: &Reply, number: u32) -> PlanMade {
    let begun = plan.into_iter().flat_map(|p| &p.steps).filter(|s| s.state != StepState::Waiting);
    let new: Vec<StepSpec> =
        serde_json::from_value(reply.structured["steps"].clone()).unwrap_or_default();
    let known: Vec<StepSpec> = begun.map(|s| s.spec.clone()).collect();
    let fresh = |step: &StepSpec| !known.iter().any(|known| known.number == step.number);
    let new: Vec<StepSpec> = new.into_iter().filter(fresh).collect();
    let why = plan.and(v.thread.memo.why.clone());
    PlanMade { plan: number, turn: reply.turn, why, steps: known.into_iter().chain(new).collect() }
}

/// Decides what comes next while there is a plan and no open question to the planner.
fn carry_out(v: &View<'_>, plan: &Plan, planner: &SeatId) -> Decision {
    if let Some(kind) = closes(v, plan) {
        return record(v, kind);
    }
    // the planner reads pending operator messages before a step begins
    if words_wait(v) {
        return v.wait();
    }
    if let Some(again) = make_up(v, plan, planner).or_else(|| plan_again(v, plan, planner)) {
        return again;
    }
    let room = v.option_count("parallel").unwrap_or(PARALLEL) as usize;
    let states = plan.states();
    if states.count(StepState::Running) < room
        && let Some(step) = ready(plan, &states)
    {
        return begin(v, plan, step, planner);
    }
    if plan.steps.iter().any(|s| s.state == StepState::Running) {
        return v.wait();
    }
    let memo = Memo { step: Some(Task::Close), ..v.memo() };
    ask(v, planner, "answers over all results", ASK_ANSWER.into(), memo)
}

/// Returns the next event that closes something: a step that the operator cancelled or whose thread ended otherwise,
/// then an executor whose step is over.
fn closes(v: &View<'_>, plan: &Plan) -> Option<Kind> {
    let open = |step: &PlannedStep| {
        let thread = step.thread.and_then(|t| v.state.threads.get(&t));
        thread.is_some_and(|t| t.closed.is_none())
    };
    for step in plan.steps.iter().filter(|s| !open(s)) {
        let over = |is, why: String| StepEnded {
            step: step.spec.number,
            attempt: step.attempt,
            is,
            halted: false,
            turn: None,
            why: Some(why.into()),
        };
        if step.stopping {
            return Some(over(StepState::Cancelled, "the operator cancelled it".into()).into());
        }
        if step.state == StepState::Running {
            let closed = step.thread.and_then(|t| v.state.threads.get(&t)?.closed.as_ref());
            let why = closed.map_or("it was not opened", |closed| closed.reason.as_str());
            return Some(over(StepState::Failed, format!("its conversation ended: {why}")).into());
        }
    }
    let left = |step: &&PlannedStep| {
        let seat = step.executor.as_ref().and_then(|id| v.state.seat(id));
        let made = seat.is_some_and(|s| s.spec.made_from.is_some() && !s.gone);
        made && step.state.is_over() && !open(step)
    };
    let step = plan.steps.iter().find(left)?;
    let why = format!("step {} is over", step.spec.number).into();
    Some(SeatLeft { id: step.executor.clone()?, why }.into())
}

/// Returns whether an operator message is not in the transcript yet.
fn words_wait(v: &View<'_>) -> bool {
    v.state.pending.values().any(|command| {
        let says =
            matches!(command.given.line.command, Command::Say { .. } | Command::CutIn { .. });
        says && command.placed.is_empty() && command.too_late.is_none()
    })
}

/// Repeats the request for another plan that the planner did not answer before a resume.
fn make_up(v: &View<'_>, plan: &Plan, planner: &SeatId) -> Option<Decision> {
    let asked = v.thread.asked.as_ref()?;
    if v.thread.memo.step != Some(Task::PlanAgain) {
        return None;
    }
    let reply = asked.ended.last();
    if reply.is_some_and(|r| planned(r) || r.turn == plan.turn) || !may_try_again(v, reply) {
        return None;
    }
    let question = asked.spec.question.clone()?;
    Some(ask(v, planner, "plans again, as asked before", question, v.memo()))
}

/// Asks the planner for another plan if the operator has spoken or a step has failed.
fn plan_again(v: &View<'_>, plan: &Plan, planner: &SeatId) -> Option<Decision> {
    let mut asked = match &v.thread.memo.counted {
        Some(Handled::Attempts(asked)) => asked.clone(),
        _ => vec![],
    };
    let heard = v.thread.memo.heard.unwrap_or_default();
    if let Some(entry) = v.state.unplanned_words(v.thread).filter(|e| e.seq > heard) {
        let question = format!(
            "The host has said something new, shown in the request. Update the plan. {ASK_REST}"
        );
        let memo = Memo {
            step: Some(Task::PlanAgain),
            heard: Some(entry.seq),
            why: Some("the host has spoken".into()),
            ..v.memo()
        };
        return Some(ask(v, planner, "plans again: the host has spoken", question.into(), memo));
    }
    if v.thread.spec.options["replan"] == false {
        return None;
    }
    // ask once about each failure; the attempt is identified by its thread
    let failed = |s: &&PlannedStep| {
        let place = s.thread.map_or(0, |t| t.0);
        s.state == StepState::Failed && !asked.contains(&place)
    };
    let step = plan.steps.iter().find(failed)?;
    let n = step.spec.number;
    let place = step.thread.map_or(0, |t| t.0);
    let reason = step.reason().trim_end_matches('.');
    asked.push(place);
    let why = format!("step {n} failed");
    let question = format!("Step {n} failed: {reason}. Update the plan. {ASK_REST}");
    let again = format!("plans again: {why}");
    let memo = Memo {
        step: Some(Task::PlanAgain),
        counted: Some(Handled::Attempts(asked)),
        why: Some(why.into()),
        ..v.memo()
    };
    Some(ask(v, planner, &again, question.into(), memo))
}

/// Returns the first step that can begin.
fn ready<'a>(plan: &'a Plan, states: &StepStates) -> Option<&'a PlannedStep> {
    let waits =
        |s: &&PlannedStep| states.state(s) == StepState::Waiting && states.waits_for(s).is_empty();
    plan.steps.iter().find(waits)
}

/// Adds the executor of a step, or opens the step's thread.
fn begin(v: &View<'_>, plan: &Plan, step: &PlannedStep, planner: &SeatId) -> Decision {
    let n = step.spec.number;
    let template = v.thread.spec.options["executor"].as_str().and_then(|id| v.state.seat(id));
    let executor = match template {
        Some(template) if step.spec.executor => {
            let id = SeatId(format!("{}-{n}", template.spec.id).into());
            if v.state.seat(&id).is_none_or(|s| s.gone) {
                let mut participant = Participant {
                    id: id.clone(),
                    name: format!("{} {n}", template.spec.name).into(),
                    aliases: vec![],
                    speaks: true,
                    made_from: Some(template.spec.id.clone()),
                    ..(*template.spec).clone()
                };
                let others = v.state.seats.iter().filter(|s| s.spec.id != id);
                participant.tell_apart(others.map(|s| &*s.spec));
                return record(v, Box::new(SeatJoined { participant }).into());
            }
            id
        }
        Some(_) | None => planner.clone(),
    };
    let mut seats = vec![executor];
    if seats[0] != *planner {
        seats.push(planner.clone());
    }
    let seconds = v.option_count("step_seconds");
    let spec = ThreadOpened {
        name: format!("step {n}: {}", step.spec.description).into(),
        policy: plan::STEP_NAME.into(),
        options: Value::Null,
        seats,
        inherits: false,
        limits: Limits { seconds, ..Limits::default() },
        about: json!({"plan": plan.number, "step": n, "attempt": step.attempt + 1, "goal": step.spec.goal}),
        memo: v.thread.memo.to_json(),
    };
    Decision { next: NextMove::Open(Box::new(spec)), memo: v.memo() }
}

/// Decides what comes next after the planner was asked for its answer.
fn closed(v: &View<'_>, plan: &Plan, planner: &SeatId, reply: Option<&Reply>) -> Decision {
    let reopened =
        v.state.unplanned_words(v.thread).is_some() || ready(plan, &plan.states()).is_some();
    if reopened && plan.ended.is_none() {
        return carry_out(v, plan, planner);
    }
    let answered = reply.filter(|r| r.outcome == Outcome::Said);
    if answered.is_none() && may_try_again(v, reply) {
        return ask(v, planner, "answers over all results", ASK_ANSWER.into(), v.memo());
    }
    let turn = answered.map(|r| r.turn);
    let done = answered.is_some() && plan.states().count(StepState::Completed) > 0;
    let is = if done && plan.lost() == 0 { StepState::Completed } else { StepState::Failed };
    let ended = PlanEnded { plan: plan.number, is, turn };
    if plan.ended.as_ref() != Some(&ended) {
        return record(v, ended.into());
    }
    // an answer based only on failures is a failure; a plan without steps has nothing to fail
    let empty = plan.steps.is_empty() && answered.is_some();
    v.end(if done || empty { StopReason::Completed } else { StopReason::Failure })
}
