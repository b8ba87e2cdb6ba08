//! A message between a planner and an executor: its type comes from a label at the start of a line, or from its data.

use super::json::{JsonPlace, objects};
use super::letters::{Letters, asks, sentences, word};
use super::lines::{
    LabelLead, LineLabel, around, behind_marks, behind_sign, labels, own_lines, own_text, unwrapped,
};
use super::names::Spellings;
use super::read::{ReadBy, ReadReply, Unclear};
use super::words::{WordRow, words};
use crate::model::plan::results_in;
use crate::model::{MessageKind, SeatId, Text};
use serde_json::{Map, Value, json};

/// Keys of the text of a message in data.
const WORDS: &[&str] = &["text", "message", "content", "question", "answer", "summary", "results"];
/// Word before the name in a message to another executor.
const TO: &str = "to";

/// The executors and other participants that a message can be addressed to.
#[derive(Clone, Copy)]
pub(super) struct Siblings<'a> {
    /// Ids of the executors that are at work.
    pub(super) seats: &'a [SeatId],
    /// Ids of the other executors: no message can be sent to them now.
    pub(super) away: &'a [SeatId],
    /// Names and aliases of participants, each with its id.
    pub(super) names: &'a [(Text, Text)],
}

impl Siblings<'_> {
    fn spellings(self) -> Spellings<SeatId> {
        // a blank in a spelling also matches a hyphen
        let own = self.seats.iter().chain(self.away).map(|seat| (seat.0.replace('-', " "), seat));
        let own: Vec<(String, &SeatId)> = own.collect();
        let own = own.iter().map(|(name, seat)| (&**name, SeatId::clone(seat)));
        let known = self.names.iter().map(|(name, id)| (&**name, SeatId(id.clone())));
        Spellings::new(own.chain(known))
    }
}

/// A label, and the receiver of the message.
struct LabelledMessage<'a> {
    kind: MessageKind,
    to: Option<SeatId>,
    label: LineLabel<'a>,
}

/// Reads a message; without a label it is a question if it ends with one, else a partial result or the planner's answer.
///
/// # Errors
/// If a part is missing or invalid.
pub(super) fn message(
    planner: bool,
    given: bool,
    siblings: Siblings<'_>,
    said: &str,
    data: &Value,
) -> Result<ReadReply, Unclear> {
    let object = objects(said, data, JsonPlace::Line).into_iter().find(|o| o["type"].is_string());
    if let Some(object) = &object {
        return in_json(planner, given, siblings, object);
    }
    let said = &*unwrapped(said);
    if let Some(LabelledMessage { kind, to, label }) = labelled(planner, siblings, said) {
        // text in front of the label stays in the message
        let (before, below) = around(said, label.line);
        let behind = format!("{}\n{below}", label.rest);
        let read = typed(kind, &format!("{before}\n\n{}", behind.trim()), given, to, siblings)?;
        return Ok(ReadReply { by: label.by(), ..read });
    }
    let asked = sentences(&own_text(said)).last().is_some_and(|sentence| asks(sentence));
    let kind = match (planner, asked) {
        (true, _) => MessageKind::Clarification,
        (false, true) => MessageKind::Question,
        (false, false) => MessageKind::PartialResult,
    };
    typed(kind, said, given, None, siblings)
}

/// Returns the label that decides: the last result or error, else a message to a sibling, a question, or progress.
fn labelled<'a>(
    planner: bool,
    siblings: Siblings<'_>,
    said: &'a str,
) -> Option<LabelledMessage<'a>> {
    // "0 tests failed. ERROR: none." has no label
    let rows: [(MessageKind, &WordRow, LabelLead); 4] = [
        (MessageKind::TaskComplete, &words().complete_label, LabelLead::Sentences),
        (MessageKind::Error, &words().error_label, LabelLead::Word),
        (MessageKind::Question, &words().question_label, LabelLead::Sentences),
        (MessageKind::ProgressUpdate, &words().progress_label, LabelLead::Sentences),
    ];
    let possible = rows.into_iter().filter(|(kind, ..)| possible(*kind, planner));
    let mut all: Vec<LabelledMessage<'a>> = possible
        .flat_map(|(kind, row, lead)| {
            labels(said, row, lead).map(move |label| LabelledMessage { kind, to: None, label })
        })
        .collect();
    if !planner {
        all.extend(own_lines(said).filter_map(|(n, line)| addressed(siblings, n, line)));
    }
    let order = [MessageKind::SiblingMessage, MessageKind::Question, MessageKind::ProgressUpdate];
    // the last one that ends the task, or else the first one of its kind
    all.into_iter().min_by_key(|message| {
        let line = message.label.line;
        match order.iter().position(|kind| *kind == message.kind) {
            Some(rank) => (rank + 1, line),
            None => (0, usize::MAX - line),
        }
    })
}

/// Returns a message to a participant by name, `TO NAME:`.
fn addressed<'a>(
    siblings: Siblings<'_>,
    number: usize,
    line: &'a str,
) -> Option<LabelledMessage<'a>> {
    let letters = Letters::new(line);
    let begin = behind_marks(&letters, 0);
    let name = letters.word(begin, &word(TO))?;
    let name = letters.skip(name, |c| matches!(c, ' ' | '@' | '*' | '_' | '`'));
    let spellings = siblings.spellings();
    let (to, end) = spellings.at(&letters, name)?;
    // any other name in front is part of the result
    if !siblings.seats.contains(to) && !siblings.away.contains(to) {
        return None;
    }
    let rest = behind_sign(line, &letters, end, false)?;
    let label = LineLabel { rest, first: true, line: number };
    Some(LabelledMessage { kind: MessageKind::SiblingMessage, to: Some(to.clone()), label })
}

