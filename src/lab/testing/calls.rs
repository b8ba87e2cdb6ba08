//! Prompts of a run's calls, and their rendering as text.

use crate::model::{Prompt, Purpose, SeatId, TurnId};
use crate::prompt;
use crate::voice::CallRequest;
use std::fmt::Write;
use std::sync::Arc;

/// A call with its prompt.
#[derive(Clone, Debug)]
pub struct CallSeen {
    pub turn: TurnId,
    /// Seat that was called.
    pub seat: SeatId,
    /// Purpose of the reply.
    pub purpose: Purpose,
    /// Number of the utterance, from 1; `None` for other turns.
    pub number: Option<u32>,
    /// Number of the call within its turn, from 1.
    pub attempt: u32,
    pub prompt: Arc<Prompt>,
}

impl CallSeen {
    pub(super) fn from_request(ask: &CallRequest) -> CallSeen {
        CallSeen {
            turn: ask.turn,
            seat: ask.seat.id.clone(),
            purpose: ask.purpose,
            number: ask.number,
            attempt: ask.attempt,
            prompt: ask.prompt.clone(),
        }
    }

    /// Returns the prompt as text.
    pub fn shown(&self) -> String {
        shown(&self.prompt)
    }
}

/// Returns a prompt as text: the messages under their roles, and the results of the turn's tools.
pub fn shown(prompt: &Prompt) -> String {
    let mut text = String::new();
    for message in prompt::messages(prompt) {
        let role = message.role.as_str();
        // writing to a string cannot fail
        let _ = writeln!(text, "## {role}\n{}\n", message.text.trim_end());
    }
    for run in prompt.tools.iter().flat_map(|round| &round.runs) {
        let request = &run.request;
        let back = run.returned.as_ref().map(|(_, result)| result);
        let result = back.map_or("", |result| result.trim_end());
        let _ = writeln!(text, "## tool {} {}\n{result}\n", request.tool, request.arguments);
    }
    text
}
