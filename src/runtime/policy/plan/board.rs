//! Board of a plan: its steps, their executors, dependencies and messages.

use crate::model::plan::summary_and_results;
use crate::model::{MessageKind, StepState};
use crate::policy::board::{Board, BoardRow, Detail, DetailPart, RowLabel, RowProgress};
use crate::policy::view::View;
use crate::state::{Plan, PlannedStep, StepMessage, StepStates};
use crate::text;
use std::collections::BTreeMap;

/// Words for the states of steps, in the order in which hidden rows are counted.
const COUNTED: [&str; 6] = [
    StepState::Running.as_str(),
    StepState::Waiting.as_str(),
    StepState::Completed.as_str(),
    StepState::Failed.as_str(),
    StepState::Blocked.as_str(),
    StepState::Cancelled.as_str(),
];
/// Cells of the longest word for a state.
const WORD_CELLS: usize = 9;

/// Returns the board; `None` without a plan.
pub(super) fn board(v: &View<'_>) -> Option<Board> {
    let plan = v.thread.state.plan()?;
    let states = plan.states();
    let places: BTreeMap<u32, usize> =
        plan.steps.iter().enumerate().map(|(at, s)| (s.spec.number, at)).collect();
    let mut edges = vec![];
    for (to, step) in plan.steps.iter().enumerate() {
        edges.extend(step.spec.after.iter().filter_map(|n| Some((*places.get(n)?, to))));
    }
    Some(Board {
        title: "PLAN",
        page: "The plan",
        facts: facts(plan, &states),
        rows: plan.steps.iter().map(|step| row(v, &states, step)).collect(),
        word_cells: WORD_CELLS,
        counted: &COUNTED,
        edges: Some(edges),
        is_outcome: false,
    })
}

fn row(v: &View<'_>, states: &StepStates, step: &PlannedStep) -> BoardRow {
    let state = states.state(step);
    let note = note(v, states, step);
    let more = match exchange(v, step) {
        Some((1, _)) if state == StepState::Completed => ", 1 message".to_owned(),
        Some((now, _)) if state == StepState::Completed => format!(", {now} messages"),
        Some((now, most)) if !note.is_empty() => format!(", {now} of {most}"),
        _ => String::new(),
    };
    let label = RowLabel::Number(step.spec.number);
    BoardRow {
        is_over: state.is_over(),
        counts: vec![state.as_str()],
        text: Some(text::label(&step.spec.description).into_owned()),
        seat: step.executor.clone(),
        note,
        more,
        ..BoardRow::new(label, progress(state), word(states, step))
    }
}

fn word(states: &StepStates, step: &PlannedStep) -> &'static str {
    if step.stopping { "stopping" } else { states.state(step).as_str() }
}

fn progress(state: StepState) -> RowProgress {
    match state {
        StepState::Waiting => RowProgress::Waiting,
        StepState::Running => RowProgress::Running,
        StepState::Completed => RowProgress::Done,
        StepState::Failed | StepState::Blocked => RowProgress::Failed,
        StepState::Cancelled => RowProgress::Cancelled,
    }
}

/// Returns the dependencies that a waiting step waits for, or the type of the last message of a started step.
fn note(v: &View<'_>, states: &StepStates, step: &PlannedStep) -> String {
    if step.state == StepState::Waiting {
        let waits = states.waits_for(step);
        return if states.state(step) == StepState::Blocked {
            format!("needs {}", list(&step.spec.after))
        } else if waits.is_empty() {
            String::new()
        } else {
            format!("waits for {}", list(&waits))
        };
    }
    let Some(message) = step.current().next_back() else { return String::new() };
    match message.kind {
        MessageKind::Question => format!("asked {}", v.shown_name(&message.to)),
        MessageKind::SiblingMessage => format!("wrote to {}", v.shown_name(&message.to)),
        kind => kind.label().to_owned(),
    }
}

/// Returns the exchange of a step and the maximum: the number of finished ones, plus one while its executor is being
/// asked; `None` without exchanges with the planner.
fn exchange(v: &View<'_>, step: &PlannedStep) -> Option<(u32, u32)> {
    let most = v.thread.exchanges();
    let asked = |m: &StepMessage| Some(&m.from) != step.executor.as_ref();
    let asks = step.state == StepState::Running && step.current().next_back().is_some_and(asked);
    let now = (step.exchange() + u32::from(asks)).min(most);
    (step.spec.executor && step.attempt > 0 && now > 0).then_some((now, most))
}

