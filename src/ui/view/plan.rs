//! State of a plan: its steps, their executors, dependencies and messages.
//!
//! Everything is read from the fold, so that live, recorded and resumed conversations look the same.

use crate::model::plan::summary_and_results;
use crate::model::{MessageKind, Ms, SeatId, StepState};
use crate::state::{Plan, PlannedStep, State, StepMessage, Thread};
use crate::text;
use crate::ui::theme::ThemeRole;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::graph::picture as boxes;
use crate::ui::view::message::clock;
use crate::ui::view::page::{Page, Section};
use crate::ui::view::step::kind;
use crate::ui::view::transcript::Transcript;

/// State of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepStanding {
    /// Number of the step.
    pub number: u32,
    /// Progress of the step.
    pub state: StepState,
    /// Word for the state, or `stopping`.
    pub word: &'static str,
    /// Description on one line.
    pub description: String,
    /// Index, for the colour, and name of the executor.
    pub executor: Option<(usize, String)>,
    /// Dependencies that it waits for, or the type of its last message.
    pub last: String,
    /// Current exchange and the maximum; `None` without exchanges with the planner.
    pub exchange: Option<(u32, u32)>,
}

/// State of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanStanding {
    /// Short facts: the plan's number or outcome, and the number of steps per state.
    pub facts: Vec<String>,
    /// Steps in order.
    pub steps: Vec<StepStanding>,
}

/// Returns the newest plan and its thread; `None` if a consensus thread was opened since.
fn planned(state: &State) -> Option<(&Thread, &Plan)> {
    let ours = |t: &&Thread| t.state.plan().is_some() || t.is_search();
    let thread = state.threads.values().rev().find(ours)?;
    Some((thread, thread.state.plan()?))
}

/// Returns the state of the plan; `None` without a plan.
pub fn status(transcript: &Transcript) -> Option<PlanStanding> {
    let (thread, plan) = planned(transcript.state())?;
    let step = |step: &PlannedStep| StepStanding {
        number: step.spec.number,
        state: plan.state_of(step),
        word: if step.stopping { "stopping" } else { plan.state_of(step).as_str() },
        description: text::label(&step.spec.description).into_owned(),
        executor: step.executor.as_ref().map(|id| (transcript.seat_place(id), transcript.name(id))),
        last: last(transcript, plan, step),
        exchange: exchange(thread, step),
    };
    let facts = facts(plan);
    Some(PlanStanding { facts, steps: plan.steps.iter().map(step).collect() })
}

/// Returns the dependencies that a waiting step waits for, or the type of the last message of a started step.
fn last(transcript: &Transcript, plan: &Plan, step: &PlannedStep) -> String {
    let waits = plan.waits_for(step);
    if step.state == StepState::Waiting {
        if plan.state_of(step) == StepState::Blocked {
            return format!("needs {}", list(&step.spec.after));
        }
        return if waits.is_empty() {
            String::new()
        } else {
            format!("waits for {}", list(&waits))
        };
    }
    let Some(message) = step.current().next_back() else { return String::new() };
    match message.kind {
        MessageKind::Question => format!("asked {}", transcript.name(&message.to)),
        MessageKind::SiblingMessage => format!("wrote to {}", transcript.name(&message.to)),
        other => kind(other),
    }
}

/// Returns the exchange of a step: the number of finished ones, plus one while its executor is being asked.
fn exchange(thread: &Thread, step: &PlannedStep) -> Option<(u32, u32)> {
    let most = thread.exchanges();
    let asked = |m: &StepMessage| Some(&m.from) != step.executor.as_ref();
    let asks = step.state == StepState::Running && step.current().next_back().is_some_and(asked);
    let now = (step.exchange() + u32::from(asks)).min(most);
    (step.spec.executor && step.attempt > 0 && now > 0).then_some((now, most))
}

fn facts(plan: &Plan) -> Vec<String> {
    let all = plan.steps.len();
    let number = (plan.number > 1).then(|| format!("plan {}", plan.number));
    let done = format!("{} of {all} completed", plan.count(StepState::Completed));
    let count = |state: StepState| {
        let n = plan.count(state);
        (n > 0).then(|| format!("{n} {}", state.as_str()))
    };
    let is = plan.ended.as_ref().map(|ended| format!("plan {}", ended.is.as_str()));
    let rest = [
        StepState::Running,
        StepState::Failed,
        StepState::Blocked,
        StepState::Cancelled,
        StepState::Waiting,
    ];
    let first = [is.or(number), Some(done)].into_iter();
    first.chain(rest.into_iter().map(count)).flatten().collect()
}

