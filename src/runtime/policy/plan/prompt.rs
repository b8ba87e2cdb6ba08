//! Prompt parts for a planner and its executors: the request, the plan, a step's task and the results that it depends
//! on. They are rebuilt at every call from the current plan. An executor sees its own step and the messages to it, but
//! not the threads of other executors; the planner sees the whole plan.

use crate::model::{Purpose, Seq, StepState, Text};
use crate::policy::prompt_parts::{PromptParts, PromptSection};
use crate::state::{Entry, Plan, PlannedStep, State, Thread, Turn, Who};

/// Tags of the sections.
pub(super) const TAGS: &[&str] = &crate::strings![
    "history" "host" "answer" "request" "executor_tools" "plan" "step" "result" "message"
];

/// Returns the prompt parts of a turn of the planner or in a step; `None` outside a plan.
pub(super) fn parts(state: &State, turn: &Turn) -> Option<PromptParts> {
    let root = state.plan_thread(turn.thread)?;
    if turn.purpose == Purpose::Summarise {
        return None;
    }
    let (history, request) = requests(state, root, turn);
    let parts = PromptParts { has_topic: true, ..PromptParts::default() };
    let Some((plan, step)) = state.step_of(turn.thread) else {
        let sections = history
            .into_iter()
            .chain([request])
            .chain(executor_tools(state, root))
            .chain(root.state.plan().and_then(|plan| whole(state, plan)));
        return Some(PromptParts {
            sections: sections.collect(),
            replaces_messages: true,
            ..parts
        });
    };
    let mut sections = vec![request];
    if step.executor.as_ref() == Some(&turn.seat) && step.spec.executor {
        let waited = step.spec.after.iter().filter_map(|n| plan.step(*n));
        sections.extend(waited.filter_map(|s| result(state, s)));
        sections.extend(state.sibling_messages(plan, step).into_iter().map(|m| {
            let by = state.seat(&m.from).map_or(&m.from.0, |s| &s.spec.name);
            PromptSection::new("message", m.kind.without_label(&m.text)).with("from", by.clone())
        }));
    } else {
        sections.extend(whole(state, plan));
    }
    let brief = format!("{}\nGoal: {}", step.spec.description, step.spec.goal);
    Some(PromptParts { brief: Some(brief.into()), sections, ..parts })
}

/// Returns the earlier exchanges with the host, if there are any, and the request of this one.
fn requests(state: &State, root: &Thread, turn: &Turn) -> (Option<PromptSection>, PromptSection) {
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
        let topic = topic.iter().map(|topic| PromptSection::new("host", &**topic));
        let all = topic.chain(before.iter().map(|e| {
            let tag = if e.seat().is_some() { "answer" } else { "host" };
            PromptSection::new(tag, words(e).trim())
        }));
        PromptSection::with_parts("history", all.collect())
    });
    (history, PromptSection::new("request", request.join("\n\n").trim()))
}

/// Returns the tools of the executors, for the planner.
fn executor_tools(state: &State, root: &Thread) -> Option<PromptSection> {
    let template = root.spec.options["executor"].as_str().and_then(|id| state.seat(id))?;
    let tools = template.spec.tools.iter();
    let lines: Vec<String> =
        tools.map(|tool| format!("- {}: {}", tool.name, tool.description.trim())).collect();
    (!lines.is_empty()).then(|| PromptSection::new("executor_tools", lines.join("\n").trim()))
}

/// Returns the whole plan, with the states and results of its steps.
fn whole(state: &State, plan: &Plan) -> Option<PromptSection> {
    let states = plan.states();
    let steps = plan.steps.iter().map(|step| {
        let after: Vec<String> = step.spec.after.iter().map(u32::to_string).collect();
        let after = match &after[..] {
            [] => String::new(),
            after => format!(", after {}", after.join(", ")),
        };
        let number = step.spec.number;
        let description = &step.spec.description;
        let status = states.state(step).as_str();
        let outcome = outcome(state, step).map(|text| format!("\n{text}")).unwrap_or_default();
        let text =
            format!("{number}. {description} ({status}{after})\nGoal: {}{outcome}", step.spec.goal);
        PromptSection::new("step", text).with("number", number.to_string())
    });
    (!plan.steps.is_empty()).then(|| PromptSection::with_parts("plan", steps.collect()))
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
fn result(state: &State, step: &PlannedStep) -> Option<PromptSection> {
    let text: Text = match step.state {
        StepState::Completed => state.step_result(step)?,
        _ => outcome(state, step)?.into(),
    };
    let number = step.spec.number.to_string();
    let description = step.spec.description.clone();
    Some(PromptSection::new("result", text.trim()).with("step", number).with("of", description))
}
