//! Text for the thread of a plan step in the transcript: its executor, its state, and the type of each message.

use crate::model::{StepState, ThreadId, TurnId};
use crate::state::{PlannedStep, State, Thread};
use crate::text;
use crate::ui::view::transcript::Transcript;

/// Returns the number of the step that a thread belongs to.
pub fn number(thread: &Thread) -> u64 {
    thread.spec.about["step"].as_u64().unwrap_or(0)
}

/// Returns the summary of a step's thread: name, executor, number of messages and state, with the reason of a failure.
pub fn line(transcript: &Transcript, id: ThreadId) -> String {
    let state = transcript.state();
    let Some(thread) = state.step_talk(id) else { return String::new() };
    let step = state.step_of(id).map(|(_, step)| step);
    let stands = match step {
        Some(step) if step.stopping => "stopping".to_owned(),
        Some(PlannedStep { state, why: Some(why), .. }) if *state == StepState::Failed => {
            format!("failed: {}", text::label(why))
        }
        Some(step) => step.state.as_str().to_owned(),
        // another attempt has started since
        None => {
            let closed = thread.closed.as_ref().and_then(|closed| closed.result["state"].as_str());
            closed.unwrap_or("over").to_owned()
        }
    };
    let said = state.entries.iter().filter(|e| e.thread == id && e.seat().is_some()).count();
    let messages = match said {
        0 => String::new(),
        n => format!("{}, ", text::plural(n, "message")),
    };
    let by = thread.seats.first().map(|id| transcript.name(id)).unwrap_or_default();
    format!("{}: {by}, {messages}{stands}", text::label(&thread.spec.name))
}

/// Returns the step and the type of a message; `None` outside a step.
pub fn fact(state: &State, id: ThreadId, turn: Option<TurnId>) -> Option<String> {
    let n = number(state.step_talk(id)?);
    let messages = state
        .plan_thread(id)?
        .state
        .plan()
        .into_iter()
        .flat_map(|p| &p.steps)
        .flat_map(|s| &s.messages);
    let message = turn.and_then(|turn| messages.into_iter().find(|m| m.turn == Some(turn)));
    Some(match message {
        Some(message) => format!("step {n}, {}", message.kind.label()),
        None => format!("step {n}"),
    })
}