/// Returns the page with the goals, messages, results and reasons of all steps.
pub fn page(transcript: &Transcript, _: Ms, glyphs: &Glyphs) -> Option<Page> {
    let table = status(transcript)?;
    let (_, plan) = planned(transcript.state())?;
    let section = |(stands, step): (&StepStanding, &PlannedStep)| {
        let (sign, _) = sign(stands.state, glyphs);
        let head = format!("{} {sign} {}  {}", stands.number, stands.word, stands.description);
        let by = stands.executor.as_ref().map(|(place, _)| *place);
        let body = body(transcript, plan, stands, step, glyphs);
        Section { head, body, by, warns: stands.state == StepState::Failed, ..Section::default() }
    };
    let picture = picture(&table, plan, glyphs);
    let drawn = Section { body: graph(&table, plan, glyphs), picture, ..Section::default() };
    let steps = table.steps.iter().zip(&plan.steps).map(section);
    let parts = [drawn].into_iter().chain(steps).collect();
    let facts = vec![("stands", table.facts.join(", "))];
    Some(Page { title: "The plan".into(), facts, parts, again: Some(page), ..Page::default() })
}

/// Draws the steps as boxes with their states, and arrows from each step to its dependents.
fn picture(table: &PlanStanding, plan: &Plan, glyphs: &Glyphs) -> Vec<String> {
    let node = |step: &StepStanding| {
        let (sign, _) = sign(step.state, glyphs);
        (format!("{} {}", step.number, step.description), format!("{sign} {}", step.word))
    };
    let nodes: Vec<(String, String)> = table.steps.iter().map(node).collect();
    let at = |n: u32| plan.steps.iter().position(|s| s.spec.number == n);
    let edges = plan
        .steps
        .iter()
        .enumerate()
        .flat_map(|(to, step)| step.spec.after.iter().filter_map(move |n| Some((at(*n)?, to))));
    boxes(&nodes, &edges.collect::<Vec<_>>(), glyphs).rows
}

/// Renders the same graph as text: below each step, its dependents.
fn graph(table: &PlanStanding, plan: &Plan, glyphs: &Glyphs) -> String {
    let [_, _, corner, _] = glyphs.corners;
    let node = |step: &StepStanding| {
        let (sign, _) = sign(step.state, glyphs);
        format!("{sign} {} {} ({})", step.number, step.description, step.word)
    };
    let mut told = String::new();
    for step in &table.steps {
        told.push_str(&format!("{}\n", node(step)));
        let others = table.steps.iter().zip(&plan.steps);
        for (other, _) in others.filter(|(_, spec)| spec.spec.after.contains(&step.number)) {
            told.push_str(&format!("  {corner}{} {}\n", glyphs.rule.repeat(2), node(other)));
        }
    }
    told
}

/// Returns all details of a step, one or more rows each.
fn body(
    transcript: &Transcript,
    plan: &Plan,
    stands: &StepStanding,
    step: &PlannedStep,
    glyphs: &Glyphs,
) -> String {
    let indented = |words: &str| text::block(words.trim()).replace('\n', "\n    ");
    let mut rows = Vec::new();
    let goal = &step.spec.goal;
    if !goal.is_empty() && *goal != step.spec.description {
        rows.push(format!("goal: {}", indented(goal)));
    }
    if !step.spec.after.is_empty() {
        let waits = plan.waits_for(step);
        let after = format!("after {}", list(&step.spec.after));
        rows.push(match (stands.state, waits.is_empty()) {
            (StepState::Waiting, false) if waits == step.spec.after => stands.last.clone(),
            (StepState::Waiting, false) => format!("{after}; {}", stands.last),
            _ => after,
        });
    }
    if let Some((_, name)) = &stands.executor {
        let attempt =
            if step.attempt > 1 { format!(", attempt {}", step.attempt) } else { String::new() };
        let exchange =
            stands.exchange.map(|(now, most)| format!(", message {now} of at most {most}"));
        rows.push(format!("by {name}{attempt}{}", exchange.unwrap_or_default()));
    }
    rows.extend(step.messages.iter().map(|m| {
        let name = |id: &SeatId| transcript.name(id);
        let words = if m.turn == step.turn && step.state == StepState::Completed {
            // its results are listed below
            summary_and_results(&m.text).0
        } else {
            MessageKind::marked(&m.text).map_or(&*m.text, |(_, words)| words)
        };
        let words = text::label(words);
        let words = if words.is_empty() { String::new() } else { format!(": {words}") };
        let from = name(&m.from);
        let to = name(&m.to);
        let kind = kind(m.kind);
        let whom = if m.from == m.to { from } else { format!("{from} {} {to}", glyphs.arrow) };
        format!("{}  {whom}  {kind}{words}", clock(m.ms.0))
    }));
    if let Some(why) = &step.why {
        rows.push(format!("{} because {}", stands.word, indented(why)));
    }
    if let Some(result) = transcript.state().step_result(step) {
        rows.push(format!("result:\n    {}", indented(&result)));
    }
    rows.iter().map(|row| format!("  {row}\n")).collect()
}

/// Returns the symbol and the colour of a step's state.
pub fn sign(state: StepState, glyphs: &Glyphs) -> (&'static str, ThemeRole) {
    match state {
        StepState::Waiting => (glyphs.waiting, ThemeRole::FloorWaiting),
        StepState::Running => (glyphs.speaking, ThemeRole::FloorSpeaking),
        StepState::Completed => (glyphs.done, ThemeRole::FloorDone),
        StepState::Failed | StepState::Blocked => (glyphs.stopped, ThemeRole::FloorError),
        StepState::Cancelled => (glyphs.paused, ThemeRole::FloorStopped),
    }
}

fn list(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