fn in_json(
    planner: bool,
    given: bool,
    siblings: Siblings<'_>,
    object: &Value,
) -> Result<ReadReply, Unclear> {
    let name = object["type"].as_str().unwrap_or_default();
    let kind = MessageKind::by_name(name)
        .filter(|kind| possible(*kind, planner))
        .ok_or_else(|| format!("there is no message type {name:?}; use {}", types(planner)))?;
    let words = WORDS.iter().find_map(|key| spelled(&object[*key])).unwrap_or_default();
    let results = spelled(&object["results"]).filter(|results| *results != words);
    let to = object["to"].as_str().and_then(|name| siblings.spellings().whole(name).cloned());
    let words = match (kind, results) {
        (MessageKind::TaskComplete, Some(results)) => format!("{words}\nResults:\n{results}"),
        _ => words,
    };
    let read = typed(kind, &words, given, to, siblings)?;
    Ok(ReadReply { by: ReadBy::Json, ..read })
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

fn typed(
    kind: MessageKind,
    words: &str,
    given: bool,
    to: Option<SeatId>,
    siblings: Siblings<'_>,
) -> Result<ReadReply, Unclear> {
    let words = words.trim();
    let bare = words.is_empty() || words == "Results:";
    let working = |seat: &SeatId| siblings.seats.contains(seat);
    let text = match kind {
        MessageKind::TaskComplete if bare && given => "TASK COMPLETE".to_owned(),
        MessageKind::TaskComplete if bare => {
            return Err("it says TASK COMPLETE but gives no results".into());
        }
        MessageKind::SiblingMessage if !to.as_ref().is_some_and(working) => {
            return Err(not_working(to.as_ref(), siblings));
        }
        _ if words.is_empty() => return Err("it has no text after the message type".into()),
        MessageKind::SiblingMessage => {
            format!("TO {}: {words}", to.as_ref().map_or("", |to| &*to.0))
        }
        kind => kind.log_label().map_or(words.to_owned(), |label| format!("{label}: {words}")),
    };
    let mut structured = Map::from_iter([("type".to_owned(), json!(kind))]);
    structured.extend(to.map(|to| ("to".to_owned(), json!(to))));
    if kind == MessageKind::TaskComplete && !bare {
        structured.insert("results".into(), results_in(&text).into());
    }
    let structured = Value::Object(structured);
    Ok(ReadReply::typed(kind.as_str(), text, structured))
}

/// Returns the fault of a message to a participant that is not at work.
fn not_working(to: Option<&SeatId>, siblings: Siblings<'_>) -> Unclear {
    let Some(to) = to else {
        return "it is not addressed to an executor who is working now".into();
    };
    let name = siblings.names.iter().find(|(_, id)| **id == *to.0).map_or(&to.0, |(name, _)| name);
    let working: Vec<&str> = siblings.seats.iter().map(|seat| &*seat.0).collect();
    let why = if working.is_empty() {
        format!("{name} cannot get a message now")
    } else {
        format!("{name} is not working now; working now: {}", working.join(", "))
    };
    Unclear { ask: Some(format!("{why}.")), why, field: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(said: &str, planner: bool) -> Result<(String, String), Unclear> {
        let names = [
            ("Executor 2".into(), "executor-2".into()),
            ("Cy".into(), "executor-3".into()),
            ("Ada".into(), "ada".into()),
        ];
        let (seats, away) = (&["executor-2".into()], &["executor-3".into()]);
        let siblings = Siblings { seats, away, names: &names };
        let read = message(planner, false, siblings, said, &Value::Null)?;
        let kind = read.message.unwrap_or_else(|| "".into());
        Ok((kind.to_string(), read.text.unwrap_or_default()))
    }

    #[test]
    fn a_label_begins_a_line_and_text_in_front_stays() {
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
            ("Is it done? Task complete?", "question", "QUESTION: Is it done? Task complete?"),
            (
                "I have it.\n\nTASK COMPLETE - 4 rows",
                "task_complete",
                "TASK COMPLETE: I have it.\n\n4 rows",
            ),
            ("To executor-2: Wait for me.", "sibling_message", "TO executor-2: Wait for me."),
            ("**TO Executor 2:** Wait.", "sibling_message", "TO executor-2: Wait."),
            (
                "{\"type\": \"sibling_message\", \"to\": \"Executor 2\", \"text\": \"Wait.\"}",
                "sibling_message",
                "TO executor-2: Wait.",
            ),
            ("To executor-9: Wait.", "partial_result", "To executor-9: Wait."),
            ("To Ada: Wait.", "partial_result", "To Ada: Wait."),
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
            ("TO Cy: wait.", "Cy is not working now; working now: executor-2"),
        ] {
            let found = read(said, false).unwrap_err();
            assert!(found.to_string().contains(why), "{said}: {found}");
        }
        let done = Siblings { seats: &[], away: &["bo-1".into()], names: &[] };
        let alone = |said| message(false, true, done, said, &Value::Null);
        let refused = alone("TO Bo 1: wait.").unwrap_err();
        assert_eq!(refused.to_string(), "bo-1 cannot get a message now");
        let enough = alone("TASK_COMPLETE").unwrap();
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
