//! Requests for a reading, and its results.

use crate::model::{Form, SeatId, Text};
use crate::scenario::ProfileSpec;
use serde_json::Value;

pub use crate::model::ReadBy;

/// What a reply is asked for, and the facts that decide its reading.
#[derive(Clone, Copy)]
pub struct WantedReply<'a> {
    /// The required form.
    pub form: &'a Form,
    /// Other names for choices and participants.
    pub also: &'a [(Text, Text)],
    /// The seat that replies.
    pub seat: Option<&'a SeatId>,
    /// The seat's earlier answer, if the form is an answer or a vote.
    pub before: Option<&'a str>,
    /// True if a person wrote the reply.
    pub person: bool,
    /// The profile whose facts are kept, and the field that holds them.
    pub kept: Option<(&'a ProfileSpec, Option<&'a str>)>,
    /// The rejected reply of the same turn.
    pub rejected: Option<&'a str>,
    /// The field of its data with the public text.
    pub says: Option<&'a Text>,
    /// The number of answers that were voted on, if the reply presents the one that won.
    pub presents: Option<usize>,
}

impl<'a> WantedReply<'a> {
    /// Returns a request for a form, without names.
    pub fn new(form: &'a Form) -> WantedReply<'a> {
        WantedReply {
            form,
            also: &[],
            seat: None,
            before: None,
            person: false,
            kept: None,
            rejected: None,
            says: None,
            presents: None,
        }
    }
}

/// A reply with its meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadReply {
    /// Text to show in place of the reply, if it differs.
    pub text: Option<String>,
    /// Data of the reply.
    pub structured: Value,
    /// True if the reply passes the turn.
    pub passes: bool,
    /// Type of the message, if the form has types.
    pub message: Option<Text>,
    /// The way in which it was read.
    pub by: ReadBy,
}

impl ReadReply {
    /// Returns a reading that has only data.
    pub(super) fn data(structured: Value) -> ReadReply {
        ReadReply { structured, ..ReadReply::default() }
    }

    /// Returns a reading with a type of message, its text and its data.
    pub(super) fn typed(kind: &str, text: String, structured: Value) -> ReadReply {
        let message = Some(kind.into());
        ReadReply { text: Some(text), structured, message, ..ReadReply::default() }
    }
}

/// A reply whose meaning is unclear or that does not match its form.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unclear {
    /// The fault, for the log.
    pub why: String,
    /// The question of the second try; `None` repeats the task after the fault.
    pub ask: Option<String>,
    /// Pointer to the first wrong field of a structured reply.
    pub field: Option<String>,
}

impl From<String> for Unclear {
    fn from(why: String) -> Unclear {
        Unclear { why, ..Unclear::default() }
    }
}

impl From<&str> for Unclear {
    fn from(why: &str) -> Unclear {
        why.to_owned().into()
    }
}
