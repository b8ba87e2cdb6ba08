//! A message between a planner and an executor: its type comes from its first line or from its data.

use super::data::objects;
use super::formed::{FormFault, Formed};
use crate::model::plan::results_in;
use crate::model::{MessageKind, SeatId, Text};
use serde_json::{Map, Value, json};

/// Prefix of a message to another executor, before the name.
const TO: &str = "TO ";
/// Keys of the text of a message in data.
const WORDS: &[&str] = &["text", "message", "content", "question", "answer", "summary", "results"];

/// Parses a message; without a type it is a partial result, or the planner's answer.
///
/// # Errors
/// If a part is missing or invalid, with a text for the participant that retries.
pub(super) fn message(
    planner: bool,
    given: bool,
    siblings: Siblings<'_>,
    said: &str,
    data: &Value,
) -> Result<Formed, FormFault> {
    let bare = said.trim().starts_with(['{', '`']) || !data.is_null();
    let object = objects(said, data).into_iter().find(|o| bare && o["type"].is_string());
    if let Some(object) = &object {
        let name = object["type"].as_str().unwrap_or_default();
        let kind = MessageKind::by_name(name)
            .filter(|kind| possible(*kind, planner))
            .ok_or_else(|| format!("there is no message type {name:?}; use {}", types(planner)))?;
        let words = WORDS.iter().find_map(|key| spelled(&object[*key])).unwrap_or_default();
        let results = spelled(&object["results"]).filter(|results| *results != words);
        let to = object["to"].as_str().and_then(|name| siblings.find(name));
        let words = match (kind, results) {
            (MessageKind::TaskComplete, Some(results)) => format!("{words}\nResults:\n{results}"),
            _ => words,
        };
        return typed(kind, &words, given, to);
    }
    if let Some((to, words)) = sibling(said, siblings) {
        return typed(MessageKind::SiblingMessage, words, given, Some(to));
    }
    match MessageKind::marked(said) {
        Some((kind, behind)) if possible(kind, planner) => typed(kind, behind, given, None),
        Some(_) | None => {
            let kind =
                if planner { MessageKind::Clarification } else { MessageKind::PartialResult };
            typed(kind, said, given, None)
        }
    }
}

/// Returns whether a reply can be of a type: an assignment cannot be a reply, and only executors ask questions.
fn possible(kind: MessageKind, planner: bool) -> bool {
    match kind {
        MessageKind::TaskAssignment => false,
        MessageKind::TaskComplete | MessageKind::Error => true,
        MessageKind::Clarification => planner,
        MessageKind::Question
        | MessageKind::ProgressUpdate
        | MessageKind::PartialResult
        | MessageKind::SiblingMessage => !planner,
    }
}

fn types(planner: bool) -> String {
    let all = MessageKind::ALL.into_iter().filter(|kind| possible(*kind, planner));
    all.map(MessageKind::as_str).collect::<Vec<_>>().join(", ")
}

/// Returns a data value as text; `None` if it is null or empty.
fn spelled(value: &Value) -> Option<String> {
    let words = match value {
        Value::Null => return None,
        Value::String(words) => words.trim().to_owned(),
        other => other.to_string(),
    };
    (!words.is_empty()).then_some(words)
}

/// The executors that a message can be addressed to.
#[derive(Clone, Copy)]
pub(super) struct Siblings<'a> {
    /// Their ids.
    pub(super) seats: &'a [SeatId],
    /// Names and aliases of participants, each with its id.
    pub(super) names: &'a [(Text, Text)],
}

impl<'a> Siblings<'a> {
    /// Returns the executor with an id, a name or an alias, ignoring case.
    fn find(self, name: &str) -> Option<&'a SeatId> {
        let name = name.trim_matches(['*', '_', '`', '@', ' ']).to_lowercase();
        let called = |seat: &SeatId| {
            let same = |(known, id): &(Text, Text)| **id == *seat.0 && known.to_lowercase() == name;
            *seat.0 == *name || self.names.iter().any(same)
        };
        self.seats.iter().find(|seat| called(seat))
    }
}

/// Returns the executor that a message is addressed to, and the text.
fn sibling<'a>(said: &'a str, siblings: Siblings<'a>) -> Option<(&'a SeatId, &'a str)> {
    let words = said.trim_start().trim_start_matches(['*', '_', '`', ' ']);
    let head = words.get(..TO.len()).filter(|head| head.eq_ignore_ascii_case(TO))?;
    let (name, behind) = words[head.len()..].split_once(':')?;
    let to = siblings.find(name)?;
    Some((to, behind.trim_start_matches(['*', '_', '`', ' ']).trim()))
}