fn facts(plan: &Plan, states: &StepStates) -> Vec<String> {
    let number = (plan.number > 1).then(|| format!("plan {}", plan.number));
    let completed = states.count(StepState::Completed);
    let is = plan.ended.as_ref().map(|ended| match ended.is {
        StepState::Failed if ended.turn.is_some() && completed > 0 => "plan ended".to_owned(),
        is => format!("plan {}", is.as_str()),
    });
    let done = format!("{completed} of {} completed", plan.steps.len());
    let rest = [
        StepState::Running,
        StepState::Failed,
        StepState::Blocked,
        StepState::Cancelled,
        StepState::Waiting,
    ];
    let count = |state: StepState| {
        let n = states.count(state);
        (n > 0).then(|| format!("{n} {}", state.as_str()))
    };
    [is.or(number), Some(done)].into_iter().chain(rest.into_iter().map(count)).flatten().collect()
}

/// Returns the goals, messages, results and reasons of all steps.
pub(super) fn details(v: &View<'_>) -> Vec<Detail> {
    let Some(plan) = v.thread.state.plan() else { return vec![] };
    let states = plan.states();
    let detail = |step: &PlannedStep| {
        let state = states.state(step);
        let number = step.spec.number;
        let description = text::label(&step.spec.description);
        Detail {
            head: vec![
                format!("{number} ").into(),
                DetailPart::Sign(progress(state)),
                format!(" {}  {description}", word(&states, step)).into(),
            ],
            body: body(v, &states, step),
            seat: step.executor.clone(),
            warns: state == StepState::Failed,
        }
    };
    plan.steps.iter().map(detail).collect()
}

/// Returns all details of a step, one or more lines each.
fn body(v: &View<'_>, states: &StepStates, step: &PlannedStep) -> Vec<DetailPart> {
    let indented = |words: &str| text::block(words.trim()).replace('\n', "\n    ");
    let mut parts = vec![];
    let goal = &step.spec.goal;
    if !goal.is_empty() && *goal != step.spec.description {
        parts.push(format!("  goal: {}\n", indented(goal)).into());
    }
    if !step.spec.after.is_empty() {
        let waits = states.waits_for(step);
        let waiting = states.state(step) == StepState::Waiting && !waits.is_empty();
        let after = format!("after {}", list(&step.spec.after));
        let after = match note(v, states, step) {
            note if waiting && waits == step.spec.after => note,
            note if waiting => format!("{after}; {note}"),
            _ => after,
        };
        parts.push(format!("  {after}\n").into());
    }
    if let Some(executor) = &step.executor {
        let name = v.shown_name(executor);
        let attempt =
            if step.attempt > 1 { format!(", attempt {}", step.attempt) } else { String::new() };
        let exchange = exchange(v, step)
            .map(|(now, most)| format!(", message {now} of at most {most}"))
            .unwrap_or_default();
        parts.push(format!("  by {name}{attempt}{exchange}\n").into());
    }
    parts.extend(step.messages.iter().flat_map(|m| message(v, step, m)));
    if let Some(why) = &step.why {
        parts.push(format!("  {} because {}\n", word(states, step), indented(why)).into());
    }
    if let Some(result) = v.state.step_result(step) {
        parts.push(format!("  result:\n    {}\n", indented(&result)).into());
    }
    parts
}

/// Returns the line of a message: time, sender, receiver, type and text.
fn message(v: &View<'_>, step: &PlannedStep, m: &StepMessage) -> Vec<DetailPart> {
    let words = if m.turn == step.turn && step.state == StepState::Completed {
        // its results follow in full
        summary_and_results(&m.text).0
    } else {
        m.kind.without_label(&m.text)
    };
    let words = text::label(words);
    let words = if words.is_empty() { String::new() } else { format!(": {words}") };
    let mut parts: Vec<DetailPart> =
        vec![format!("  {}  {}", text::clock(m.ms.0), v.shown_name(&m.from)).into()];
    if m.from != m.to {
        parts.extend([" ".into(), DetailPart::Arrow, format!(" {}", v.shown_name(&m.to)).into()]);
    }
    parts.push(format!("  {}{words}\n", m.kind.label()).into());
    parts
}

fn list(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
