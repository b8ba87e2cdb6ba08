//! Parts of a file that are not imported, counted by kind, so that no text is lost silently.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// Names of fields that describe a message and are not its words.
const METADATA: &[&str] = &crate::strings![
    "type" "role" "name" "model" "model_name" "model_slug" "sender" "from" "author" "to" "status"
    "object" "kind" "source" "provider" "format" "media_type" "mime_type" "content_type" "channel"
    "recipient" "signature" "encrypted_content" "finish_reason" "stop_reason" "stop_sequence"
    "service_tier" "parent" "children" "timestamp" "timezone" "metadata" "trajectory_path"
    "metrics" "usage" "participant" "function_name" "schema_version" "api" "avatar" "force_avatar"
    "original_avatar" "gen_started" "gen_finished"
];
/// Ends of the names of such fields.
const METADATA_ENDS: &[&str] = &[
    "id", "Id", "ID", "ids", "Ids", "uuid", "Uuid", "_at", "At", "time", "Time", "date", "version",
];
/// Fields with the type of a part.
const KINDS: &[&str] = &["type", "content_type", "mimeType", "mime_type", "media_type"];
/// Minimum bytes of a text that does not occur in the words by chance.
const WORDS_MIN: usize = 5;
/// Maximum characters of the name of a field in a message.
const FIELD_MAX: usize = 100;
/// Parts of the names of media types, and their nouns.
const OTHERS: &[(&str, &str)] = &[
    ("image", "image"),
    ("audio", "recording"),
    ("video", "video"),
    ("file", "file"),
    ("document", "file"),
];

/// Noun of the messages that their person left by another one in their place.
pub(super) const BRANCHES: &str = "message of another branch";
/// Noun of the messages in the place of another one.
pub(super) const VERSIONS: &str = "other version of a message";

/// Numbers of parts that are not imported, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(BTreeMap<LeftOutKind, usize>);

/// Messages of a conversation, and counts of its other branches and versions.
pub(super) type Messages = (Vec<Value>, LeftOut);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LeftOutKind {
    /// A countable noun.
    Noun(&'static str),
    /// A text that no format has, in this field.
    Field(String),
}

impl LeftOut {
    /// True if everything is imported.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the counts of another conversation.
    pub fn extend(&mut self, more: &LeftOut) {
        more.0.iter().for_each(|(kind, count)| *self.0.entry(kind.clone()).or_default() += count);
    }

    /// Adds parts of a kind, a noun in the singular.
    pub(super) fn add(&mut self, noun: &'static str, count: usize) {
        if count > 0 {
            *self.0.entry(LeftOutKind::Noun(noun)).or_default() += count;
        }
    }

    /// Returns whether a message of the file has words.
    pub(super) fn has_words(source: &Value) -> bool {
        let mut words = LeftOut::default();
        words.compare(source, &[]);
        !words.is_empty()
    }

    /// Adds the parts of a message of the file that no used text has. The type of a message never makes it a picture or a file.
    pub(super) fn compare(&mut self, source: &Value, used: &[&str]) {
        match source {
            Value::Object(fields) => self.unused_fields(fields, used),
            other => self.unused("", other, used),
        }
    }

    fn unused_fields(&mut self, fields: &Map<String, Value>, used: &[&str]) {
        fields
            .iter()
            .filter(|(key, _)| !describes(key))
            .for_each(|(key, value)| self.unused(key, value, used));
    }

    fn unused(&mut self, key: &str, value: &Value, used: &[&str]) {
        match value {
            Value::String(text) => {
                let text = text.trim();
                if !text.is_empty() && !used.iter().any(|used| used.contains(text)) {
                    *self
                        .0
                        .entry(LeftOutKind::Field(key.chars().take(FIELD_MAX).collect()))
                        .or_default() += 1;
                }
            }
            Value::Array(list) => list.iter().for_each(|value| self.unused(key, value, used)),
            Value::Object(fields) => {
                let kind = KINDS.iter().find_map(|key| fields.get(*key)?.as_str());
                let kind = kind.unwrap_or_default();
                let other = OTHERS.iter().find(|(part, _)| kind.contains(part));
                match other {
                    // a part that was read is no file, and its other texts count
                    Some((_, noun)) if !is_used(value, used) => self.add(noun, 1),
                    Some(_) | None => self.unused_fields(fields, used),
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Returns whether a field describes a message and is not its words.
fn describes(key: &str) -> bool {
    METADATA.contains(&key) || METADATA_ENDS.iter().any(|end| key.ends_with(end))
}

/// Returns whether a text of a part is in a used text.
fn is_used(value: &Value, used: &[&str]) -> bool {
    match value {
        Value::String(text) => {
            let text = text.trim();
            text.len() >= WORDS_MIN && used.iter().any(|used| used.contains(text))
        }
        Value::Array(list) => list.iter().any(|value| is_used(value, used)),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| !describes(key) && is_used(value, used))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Writes a list such as `2 images, 1 text under "audio"`.
impl Display for LeftOut {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, (kind, count)) in self.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let plural = if *count == 1 { "" } else { "s" };
            match kind {
                LeftOutKind::Noun(noun) => {
                    // the plural is that of the first part: messages of another branch
                    let (noun, of) = noun.find(" of ").map_or((*noun, ""), |at| noun.split_at(at));
                    write!(f, "{comma}{count} {noun}{plural}{of}")?;
                }
                LeftOutKind::Field(field) => {
                    write!(f, "{comma}{count} text{plural} under {field:?}")?;
                }
            }
        }
        Ok(())
    }
}
