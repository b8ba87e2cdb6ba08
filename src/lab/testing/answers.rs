//! Actions of a test's voice in one call: it speaks, or fails on purpose.

use crate::model::{ErrorClass, Line, ToolRequest, Usage};

/// One line of a test's voice.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Text and purpose of the line, and the condition for its use out of order.
    pub line: Line,
    /// True if a line with a condition is used every time the condition is true, instead of once.
    pub every: bool,
    /// Effect on the call.
    pub act: Act,
    /// Milliseconds before the first word, in addition to the pace.
    pub slow: u64,
    /// Token usage that the model reports.
    pub usage: Option<Usage>,
    /// Tool calls of the line; templates in their arguments are filled in.
    pub tools: Vec<ToolRequest>,
}

/// Effect of a line on its call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Act {
    /// The whole text is spoken.
    #[default]
    Say,
    /// The connection is lost after this many words.
    Cut(u64),
    /// Only the first half of the text is sent.
    BadJson,
    /// The call never returns anything.
    Silence,
    /// The seat passes its turn.
    Pass,
    /// The call fails at once.
    Fail {
        /// Class of the failure.
        class: ErrorClass,
        /// Code as written in the test.
        code: String,
        /// Milliseconds that the server asks callers to wait.
        wait: Option<u64>,
    },
}

/// Returns the error class of a failure code; `None` for unknown codes.
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

/// Returns the first half of a text, so that JSON in it is incomplete.
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
