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
const LISTS: [&str; 8] = [
    "messages",
    "chat_messages",
    "conversations",
    "mapping",
    "steps",
    "subagent_trajectories",
    "messagesTree",
    "children",
];
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
    let is_conversation = !fixture.messages().is_empty() && fixture.read().is_some();
    is_conversation.then_some(fixture)
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
        let plurals = ["texts under", "messages of", "versions of"];
        let singular = plurals.iter().fold(kind.to_owned(), |kind, plural| {
            kind.replace(plural, &plural.replacen("s ", " ", 1))
        });
        Some((singular.trim_end_matches('s').to_owned(), count.parse().ok()?))
    };
    note.split(", ").filter_map(count).collect()
}

/// Fields without words that the readers of all formats need.
const STRUCTURE: [&str; 10] = [
    "type",
    "role",
    "from",
    "sender",
    "parent",
    "content_type",
    "mimeType",
    "media_type",
    "name",
    "schema_version",
];

/// Returns whether a field of a message has none of its words.
fn is_structure(key: &str, value: &Value) -> bool {
    let ends = ["id", "Id", "ID"];
    let is_name = STRUCTURE.contains(&key) || ends.iter().any(|end| key.ends_with(end));
    DESCRIBES.contains(&key)
        || is_name && value.is_string()
        || !value.is_string() && !is_nested(value)
}

fn is_nested(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

/// Removes all words of a value but those at a path; all words if the path is empty.
fn prune(value: &mut Value, path: &str) {
    let (name, rest) = path.split_once('/').unwrap_or((path, ""));
    let is_end = name.is_empty();
    match value {
        Value::Object(fields) => {
            fields.retain(|key, value| key == name || is_structure(key, value));
        }
        Value::Array(all) if is_end => all.clear(),
        Value::Array(all) => {
            let at: usize = name.parse().unwrap();
            let kept = all.swap_remove(at);
            *all = vec![kept];
        }
        _ => return,
    }
    let next = match value {
        Value::Array(all) => all.first_mut(),
        value => value.get_mut(name),
    };
    if let (Some(next), false) = (next, rest.is_empty()) {
        prune(next, rest);
    }
}

/// Returns a copy in which the words at a path are the only ones of a part; without a path, all of them are removed.
fn pruned(fixture: &Fixture, part: &str, path: Option<&str>) -> Fixture {
    let mut less = fixture.clone();
    let whole = less.value.pointer_mut(part).unwrap();
    match path {
        Some("") => {}
        Some(path) => prune(whole, path),
        None => prune(whole, ""),
    }
    if path.is_none() && !is_nested(less.value.pointer(part).unwrap()) {
        *less.value.pointer_mut(part).unwrap() = Value::Null;
    }
    less
}

/// Returns a copy without a part; `None` for a message with answers inside it.
fn without(fixture: &Fixture, part: &str) -> Option<Fixture> {
    let answers = &fixture.value.pointer(part)?["children"];
    if answers.as_array().is_some_and(|all| all.iter().any(Value::is_object)) {
        return None;
    }
    let mut less = fixture.clone();
    let (parent, name) = part.rsplit_once('/')?;
    match less.value.pointer_mut(parent)? {
        Value::Array(all) => drop(all.remove(name.parse().unwrap())),
        Value::Object(all) => drop(all.remove(name)),
        _ => panic!("{part}"),
    }
    Some(less)
}

/// Kinds of messages that are left out as a whole.
const WHOLE: [&str; 4] =
    ["notice", "message of another branch", "other version of a message", "request"];

/// Returns whether a message is left out as a whole and counted: the session is the same without it.
fn is_left_out(fixture: &Fixture, message: &str, imported: &Imported) -> bool {
    let Some(less) = without(fixture, message).and_then(|less| less.read()) else { return false };
    let is_same = less.messages.len() == imported.messages.len() && texts(&less) == texts(imported);
    let [all, less] = [imported, &less].map(left_out);
    is_same && WHOLE.iter().any(|kind| less.get(*kind).unwrap_or(&0) < all.get(*kind).unwrap_or(&0))
}

/// Returns whether the count speaks of the canary: with it as the only words of a part, it is higher than without the
/// words, or without the part.
fn is_counted(fixture: &Fixture, canary: &str, imported: &Imported) -> bool {
    let message = fixture.messages().into_iter().filter(|at| canary.starts_with(&format!("{at}/")));
    let mut message = message.max_by_key(String::len).unwrap();
    if fixture.lines {
        // the line is the message
        message.truncate(message[1..].find('/').map_or(message.len(), |at| at + 1));
    }
    let mut part = canary.to_owned();
    loop {
        let inside = canary[part.len()..].trim_start_matches('/');
        // a file that is refused then says so
        if let Some(with) = pruned(fixture, &part, Some(inside)).read() {
            let with = left_out(&with);
            let less = [Some(pruned(fixture, &part, None)), without(fixture, &part)];
            let is_more = |less: Imported| {
                let less = left_out(&less);
                with.iter().any(|(kind, count)| less.get(kind).unwrap_or(&0) < count)
            };
            if less.iter().flatten().filter_map(Fixture::read).any(is_more) {
                return true;
            }
        }
        if part == message {
            return is_left_out(fixture, &message, imported);
        }
        part.truncate(part.rfind('/').unwrap());
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
            let mut uses = imported.messages.iter().flat_map(|said| &said.tools);
            prop_assert!(uses.all(|used| !used.name.is_empty()), "{canary}: {:#}", fixture.value);
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
