//! Prompt parts for a planner and its executors: the request, the plan, a step's task and the results that it depends
//! on. They are rebuilt at every call from the current plan. An executor sees its own step and the messages to it, but
//! not the threads of other executors; the planner sees the whole plan.

use super::escape::{attribute, quoted};
use crate::model::{Purpose, Seq, StepState, Text};
use crate::state::{Entry, Plan, PlannedStep, State, Thread, Turn, Who};

/// Prompt parts of a turn in a plan.
pub(super) struct PlanParts {
    /// Task of the step.
    pub brief: Option<Text>,
    /// Other parts in order, each in its tag.
    pub sections: Vec<Text>,
    /// True if they replace the history, because the plan contains it.
    pub alone: bool,
}

/// Returns the prompt parts of a turn in a plan besides the messages of its thread; `None` outside a plan.
pub(super) fn parts(state: &State, turn: &Turn) -> Option<PlanParts> {
    let root = state.plan_thread(turn.thread)?;
    if turn.purpose == Purpose::Summarise {
        return None;
    }
    let plan = root.state.plan();
    let (history, request) = requests(state, root, turn);
    let mut sections = vec![];
    let Some((plan, step)) = state.step_of(turn.thread) else {
        sections.extend(history);
        sections.push(request);
        sections.extend(executor_tools(state, root));
        sections.extend(plan.and_then(|plan| whole(state, plan)));
        return Some(PlanParts { brief: None, sections, alone: true });
    };
    let by_executor = step.executor.as_ref() == Some(&turn.seat) && step.spec.executor;
    sections.push(request);
    if !by_executor {
        sections.extend(whole(state, plan));
    } else {
        let waited = step.spec.after.iter().filter_map(|n| plan.step(*n));
        sections.extend(waited.filter_map(|s| result(state, s)));
        let told = state.sibling_messages(plan, step).into_iter().map(|m| {
            let by = state.seat(&m.from).map_or(&m.from.0, |s| &s.spec.name);
            let words =
                crate::model::MessageKind::marked(&m.text).map_or(&*m.text, |(_, words)| words);
            tagged("message", &format!(" from=\"{}\"", attribute(by)), words)
        });
        sections.extend(told);
    }
    let brief = format!("{}\nGoal: {}", step.spec.description, step.spec.goal);
    Some(PlanParts { brief: Some(brief.into()), sections, alone: false })
}

fn tagged(tag: &str, attributes: &str, words: &str) -> Text {
    format!("<{tag}{attributes}>\n{}\n</{tag}>", quoted(words.trim())).into()
}

/// Returns the earlier exchanges with the host, if there are any, and the request of this one.
fn requests(state: &State, root: &Thread, turn: &Turn) -> (Option<Text>, Text) {
    let place = state.heard_to(turn);
    let hears = |e: &&Entry| {
        let here = state.plan_thread(e.thread).is_some_and(|t| t.id == root.id)
            || state.sees_thread(root.id, e.thread);
        here && e.seq < place && !e.is_whisper() && e.text_at(place).is_some()
    };
    let from = state.since.seq;
    // the same message may be in the threads of several steps
    let mut keys = vec![];
    let mut hosts: Vec<&Entry> = state
        .entries
        .iter()
        .filter(|e| e.who == Who::Operator)
        .filter(hears)
        .filter(|e| {
            !keys.contains(&e.of) && {
                keys.push(e.of.clone());
                true
            }
        })
        .collect();
    let answered: Vec<&Entry> = state
        .entries
        .iter()
        .filter(|e| from > Seq(0) && e.seq < from && e.thread == root.id && e.seat().is_some())
        .filter(hears)
        .collect();
    let words = |e: &&Entry| e.text_at(place).map(|t| t.to_string()).unwrap_or_default();
    let topic = state.scenario.topic.as_ref().or(state.title.as_ref());
    let topic = topic.map(|t| t.trim().to_owned());
    let now: Vec<String> = hosts.iter().filter(|e| e.seq > from).map(words).collect();
    let request: Vec<String> = match (from, now.is_empty()) {
        (Seq(0), _) => topic.iter().cloned().chain(now).collect(),
        (_, true) => topic.iter().cloned().collect(),
        (_, false) => now,
    };
    hosts.retain(|e| e.seq <= from);
    let mut before: Vec<&Entry> = hosts.into_iter().chain(answered.last().copied()).collect();
    before.sort_by_key(|e| e.seq);
    let history = (from > Seq(0) && !before.is_empty()).then(|| {
        let all: Vec<String> = topic
            .iter()
            .map(|topic| format!("Host: {topic}"))
            .chain(before.iter().map(|e| {
                let who = if e.seat().is_some() { "Answer" } else { "Host" };
                format!("{who}: {}", words(e))
            }))
            .collect();
        tagged("history", "", &all.join("\n\n"))
    });
    (history, tagged("request", "", &request.join("\n\n")))
}

/// Returns the tools of the executors, for the planner.
fn executor_tools(state: &State, root: &Thread) -> Option<Text> {
    let template = root.spec.options["executor"].as_str().and_then(|id| state.seat(id))?;
    let tools = template.spec.tools.iter();
    let lines: Vec<String> =
        tools.map(|tool| format!("- {}: {}", tool.name, tool.description.trim())).collect();
    (!lines.is_empty()).then(|| tagged("executor_tools", "", &lines.join("\n")))
}

/// Returns the whole plan, with the states and results of its steps.
fn whole(state: &State, plan: &Plan) -> Option<Text> {
    if plan.steps.is_empty() {
        return None;
    }
    let steps = plan.steps.iter().map(|step| {
        let after: Vec<String> = step.spec.after.iter().map(u32::to_string).collect();
        let after = match &after[..] {
            [] => String::new(),
            after => format!(", after {}", after.join(", ")),
        };
        let head = format!(
            "{}. {} ({}{after})\nGoal: {}",
            step.spec.number,
            step.spec.description,
            plan.state_of(step).as_str(),
            step.spec.goal
        );
        let told = outcome(state, step).map(|told| format!("\n{told}")).unwrap_or_default();
        format!("<step number=\"{}\">\n{}\n</step>", step.spec.number, quoted(&(head + &told)))
    });
    let steps: Vec<String> = steps.collect();
    Some(format!("<plan>\n{}\n</plan>", steps.join("\n")).into())
}

/// Returns the outcome of a step as text.
fn outcome(state: &State, step: &PlannedStep) -> Option<String> {
    let why = step.why.as_deref().unwrap_or("no reason given");
    match step.state {
        StepState::Completed => Some(format!("Result: {}", state.step_result(step)?)),
        StepState::Failed => Some(format!("Failed: {}", step.reason())),
        StepState::Cancelled => Some(format!("Cancelled: {why}")),
        StepState::Waiting | StepState::Running | StepState::Blocked => None,
    }
}

/// Returns the result of a step for the steps that depend on it.
fn result(state: &State, step: &PlannedStep) -> Option<Text> {
    let told = match step.state {
        StepState::Completed => state.step_result(step)?.to_string(),
        _ => outcome(state, step)?,
    };
    let about =
        format!(" step=\"{}\" of=\"{}\"", step.spec.number, attribute(&step.spec.description));
    Some(tagged("result", &about, &told))
}
