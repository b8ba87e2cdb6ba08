//! Messages of the operator with their recipients: a message to one participant cannot become text for others.

use super::ids::{SeatId, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Private content to include in an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reveal {
    /// Messages to a single seat, from the operator or from another seat, and the operator's notes to some seats.
    pub whispers: bool,
    /// Finally hidden utterances.
    pub hidden: bool,
}

/// Who gets a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// The person who steers.
    Operator,
    /// Somebody who may only watch.
    Watcher,
    /// A participant.
    Seat(SeatId),
    /// A program that speaks MCP or ACP.
    Client,
    /// Readers of a file.
    Export(Reveal),
}

/// A message of the operator to one participant.
///
/// Its text is returned for a recipient only; it is not printed, and cannot be turned into a [`Text`].
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Addressed {
    text: Text,
    to: SeatId,
}

impl Addressed {
    /// Returns a message.
    pub fn new(to: SeatId, text: Text) -> Addressed {
        Addressed { text, to }
    }

    /// Returns the participant who reads it.
    pub fn to(&self) -> &SeatId {
        &self.to
    }

    /// Returns another message to the same participant.
    pub fn with_text(self, text: Text) -> Addressed {
        Addressed { text, ..self }
    }

    /// Returns the text if a recipient may read it: the operator, the participant, or an export that reveals whispers.
    pub fn text_for(&self, audience: &Recipient) -> Option<&Text> {
        let may = match audience {
            Recipient::Operator => true,
            Recipient::Seat(seat) => *seat == self.to,
            Recipient::Export(reveal) => reveal.whispers,
            Recipient::Watcher | Recipient::Client => false,
        };
        may.then_some(&self.text)
    }
}

impl fmt::Debug for Addressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Addressed").field("to", &self.to).finish_non_exhaustive()
    }
}

/// Message of the operator in the queue.
#[derive(Clone, Debug, PartialEq)]
pub enum QueuedWords {
    /// For everybody.
    All(Text),
    /// For one participant.
    One(Addressed),
}

impl QueuedWords {
    /// Returns the only participant who reads it; `None` if everybody does.
    pub fn hearer(&self) -> Option<&SeatId> {
        match self {
            QueuedWords::All(_) => None,
            QueuedWords::One(words) => Some(words.to()),
        }
    }

    /// Returns the text if a recipient may read it.
    pub fn text_for(&self, audience: &Recipient) -> Option<&Text> {
        match self {
            QueuedWords::All(text) => Some(text),
            QueuedWords::One(words) => words.text_for(audience),
        }
    }

    /// Returns other words for the same readers.
    pub fn with_text(self, text: Text) -> QueuedWords {
        match self {
            QueuedWords::All(_) => QueuedWords::All(text),
            QueuedWords::One(words) => QueuedWords::One(words.with_text(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_who_may_read_it_get_the_text() {
        let bo = SeatId::from("bo");
        let words = Addressed::new(bo.clone(), "psst".into()).with_text("canary".into());
        let reads = |audience| words.text_for(&audience).is_some();
        assert!(reads(Recipient::Operator) && reads(Recipient::Seat(bo)));
        assert!(reads(Recipient::Export(Reveal { whispers: true, hidden: false })));
        let hidden = Recipient::Export(Reveal { whispers: false, hidden: true });
        for audience in
            [Recipient::Watcher, Recipient::Client, Recipient::Seat("ada".into()), hidden]
        {
            assert!(!reads(audience));
        }
        assert!(!format!("{:?}", QueuedWords::One(words)).contains("canary"));
    }
}
