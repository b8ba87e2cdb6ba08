//! Notes on the actions of agents besides speaking: tools, plans, and permission requests, one line each.

use super::narrated::Narrated;
use super::tools::{RESULT_MAX, short, who};
use crate::model::agent::*;
use crate::state::{State, leave};
use crate::text;

/// Maximum length of a title, in characters.
const TITLE_MAX: usize = 100;
/// Start of the first and the last line of a block of code, in which agents wrap results.
const FENCE: &str = "```";

fn note(words: &str) -> Vec<Narrated> {
    vec![Narrated::Note(text::label(words).into_owned())]
}

/// Returns the note on a tool of an agent and its outcome.
pub(super) fn used(state: &State, used: &AgentTool) -> Vec<Narrated> {
    let who = who(state, used.turn);
    let came = match (&*used.status, used.result.as_deref().map(str::trim)) {
        ("completed", None | Some("")) => "done".to_owned(),
        ("completed", Some(result)) if result.lines().count() > 1 => {
            format!("{} lines", result.lines().count())
        }
        ("completed", Some(result)) => short(result, RESULT_MAX),
        ("failed", result) => {
            let says =
                |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with(FENCE);
            let why = result.and_then(|r| r.lines().find(says)).unwrap_or("nothing was said");
            format!("failed: {}", short(why, RESULT_MAX))
        }
        (_, _) => "did not finish".to_owned(),
    };
    note(&format!("{who} used {} ({}): {came}", used.sort, short(&used.title, TITLE_MAX)))
}

/// Returns the note on the plan of an agent.
pub(super) fn plan(state: &State, plan: &AgentPlan) -> Vec<Narrated> {
    let step = |step: &PlanStep| {
        let mark = match &*step.status {
            "completed" => "done: ",
            "in_progress" => "now: ",
            _ => "",
        };
        format!("{mark}{}", short(&step.text, TITLE_MAX))
    };
    let steps: Vec<String> = plan.steps.iter().map(step).collect();
    note(&format!("{} plans: {}", who(state, plan.turn), steps.join("; ")))
}

/// Returns the note on a request that waits for the operator's permission, with the whole call.
pub(super) fn asked(state: &State, asked: &PermissionAsked) -> Vec<Narrated> {
    if !state.has_operator() || state.decided(&asked.tool).is_some() {
        return vec![];
    }
    let who = who(state, asked.turn);
    let (tool, title) = (text::visible(&asked.tool), text::visible(&asked.title));
    let with = leave::spelled(&leave::arguments(&leave::input(asked.input.as_deref())));
    let told = format!("{who} asks to use {tool} ({title}) {with}");
    vec![Narrated::Note(told.trim_end().to_owned())]
}

/// Returns the note on a refusal; an allowed use gets a note from the tool itself.
pub(super) fn answered(state: &State, answered: &PermissionAnswered) -> Vec<Narrated> {
    if answered.yes {
        return vec![];
    }
    let Some(why) = &answered.why else { return vec![] };
    let turn = state.turns.get(&answered.turn);
    let asked = turn.and_then(|t| t.permissions.iter().find(|p| p.asked == answered.asked));
    let title = asked.map_or("", |asked| &*asked.title);
    let who = who(state, answered.turn);
    let tool = &answered.tool;
    note(&format!("{who} was refused {tool} ({}): {why}", short(title, TITLE_MAX)))
}
