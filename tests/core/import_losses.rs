//! No text of a message is lost without a count: the files of `tests/imports`, with unknown parts, fields and roles at
//! random places.

use colloquium::import::{Imported, read};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Text that no fixture has.
const CANARY: &str = "a bird that sings in the mine";
/// Names of fields that no format has.
const FIELDS: [&str; 6] = ["aside", "words", "caption", "remark", "transcript", "text2"];
/// Types of parts, known and unknown.
const KINDS: [&str; 8] =
    ["text", "thinking", "image", "input_audio", "document", "poem", "tool_result", "refusal"];
/// Roles, known and unknown.
const ROLES: [&str; 6] = ["user", "assistant", "system", "developer", "tool", "critic"];
/// Lists with the messages of a file, and objects with them.
const LISTS: [&str; 6] =
    ["messages", "chat_messages", "conversations", "mapping", "steps", "subagent_trajectories"];
/// Fields that describe a message, with all that is in them.
const DESCRIBES: [&str; 12] = [
    "metadata",
    "metrics",
    "usage",
    "status",
    "author",
    "info",
    "agent",
    "time",
    "children",
    "childrenIds",
    "ids",
    "source",
];

/// A file: a JSON text, or its lines.
#[derive(Clone, Debug)]
struct Fixture {
    name: String,
    lines: bool,
    value: Value,
}

static FIXTURES: LazyLock<Vec<Fixture>> = LazyLock::new(fixtures);

fn fixtures() -> Vec<Fixture> {
    let mut all = vec![];
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/imports"))];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                all.extend(fixture(&entry));
            }
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// Reads a file that is a conversation by itself; files of broken sub-agents are not.
fn fixture(path: &Path) -> Option<Fixture> {
    let text = fs::read_to_string(path).unwrap();
    let lines = path.extension().is_some_and(|end| end == "jsonl");
    let value: Value = if lines {
        text.lines().map(|line| serde_json::from_str::<Value>(line).ok()).collect::<Option<_>>()?
    } else {
        serde_json::from_str(&text).unwrap()
    };
    let fixture = Fixture { name: path.display().to_string(), lines, value };
    // a message in another one cannot be removed alone
    let is_flat = !fixture.messages().is_empty();
    (is_flat && fixture.read().is_some()).then_some(fixture)
}

impl Fixture {
    fn read(&self) -> Option<Imported> {
        let text = match &self.value {
            Value::Array(lines) if self.lines => {
                lines.iter().map(|line| format!("{line}\n")).collect()
            }
            whole => whole.to_string(),
        };
        read(&text, &[], None, None).ok()
    }

    /// Returns the places of all messages.
    fn messages(&self) -> Vec<String> {
        let mut found = vec![];
        if self.lines {
            let lines = self.value.as_array().into_iter().flatten().enumerate();
            found.extend(lines.filter_map(|(at, line)| Some(format!("/{at}{}", message(line)?))));
        } else {
            lists(&self.value, "", &mut found);
        }
        found
    }
}

/// Returns the place of the message in a line; `None` for a state of the program or a head.
fn message(line: &Value) -> Option<&'static str> {
    match line {
        _ if line["mes"].is_string() => Some(""),
        _ if line["message"].is_object() => Some("/message"),
        _ => (line["type"] == "response_item").then_some("/payload"),
    }
}

fn lists(value: &Value, at: &str, found: &mut Vec<String>) {
    let Value::Object(fields) = value else {
        let all = value.as_array().into_iter().flatten().enumerate();
        all.for_each(|(i, value)| lists(value, &format!("{at}/{i}"), found));
        return;
    };
    for (key, value) in fields {
        let at = format!("{at}/{key}");
        let inside: Vec<String> = match value {
            Value::Array(all) => (0..all.len()).map(|i| i.to_string()).collect(),
            Value::Object(all) => all.keys().cloned().collect(),
            _ => vec![],
        };
        if LISTS.contains(&key.as_str()) && key != "subagent_trajectories" {
            let inside = inside.iter().map(|name| format!("{at}/{name}"));
            let is_message = |at: &String| {
                let inside = value.pointer(&at[at.rfind('/').unwrap()..]).unwrap();
                inside.is_object() && (key != "mapping" || inside["message"].is_object())
            };
            found.extend(inside.filter(is_message));
        }
        if !matches!(key.as_str(), "steps") {
            lists(value, &at, found);
        }
    }
}

/// Returns the places of all values of a message that are part of its words.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(i, v)| places(v, &format!("{at}/{i}"), found));
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                if !DESCRIBES.contains(&key.as_str()) && !key.contains('/') {
                    places(value, &format!("{at}/{key}"), found);
                }
            }
        }
        _ => {}
    }
}

/// A change of a file; the numbers select among what is there.
#[derive(Clone, Copy, Debug)]
struct Change {
    message: usize,
    kind: u8,
    choice: usize,
}

fn changes() -> impl Strategy<Value = Change> {
    any::<(usize, u8, usize)>().prop_map(|(message, kind, choice)| Change { message, kind, choice })
}

