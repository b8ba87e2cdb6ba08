//! Changes to a request that servers ask for: a closed list, and their application.
//!
//! A server only selects an entry, and only for a field that was sent. No text of a server is ever sent back.

use super::known::{Field, KNOWN, LIMIT};
use crate::model::{Message, Role, Wire};
use serde_json::{Map, Value, json};
use std::fmt;

/// A change to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cure {
    /// Leaves out a field.
    LeaveOut(Field),
    /// Sends a field under another name of the table.
    Rename(Field, &'static str),
    /// Puts the instructions in front of the first message of the user.
    SystemIntoUser,
    /// Describes the tools in the prompt and takes requests from the text of the reply.
    ToolsInText,
    /// Leaves out all of a schema except types, properties, items and choices.
    SimpleSchemas,
    /// Sends the calls in another wire format of the same server.
    Wire(Wire),
    /// Adds the usual version to the path, or takes it off.
    OtherPath,
    /// The stated context window, in tokens.
    Window(u32),
    /// The stated maximum of a reply, in tokens.
    MostTokens(u32),
}

impl Cure {
    /// Returns the changes of fields.
    pub fn of_fields() -> impl Iterator<Item = Cure> {
        KNOWN.field.iter().flat_map(|field| {
            // without its limit a reply may cost any amount
            let left_out = (field.name != LIMIT).then_some(Cure::LeaveOut(field));
            left_out.into_iter().chain(field.renames.iter().map(|to| Cure::Rename(field, to)))
        })
    }

    /// Parses a change as it is displayed; `None` for any other text.
    pub fn parse(text: &str) -> Option<Cure> {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let number: Option<u32> = digits.parse().ok();
        let numbers = number.into_iter().flat_map(|n| [Cure::Window(n), Cure::MostTokens(n)]);
        let mut all = Cure::of_fields().chain(numbers).chain(PLAIN);
        all.find(|cure| cure.to_string() == text)
    }

    /// Returns whether something that the author of a scenario set is lost.
    pub fn loses(self) -> bool {
        match self {
            Cure::LeaveOut(field) => field.is_set,
            Cure::MostTokens(_) => true,
            _ => false,
        }
    }
}

impl fmt::Display for Cure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cure::LeaveOut(field) => write!(f, "leave out {}", field.name),
            Cure::Rename(field, to) => write!(f, "rename {} to {to}", field.name),
            Cure::SystemIntoUser => f.write_str("send the instructions as user"),
            Cure::ToolsInText => f.write_str("put the tools into words"),
            Cure::SimpleSchemas => f.write_str("simplify the schemas"),
            Cure::Wire(wire) => write!(f, "use wire {}", wire.name()),
            Cure::OtherPath => f.write_str("change the version in the path"),
            Cure::Window(n) => write!(f, "window {n}"),
            Cure::MostTokens(n) => write!(f, "at most {n} tokens"),
        }
    }
}

/// Cures without a field and a number.
const PLAIN: [Cure; 6] = [
    Cure::SystemIntoUser,
    Cure::ToolsInText,
    Cure::SimpleSchemas,
    Cure::Wire(Wire::OpenAi),
    Cure::Wire(Wire::Responses),
    Cure::OtherPath,
];

/// Changes to the requests to a model, each at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Adaptations(Vec<Cure>);

impl FromIterator<Cure> for Adaptations {
    fn from_iter<T: IntoIterator<Item = Cure>>(cures: T) -> Adaptations {
        let mut all = Adaptations::default();
        cures.into_iter().for_each(|cure| all.add(cure));
        all
    }
}

impl Adaptations {
    /// Adds a change; it replaces an earlier one of the same field.
    pub(super) fn add(&mut self, cure: Cure) {
        self.0.retain(|known| match (known, cure) {
            (Cure::LeaveOut(a) | Cure::Rename(a, _), Cure::LeaveOut(b) | Cure::Rename(b, _)) => {
                *a != b
            }
            (Cure::Window(_), Cure::Window(_))
            | (Cure::MostTokens(_), Cure::MostTokens(_))
            | (Cure::Wire(_), Cure::Wire(_)) => false,
            (known, cure) => *known != cure,
        });
        self.0.push(cure);
    }

