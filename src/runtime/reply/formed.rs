//! Result of parsing a reply in a form.

use crate::model::Text;
use serde_json::Value;

/// Mismatch of a reply with its form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct FormFault {
    /// Text for the retry.
    pub text: String,
    /// Pointer to the first wrong field of a structured reply.
    pub field: Option<String>,
}

impl From<String> for FormFault {
    fn from(text: String) -> FormFault {
        FormFault { text, field: None }
    }
}

impl From<&str> for FormFault {
    fn from(text: &str) -> FormFault {
        text.to_owned().into()
    }
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
