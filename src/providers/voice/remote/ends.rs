//! The finish reasons of all vendors, in common words.

use super::known::KNOWN;
use crate::model::OTHER_END;
use serde_json::Value;

/// A complete reply.
pub(super) const STOP: &str = "stop";
/// A reply that the provider's content filter ended, with or without text before.
pub(super) const FILTERED: &str = "content_filter";
/// A reply that ended with a failure of the server.
pub(super) const BROKEN: &str = "error";
/// Maximum characters kept of an unknown word.
const WORD_MAX: usize = 40;

/// Returns a finish reason in OpenAI's terms. An unknown word is kept behind a mark; an empty one is no end.
pub(super) fn common(word: &Value) -> Option<String> {
    let word = word.as_str().filter(|word| !word.trim().is_empty() && *word != "null")?;
    let plain: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    let known = KNOWN.ends.iter().find(|(_, words)| words.contains(&plain));
    Some(known.map_or_else(|| other(word), |(common, _)| common.clone()))
}

fn other(word: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let kept: String = word.chars().filter(is_plain).take(WORD_MAX).collect();
    format!("{OTHER_END}{kept}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_for_an_end_is_known_or_kept_as_a_cut() {
        for (word, expected) in [
            ("stop", Some("stop")),
            ("STOP", Some("stop")),
            ("end_turn", Some("stop")),
            ("model_length", Some("length")),
            ("MAX_TOKENS", Some("length")),
            ("sensitive", Some("content_filter")),
            ("SAFETY", Some("content_filter")),
            ("network_error", Some("error")),
            ("insufficient_system_resource", Some("error")),
            ("tool_use", Some("tool_calls")),
            ("abort", Some("cut: abort")),
            ("MALFORMED_FUNCTION_CALL", Some("cut: MALFORMED_FUNCTION_CALL")),
            ("\u{1b}[2Jx y", Some("cut: 2Jxy")),
            ("", None),
            (" ", None),
            ("null", None),
        ] {
            assert_eq!(common(&Value::from(word)).as_deref(), expected, "{word}");
        }
        assert_eq!(common(&Value::Null), None);
    }
}