/// Changes a file. Returns the place of the canary, if it is there.
fn change(fixture: &mut Fixture, change: Change) -> Option<String> {
    let Change { message: place, kind, choice } = change;
    let messages = fixture.messages();
    let message = &messages[place % messages.len()];
    let mut inside = vec![];
    places(fixture.value.pointer(message).unwrap(), message, &mut inside);
    let at = inside[choice % inside.len()].clone();
    let field = FIELDS[choice % FIELDS.len()];
    let value = fixture.value.pointer_mut(&at).unwrap();
    match (kind % 6, value) {
        (0, Value::Object(fields)) => {
            fields.insert(field.into(), CANARY.into());
            return Some(format!("{at}/{field}"));
        }
        (1, Value::Object(fields)) => {
            fields.insert(field.into(), json!({"inner": [{"deep": CANARY}]}));
            return Some(format!("{at}/{field}"));
        }
        (2, Value::Array(parts)) => {
            let kind = KINDS[choice % KINDS.len()];
            let key = [field, kind, "text", "content"][place % 4];
            let mut part = json!({"type": kind});
            part[key] = CANARY.into();
            parts.push(if choice % 9 == 0 { CANARY.into() } else { part });
            return Some(format!("{at}/{}", parts.len() - 1));
        }
        (3, Value::Object(fields)) => {
            if let Some(role) = fields.get_mut("role") {
                *role = ROLES[choice % ROLES.len()].into();
            }
        }
        (4, Value::Object(fields)) => {
            let keys: Vec<String> = fields.keys().cloned().collect();
            if let Some(key) = keys.get(choice % keys.len().max(1)) {
                fields.remove(key);
            }
        }
        (5, Value::Object(fields)) if fields.get("type").is_some_and(Value::is_string) => {
            fields["type"] = KINDS[choice % KINDS.len()].into();
        }
        _ => {}
    }
    None
}

/// Returns all texts of a session.
fn texts(imported: &Imported) -> String {
    let mut all = imported.topic.iter().cloned().collect::<Vec<_>>();
    all.extend(imported.speakers.iter().filter_map(|speaker| speaker.persona.clone()));
    for said in &imported.messages {
        all.extend([said.text.clone(), said.think.clone().unwrap_or_default()]);
        all.extend(said.whispers.iter().map(|whisper| whisper.text.to_string()));
        for used in &said.tools {
            all.extend([used.input.to_string(), used.result.clone().unwrap_or_default()]);
        }
    }
    all.join("\n")
}

/// Returns the numbers of left out parts, by kind.
fn left_out(imported: &Imported) -> BTreeMap<String, usize> {
    let note = imported.left_out.to_string();
    let count = |part: &str| {
        let (count, kind) = part.split_once(' ')?;
        let singular = kind.replace("texts under", "text under");
        Some((singular.trim_end_matches('s').to_owned(), count.parse().ok()?))
    };
    note.split(", ").filter_map(count).collect()
}

fn strings<'v>(value: &'v Value, to: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => to.push(text),
        Value::Array(all) => all.iter().for_each(|value| strings(value, to)),
        Value::Object(all) => all.values().for_each(|value| strings(value, to)),
        _ => {}
    }
}

/// Returns a copy without the value at a place.
fn without(fixture: &Fixture, at: &str) -> Fixture {
    let mut less = fixture.clone();
    let (parent, name) = at.rsplit_once('/').unwrap();
    match less.value.pointer_mut(parent) {
        Some(Value::Array(all)) => drop(all.remove(name.parse().unwrap())),
        Some(Value::Object(all)) => drop(all.remove(name)),
        _ => panic!("{at}"),
    }
    less
}

/// Returns whether the count speaks of the canary: it falls if the canary is removed, or a part around it of which
/// nothing is in the session.
fn is_counted(fixture: &Fixture, canary: &str, imported: &Imported) -> bool {
    let said = texts(imported);
    let all = left_out(imported);
    let message = fixture.messages().into_iter().filter(|at| canary.starts_with(&format!("{at}/")));
    let mut message = message.max_by_key(String::len).unwrap();
    if fixture.lines {
        // the line is the message
        message.truncate(message[1..].find('/').map_or(message.len(), |at| at + 1));
    }
    let mut at = canary.to_owned();
    loop {
        let mut inside = vec![];
        strings(fixture.value.pointer(&at).unwrap(), &mut inside);
        let is_unused = inside.iter().all(|text| text.len() < 5 || !said.contains(text));
        let falls = |less: Imported| {
            let counts = left_out(&less);
            let fewer = all.iter().any(|(kind, count)| counts.get(kind).unwrap_or(&0) < count);
            // another message may have the same words
            fewer && (is_unused || texts(&less) == said)
        };
        if without(fixture, &at).read().is_some_and(falls) {
            return true;
        }
        if at == message {
            return false;
        }
        at.truncate(at.rfind('/').unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_text_of_a_message_is_lost_without_a_count(
        which in any::<usize>(),
        before in prop::collection::vec(changes(), 0..3),
        last in changes(),
    ) {
        let mut fixture = FIXTURES[which % FIXTURES.len()].clone();
        for one in before {
            // without a canary
            change(&mut fixture, Change { kind: 3 + one.kind % 3, ..one });
        }
        prop_assume!(!fixture.messages().is_empty());
        let canary = change(&mut fixture, Change { kind: last.kind % 3, ..last });
        // a file that is refused says so
        if let (Some(canary), Some(imported)) = (canary, fixture.read()) {
            let is_said = texts(&imported).contains(CANARY);
            prop_assert!(
                is_said || is_counted(&fixture, &canary, &imported),
                "{} {canary}: {}\n{:#}",
                fixture.name,
                imported.left_out,
                fixture.value,
            );
        }
    }
}