fn typed(
    kind: MessageKind,
    words: &str,
    given: bool,
    to: Option<&SeatId>,
) -> Result<Formed, FormFault> {
    let words = words.trim();
    let bare = words.is_empty() || words == "Results:";
    let text = match kind {
        MessageKind::TaskComplete if bare && given => "TASK COMPLETE".to_owned(),
        MessageKind::TaskComplete if bare => {
            return Err("it says TASK COMPLETE but gives no results".into());
        }
        MessageKind::SiblingMessage if to.is_none() => {
            return Err("it is not addressed to an executor who is working now".into());
        }
        _ if words.is_empty() => return Err("it has no text after the message type".into()),
        MessageKind::TaskComplete => format!("TASK COMPLETE: {words}"),
        MessageKind::Question => format!("QUESTION: {words}"),
        MessageKind::ProgressUpdate => format!("PROGRESS: {words}"),
        MessageKind::Error => format!("ERROR: {words}"),
        MessageKind::SiblingMessage => format!("TO {}: {words}", to.map_or("", |to| &*to.0)),
        MessageKind::PartialResult | MessageKind::Clarification | MessageKind::TaskAssignment => {
            words.to_owned()
        }
    };
    let mut structured = Map::from_iter([("type".to_owned(), json!(kind))]);
    structured.extend(to.map(|to| ("to".to_owned(), json!(to))));
    if kind == MessageKind::TaskComplete && !bare {
        structured.insert("results".into(), results_in(&text).into());
    }
    let structured = Value::Object(structured);
    let message = Some(kind.as_str().into());
    Ok(Formed { text: Some(text), structured, message, passes: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(said: &str, planner: bool) -> Result<(String, String), FormFault> {
        let names = [("Executor 2".into(), "executor-2".into())];
        let siblings = Siblings { seats: &["executor-2".into()], names: &names };
        let read = message(planner, false, siblings, said, &Value::Null)?;
        let kind = read.message.unwrap_or_else(|| "".into());
        Ok((kind.to_string(), read.text.unwrap_or_default()))
    }

    #[test]
    fn a_type_is_a_first_line_or_data_and_never_a_word_inside_a_sentence() {
        for (said, kind, text) in [
            ("QUESTION: Which?", "question", "QUESTION: Which?"),
            ("**question:** Which?", "question", "QUESTION: Which?"),
            (
                "{\"type\": \"progress_update\", \"text\": \"Half.\"}",
                "progress_update",
                "PROGRESS: Half.",
            ),
            (
                "```json\n{\"type\": \"task_complete\", \"text\": \"Done.\", \"results\": [1]}\n```",
                "task_complete",
                "TASK COMPLETE: Done.\nResults:\n[1]",
            ),
            ("0 tests failed. ERROR: none.", "partial_result", "0 tests failed. ERROR: none."),
            ("Is it done? Task complete?", "partial_result", "Is it done? Task complete?"),
            ("To executor-2: Wait for me.", "sibling_message", "TO executor-2: Wait for me."),
            ("**TO Executor 2:** Wait.", "sibling_message", "TO executor-2: Wait."),
            (
                "{\"type\": \"sibling_message\", \"to\": \"Executor 2\", \"text\": \"Wait.\"}",
                "sibling_message",
                "TO executor-2: Wait.",
            ),
            ("To executor-9: Wait.", "partial_result", "To executor-9: Wait."),
        ] {
            assert_eq!(read(said, false), Ok((kind.into(), text.into())), "{said}");
        }
        assert_eq!(read("Both.", true).unwrap().0, "clarification");
        assert_eq!(read("QUESTION: Why?", true).unwrap().0, "clarification", "a planner answers");
        assert_eq!(read("TASK COMPLETE: fine", true).unwrap().0, "task_complete");
    }

    #[test]
    fn empty_reply_is_requested_again() {
        for (said, why) in [
            ("TASK COMPLETE", "no results"),
            ("ERROR:", "no text after"),
            ("{\"type\": \"task_assignment\", \"text\": \"x\"}", "no message type"),
            ("{\"type\": \"sibling_message\", \"text\": \"x\"}", "not addressed to an executor"),
        ] {
            let found = read(said, false).unwrap_err();
            assert!(found.to_string().contains(why), "{said}: {found}");
        }
        let enough = message(
            false,
            true,
            Siblings { seats: &[], names: &[] },
            "TASK_COMPLETE",
            &Value::Null,
        )
        .unwrap();
        assert_eq!(enough.structured, json!({"type": "task_complete"}));
    }

    #[test]
    fn invalid_type_lists_valid_types() {
        let told = read("{\"type\": \"song\", \"text\": \"La.\"}", true).unwrap_err();
        assert!(told.to_string().contains("clarification, task_complete, error"), "{told}");
        let told = read("{\"type\": \"song\", \"text\": \"La.\"}", false).unwrap_err();
        assert!(
            told.to_string().contains("question") && !told.to_string().contains("task_assignment"),
            "{told}"
        );
    }
}
