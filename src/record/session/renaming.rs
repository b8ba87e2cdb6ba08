//! Renames a seat in events: in references to it, and in every text that names it.

use serde_json::Value;
use std::ops::Range;

/// Keys whose values are words of the format, which may equal the id of a seat.
const FORMAT_WORDS: &[&str] =
    &["purpose", "outcome", "is", "what", "reason", "kind", "class", "do", "policy"];

/// Whole words to replace, and their replacements.
#[derive(Clone, Debug, Default)]
pub struct Renaming(Vec<(String, String)>);

/// A part of a text, and its replacement.
#[derive(Clone, Debug)]
pub struct Match {
    /// Byte range of the part.
    pub range: Range<usize>,
    /// Text that replaces it.
    pub by: String,
}

impl Renaming {
    /// Adds a word; words that were added earlier take precedence.
    pub fn add(&mut self, word: &str, by: &str) {
        if !word.is_empty() && self.0.iter().all(|(known, _)| known != word) {
            self.0.push((word.to_owned(), by.to_owned()));
        }
    }

    /// Returns whether nothing is renamed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Finds the words in a text, in order and without overlaps.
    pub fn find(&self, text: &str) -> Vec<Match> {
        let mut found: Vec<Match> = Vec::new();
        for (word, by) in &self.0 {
            for (at, _) in text.match_indices(word.as_str()) {
                let range = at..at + word.len();
                let free = |m: &Match| m.range.end <= range.start || range.end <= m.range.start;
                if is_word(text, &range) && found.iter().all(free) {
                    found.push(Match { range, by: by.clone() });
                }
            }
        }
        found.sort_by_key(|m| m.range.start);
        found
    }

    /// Returns a text with the words replaced; `None` if it has none of them.
    pub fn replace(&self, text: &str) -> Option<String> {
        let found = self.find(text);
        let mut renamed = String::new();
        let mut rest = 0;
        for Match { range, by } in &found {
            renamed.push_str(text.get(rest..range.start)?);
            renamed.push_str(by);
            rest = range.end;
        }
        renamed.push_str(text.get(rest..)?);
        (!found.is_empty()).then_some(renamed)
    }

    /// Replaces the words in all strings and keys of a value; returns whether it had any.
    pub fn rename(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => {
                let renamed = self.replace(text);
                let any = renamed.is_some();
                *text = renamed.unwrap_or_else(|| std::mem::take(text));
                any
            }
            Value::Array(list) => list.iter_mut().fold(false, |any, v| self.rename(v) | any),
            Value::Object(map) => {
                let mut any = false;
                for (key, value) in std::mem::take(map) {
                    let mut value = value;
                    if !(FORMAT_WORDS.contains(&&*key) && value.is_string()) {
                        any |= self.rename(&mut value);
                    }
                    let renamed = self.replace(&key);
                    any |= renamed.is_some();
                    map.insert(renamed.unwrap_or(key), value);
                }
                any
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

/// Returns whether a range of a text begins and ends at the edge of a word.
fn is_word(text: &str, range: &Range<usize>) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let before = text.get(..range.start).and_then(|before| before.chars().next_back());
    let after = text.get(range.end..).and_then(|after| after.chars().next());
    !joins(before) && !joins(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ada() -> Renaming {
        let mut renaming = Renaming::default();
        renaming.add("Ada", "Person");
        renaming.add("ada", "person");
        renaming
    }

    #[test]
    fn only_whole_words_are_renamed() {
        let replaced = |text| ada().replace(text);
        assert_eq!(replaced("Ada, @ada: Adam").as_deref(), Some("Person, @person: Adam"));
        assert_eq!(replaced("Adam and xada"), None);
        assert_eq!(replaced("Ada's").as_deref(), Some("Person's"));
    }

    #[test]
    fn keys_are_renamed_and_words_of_the_format_are_kept() {
        let mut value = json!({"votes": {"ada": "Ada wins"}, "purpose": "ada", "by": ["ada"]});
        assert!(ada().rename(&mut value));
        let renamed =
            json!({"votes": {"person": "Person wins"}, "purpose": "ada", "by": ["person"]});
        assert_eq!(value, renamed);
    }
}
