//! Availability of commands and actions in the current state of the conversation.

use crate::model::command::COMMANDS;
use crate::state::RunState;
use crate::state::leave::asks_leave;
use crate::ui::action::Action;
use crate::ui::keymap::row;
use crate::ui::view::transcript::Transcript;

/// Returns the reason why a command has no effect in the current state; `None` if it is available.
pub fn unfit(transcript: &Transcript, command: &str) -> Option<&'static str> {
    let state = transcript.state();
    let held = matches!(state.run, RunState::Pausing | RunState::Paused);
    let said = !state.entries.is_empty();
    match command {
        "note" | "say" | "cut_in" | "whisper" | "floor" if state.ended.is_some() => None,
        _ if state.ended.is_some() => Some("the conversation is finished"),
        "pause" if held => Some("already paused"),
        "resume" if !held => Some("not paused"),
        "speak" | "pass" if transcript.human_turn().is_none() => Some("it is not your turn"),
        "drop_queued" if transcript.queued_command().is_some() => None,
        "edit_queued" | "drop_queued" if transcript.queued().next().is_none() => {
            Some("no queued messages")
        }
        "retry" | "reroll" | "continue" | "choose" | "edit" | "hide" if !said => {
            Some("no turns yet")
        }
        "unhide" if !state.entries.iter().any(|e| e.hidden.is_some()) => Some("no hidden turns"),
        "decide" if asks_leave(state).is_none() => Some("no tool is waiting for your permission"),
        "cancel_step" | "answer_step" | "rerun_step" | "edit_step" | "add_step" | "move_step" => {
            state.steered_plan().err()
        }
        "unmute" if !state.seats.iter().any(|s| s.muted) => Some("nobody is muted"),
        _ => None,
    }
}

/// Returns the reason why an action has no effect in the current state; `None` if it is available.
pub fn unfit_action(transcript: &Transcript, action: Action) -> Option<&'static str> {
    let command = match action {
        Action::AllowOnce | Action::AllowTool | Action::RefuseTool => "decide".to_owned(),
        action => row(action)?.name(),
    };
    let known = COMMANDS.iter().find(|row| row.name == command)?;
    unfit(transcript, known.name)
}
