//! What a test's voice does in one call: it speaks, or fails on purpose.

use crate::model::{ErrorClass, Line, ToolRequest, Usage};

/// One line of a test's voice.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The words, their purpose, and when they are used out of turn.
    pub line: Line,
    /// Whether a line with a condition is used each time that it is true, instead of once.
    pub every: bool,
    /// What happens to the call.
    pub act: Act,
    /// Milliseconds until the first word, besides the pace.
    pub slow: u64,
    /// The tokens that the model reports.
    pub usage: Option<Usage>,
    /// The tools that it calls; templates in their arguments are filled in.
    pub tools: Vec<ToolRequest>,
}

/// What happens to a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Act {
    /// The whole text is spoken.
    #[default]
    Say,
    /// The connection is lost after this many words.
    Cut(u64),
    /// Only the first half of the text comes.
    BadJson,
    /// There is never an answer.
    Silence,
    /// The seat lets its turn go.
    Pass,
    /// The call fails at once.
    Fail {
        /// The class of the failure.
        class: ErrorClass,
        /// The code as written in the test.
        code: String,
        /// Milliseconds that the server asks to be left alone.
        wait: Option<u64>,
    },
}

/// Returns what a failure on purpose is to the engine; none for a word that is no failure.
pub fn failure(code: &str) -> Option<ErrorClass> {
    Some(match code {
        "400" => ErrorClass::BadRequest,
        "401" | "403" => ErrorClass::Credentials,
        "402" => ErrorClass::Credit,
        "404" => ErrorClass::UnknownModel,
        "429" => ErrorClass::Rate,
        "500" => ErrorClass::Failed,
        "503" => ErrorClass::Overload,
        "dns" => ErrorClass::Dns,
        "refused" => ErrorClass::Refused,
        "tls" => ErrorClass::Tls,
        "broken" => ErrorClass::Broken,
        "context" => ErrorClass::Context,
        "filter" => ErrorClass::Filter,
        "empty" => ErrorClass::Empty,
        _ => return None,
    })
}

/// Returns the first half of a text, so that JSON in it has no end.
pub fn first_half(text: &str) -> &str {
    text.get(..text.floor_char_boundary(text.len() / 2)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::keys::FAILURES;

    #[test]
    fn every_failure_of_the_table_is_one() {
        for code in FAILURES {
            assert!(failure(code).is_some(), "{code}");
        }
        assert_eq!(first_half(r#"{"é": 1}"#), r#"{"é"#);
    }
}
