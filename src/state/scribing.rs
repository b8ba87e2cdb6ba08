//! The result in progress: the request to the scribe, and its reply.

use super::{Conversation, Turn};
use crate::model::payload::{BatchOpened, TurnEnded};
use crate::model::*;

/// A result in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Scribing {
    /// End of the conversation that follows.
    pub ends: (StopReason, Option<Text>),
    /// The scribe's result; `None` before its reply, and if the reply cannot be used.
    pub written: Option<ResultGiven>,
}

impl Conversation {
    /// Records that a scribe is asked for the result.
    pub(super) fn ask_scribe(&mut self, batch: &BatchOpened) {
        if let Some(task) = &batch.result {
            self.scribing = Some(Scribing { ends: task.ends.clone(), written: None });
        }
    }

    /// Applies the scribe's reply.
    pub(super) fn note_result(&mut self, turn: &Turn, e: &TurnEnded) {
        if let (Some(scribing), Purpose::Result) = (&mut self.scribing, turn.purpose) {
            scribing.written = ResultGiven::from_reply(turn.seat.clone(), turn.id, &e.structured);
        }
    }
}
