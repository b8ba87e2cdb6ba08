//! What a reply is in its form.

use crate::model::Text;
use serde_json::Value;

/// What a reply is in its form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formed {
    /// The words that stand for it, where they are not all of the reply.
    pub text: Option<String>,
    /// What it says as data.
    pub structured: Value,
    /// Whether it lets the turn go.
    pub passes: bool,
    /// The type of the message, where the form has types.
    pub message: Option<Text>,
}

impl Formed {
    /// Returns one that is data alone.
    pub(super) fn data(structured: Value) -> Formed {
        Formed { structured, ..Formed::default() }
    }
}
