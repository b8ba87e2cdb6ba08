//! The result in progress: the request to the scribe, and its reply.

use super::{Conversation, Turn};
use crate::model::payload::{BatchOpened, TurnEnded};
use crate::model::*;

/// A result in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Scribing {
    /// End of the conversation that follows.
    pub ends: EndCause,
    /// True if the conversation waits at its limit instead.
    pub waits: bool,
    /// The scribe's result; `None` before its reply, and if the reply cannot be used.
    pub written: Option<ResultGiven>,
    /// True if the last call gave no reply.
    pub failed: bool,
}

impl Scribing {
    /// Returns the reason why no result was written.
    pub fn fault(&self) -> &'static str {
        if self.failed { "the call failed" } else { "the reply could not be read" }
    }
}

impl Conversation {
    /// Records that a scribe is asked for the result.
    pub(super) fn ask_scribe(&mut self, batch: &BatchOpened) {
        if let Some(task) = &batch.result {
            let ResultTask { ends: (reason, text), rule, waits } = task.clone();
            let ends = EndCause { reason, text, rule };
            self.scribing = Some(Scribing { ends, waits, written: None, failed: false });
        }
    }

    /// Applies the scribe's reply.
    pub(super) fn note_result(&mut self, turn: &Turn, e: &TurnEnded) {
        if turn.purpose != Purpose::Result {
            return;
        }
        let mut written = ResultGiven::from_reply(turn.seat.clone(), turn.id, &e.structured);
        for change in written.iter_mut().flat_map(|result| &mut result.moved) {
            // small models invent turns
            let named = change.turn.filter(|number| self.utterance(*number).is_some());
            change.turn = named.or_else(|| self.last_cause(&change.who));
        }
        if let Some(scribing) = &mut self.scribing {
            scribing.written = written;
            let class = e.error.as_ref().map(|error| error.class);
            scribing.failed = e.outcome == Outcome::Failed
                && class.is_some_and(|class| class != ErrorClass::Form);
        }
    }

    /// Returns the number of the turn that, by its own words, last moved the participant with a name.
    fn last_cause(&self, name: &str) -> Option<u32> {
        let seat = self.seats.iter().find(|seat| *seat.spec.name == *name)?;
        self.positions(seat).iter().rev().find_map(|position| position.moved_by)
    }
}
