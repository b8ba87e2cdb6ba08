//! Result of parsing a reply in a form.

use crate::model::Text;
use crate::model::sentence::sentence_error;
use serde_json::Value;

sentence_error! {
    /// Mismatch of a reply with its form, as a text for the retry.
    pub struct FormFault;
}

/// A parsed reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formed {
    /// Text to show in place of the reply, if it differs.
    pub text: Option<String>,
    /// Data of the reply.
    pub structured: Value,
    /// True if the reply passes the turn.
    pub passes: bool,
    /// Type of the message, if the form has types.
    pub message: Option<Text>,
}

impl Formed {
    /// Returns a parsed reply that has only data.
    pub(super) fn data(structured: Value) -> Formed {
        Formed { structured, ..Formed::default() }
    }
}
