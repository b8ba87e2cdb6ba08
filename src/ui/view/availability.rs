//! Which commands can do something as the conversation stands.

use crate::state::Run;
use crate::ui::view::transcript::Transcript;

/// Returns why a command can do nothing as the talk stands, if it cannot.
pub fn unfit(transcript: &Transcript, command: &str) -> Option<&'static str> {
    let state = transcript.state();
    let held = matches!(state.run, Run::Pausing | Run::Paused);
    let said = !state.entries.is_empty();
    match command {
        "note" | "say" | "cut_in" | "whisper" | "floor" if state.ended.is_some() => None,
        _ if state.ended.is_some() => Some("it has ended"),
        "pause" if held => Some("it is paused already"),
        "resume" if !held => Some("it is not paused"),
        "speak" | "pass" if transcript.human_turn().is_none() => {
            Some("no seat of yours has the floor")
        }
        "edit_queued" | "drop_queued" if transcript.queued().next().is_none() => {
            Some("nothing is queued")
        }
        "retry" | "reroll" | "choose" | "edit" | "hide" if !said => Some("nothing was said yet"),
        "unhide" if !state.entries.iter().any(|e| e.hidden.is_some()) => Some("nothing is hidden"),
        "unmute" if !state.seats.iter().any(|s| s.muted) => Some("nobody is muted"),
        _ => None,
    }
}