    /// Returns the changes, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = Cure> {
        self.0.iter().copied()
    }

    /// Returns whether a change is among them.
    pub(super) fn contains(&self, cure: Cure) -> bool {
        self.0.contains(&cure)
    }

    /// Returns the wire format of the calls; `None` for that of the endpoint.
    pub(super) fn wire(&self) -> Option<Wire> {
        self.iter().find_map(|cure| if let Cure::Wire(wire) = cure { Some(wire) } else { None })
    }

    /// Applies the changes to a request without its messages. Returns the changes that lose a setting of its author.
    pub(super) fn apply(&self, body: &mut Value) -> Vec<Cure> {
        let mut lost = vec![];
        for cure in self.iter() {
            match cure {
                Cure::LeaveOut(field) => {
                    let taken = field.paths().filter_map(|path| take(body, path));
                    if taken.count() > 0 && cure.loses() {
                        lost.push(cure);
                    }
                }
                Cure::MostTokens(n) => {
                    let paths = KNOWN.field.iter().filter(|field| field.name == LIMIT);
                    for path in paths.flat_map(|field| field.paths()) {
                        if let Some(sent) = at_mut(body, path)
                            && sent.as_u64().is_some_and(|sent| sent > u64::from(n))
                        {
                            *sent = json!(n);
                            lost.push(cure);
                        }
                    }
                }
                Cure::Rename(field, to) => {
                    // a name is another one for the field at the top only
                    if let Some(sent) = field.renames.iter().find_map(|name| take(body, name)) {
                        body[to] = sent;
                    }
                }
                Cure::SimpleSchemas => schemas_of(body, &mut |schema| *schema = simple(schema)),
                _ => {}
            }
        }
        lost
    }

    /// Returns the messages without a system message, if the server takes none.
    pub(super) fn messages(&self, messages: &[Message]) -> Option<Vec<Message>> {
        if !self.contains(Cure::SystemIntoUser) {
            return None;
        }
        let (system, mut others): (Vec<Message>, Vec<Message>) =
            messages.iter().cloned().partition(|message| message.role == Role::System);
        let rules: Vec<&str> = system.iter().map(|message| &*message.text).collect();
        let rules = rules.join("\n\n");
        match others.first_mut() {
            Some(first) if first.role == Role::User => {
                first.text = format!("{rules}\n\n{}", first.text);
            }
            Some(_) | None => others.insert(0, Message::new(Role::User, rules)),
        }
        Some(others)
    }
}

/// Calls a function with each schema of a request: that of the reply, and those of its tools.
pub(super) fn schemas_of(body: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    const REPLY: [&str; 3] = ["response_format.json_schema.schema", "text.format.schema", "format"];
    const TOOL: [&str; 4] =
        ["function.parameters", "parameters", "input_schema", "parametersJsonSchema"];
    for path in REPLY {
        at_mut(body, path).filter(|schema| schema.is_object()).into_iter().for_each(&mut *change);
    }
    let tools = body.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten();
    for tool in tools {
        for path in TOOL {
            at_mut(tool, path).into_iter().for_each(&mut *change);
        }
        let all = tool.get_mut("functionDeclarations").and_then(Value::as_array_mut);
        for tool in all.into_iter().flatten() {
            at_mut(tool, TOOL[3]).into_iter().for_each(&mut *change);
        }
    }
}

/// Returns a schema with types, properties, items and choices only.
fn simple(schema: &Value) -> Value {
    let mut kept = Map::new();
    for (key, value) in schema.as_object().into_iter().flatten() {
        let value = match (key.as_str(), value) {
            ("type", Value::Array(types)) => {
                types.iter().find(|kind| **kind != "null").cloned().unwrap_or_default()
            }
            ("properties", Value::Object(all)) => {
                all.iter().map(|(name, property)| (name.clone(), simple(property))).collect()
            }
            ("items", value) => simple(value),
            ("type" | "required" | "enum" | "description", value) => value.clone(),
            _ => continue,
        };
        kept.insert(key.clone(), value);
    }
    if let Some(only) = schema.get("const") {
        kept.insert("enum".into(), json!([only]));
    }
    kept.into()
}

/// Removes the value at a path of a request.
fn take(body: &mut Value, path: &str) -> Option<Value> {
    let (inside, name) = match path.rsplit_once('.') {
        Some((parents, name)) => (at_mut(body, parents)?, name),
        None => (body, path),
    };
    inside.as_object_mut()?.shift_remove(name)
}

fn at_mut<'a>(body: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    path.split('.').try_fold(body, |inside, name| inside.get_mut(name))
}

/// Returns the value at a path of a request.
pub(super) fn at<'a>(body: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(body, |inside, name| inside.get(name))
}

/// Sets the value at a path of a request.
pub(super) fn put(body: &mut Value, path: &str, value: Value) {
    match path.split_once('.') {
        Some((first, rest)) => put(&mut body[first], rest, value),
        None => body[path] = value,
    }
}
