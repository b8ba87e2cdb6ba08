//! The prompts of participants: each call of a run, and where it differs from a recording.

use crate::model::{Prompt, Purpose, Role, SeatId, TurnId};
use crate::prompt;
use crate::voice::CallRequest;
use std::fmt::Write;
use std::sync::Arc;

/// One call, and what it was shown.
#[derive(Clone, Debug)]
pub struct CallSeen {
    /// The turn that it was for.
    pub turn: TurnId,
    /// The seat that was called.
    pub seat: SeatId,
    /// What the reply was for.
    pub purpose: Purpose,
    /// The utterance's number, from 1; none where the turn was no utterance.
    pub number: Option<u32>,
    /// Which call of its turn, from 1.
    pub attempt: u32,
    /// The prompt of the call.
    pub prompt: Arc<Prompt>,
}

impl CallSeen {
    pub(super) fn of(ask: &CallRequest) -> CallSeen {
        CallSeen {
            turn: ask.turn,
            seat: ask.seat.id.clone(),
            purpose: ask.purpose,
            number: ask.number,
            attempt: ask.attempt,
            prompt: ask.prompt.clone(),
        }
    }

    /// Returns what it was shown, as text.
    pub fn shown(&self) -> String {
        shown(&self.prompt)
    }
}

/// Returns a prompt as text: the messages that a model takes, each under its role, and what tools returned in the turn.
pub fn shown(prompt: &Prompt) -> String {
    let mut text = String::new();
    for message in prompt::messages(prompt) {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        // writing to a string does not fail
        let _ = writeln!(text, "## {role}\n{}\n", message.text.trim_end());
    }
    for run in prompt.tools.iter().flat_map(|round| &round.runs) {
        let (request, back) = (&run.request, run.returned.as_ref().map(|(_, result)| result));
        let result = back.map_or("", |result| result.trim_end());
        let _ = writeln!(text, "## tool {} {}\n{result}\n", request.tool, request.arguments);
    }
    text
}
