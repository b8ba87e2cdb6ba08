//! Form of steering lines: the same in `--steer` files, on stdin, in tests, and inside `command.given`.

use super::command::{COMMANDS, Command, Targets};
use super::ids::{Key, Text, ThreadId};
use super::near;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Condition under which a line of a steer file becomes a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// After the end of turn N.
    After {
        /// Turn number, from 1.
        utterance: u32,
    },
    /// After any turn of a participant.
    Said {
        /// The participant's id.
        participant: Text,
    },
    /// During turn N, once it has this many words.
    During {
        /// Turn number, from 1.
        utterance: u32,
        /// Minimum words shown so far; 0 is the beginning of the turn.
        words: u32,
    },
    /// At a time of the session's clock, in milliseconds.
    At(u64),
    /// Once this condition is true.
    When(Text),
}

/// One steering line: a command and its trigger.
#[derive(Clone, Debug, PartialEq)]
pub struct SteerLine {
    /// Trigger; `None` acts immediately.
    pub trigger: Option<Trigger>,
    /// True if it acts each time the trigger becomes true, as a breakpoint.
    pub every: bool,
    /// Thread of the command; `None` for every open thread.
    pub thread: Option<ThreadId>,
    /// The sender's id for the line, repeated in the receipt.
    pub id: Option<Text>,
    /// The command.
    pub command: Command,
}

/// Fault of a steering line, with the fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadLine(pub String);

const TRIGGERS: [&str; 4] = ["after", "during", "at", "when"];

impl SteerLine {
    /// Parses a line of JSON, as in a steer file.
    ///
    /// # Errors
    /// A sentence that names the key and the accepted values.
    pub fn parse(line: &str) -> Result<SteerLine, BadLine> {
        match serde_json::from_str(line) {
            Ok(Value::Object(map)) => SteerLine::from_map(map),
            Ok(other) => Err(BadLine(format!(
                "a steering line is a JSON object like {{\"do\":\"pause\"}}, not {}",
                kind_of(&other)
            ))),
            Err(e) => Err(BadLine(format!("not JSON: {e}"))),
        }
    }

    /// Reads a line from its keys.
    ///
    /// # Errors
    /// A sentence that names the key and what is accepted.
    pub fn from_map(mut map: Map<String, Value>) -> Result<SteerLine, BadLine> {
        let found: Vec<&str> = TRIGGERS.into_iter().filter(|t| map.contains_key(*t)).collect();
        if let [a, b, ..] = found[..] {
            return Err(BadLine(format!(
                "a line has at most one trigger; this one has `{a}` and `{b}`"
            )));
        }
        let trigger = match found.first() {
            Some(name) => Some(trigger(name, map.remove(*name).unwrap_or_default())?),
            None => None,
        };
        let every = match map.remove("every") {
            None | Some(Value::Bool(false)) => false,
            Some(Value::Bool(true)) => match trigger {
                Some(Trigger::When(_) | Trigger::Said { .. }) => true,
                _ => {
                    return Err(BadLine(
                        "`every` goes with `when`, or with {\"after\":{\"participant\":\"ada\"}}"
                            .into(),
                    ));
                }
            },
            Some(v) => {
                return Err(BadLine(format!("`every` is true or false, not {}", kind_of(&v))));
            }
        };
        let thread = match map.remove("in") {
            None => None,
            Some(v) => Some(ThreadId(v.as_u64().ok_or_else(|| {
                BadLine(format!("`in` must be a thread number, not {}", kind_of(&v)))
            })?)),
        };
        let id = match map.remove("id") {
            None => None,
            Some(Value::String(s)) => Some(s.into()),
            Some(v) => return Err(BadLine(format!("`id` must be text, not {}", kind_of(&v)))),
        };
        Ok(SteerLine { trigger, every, thread, id, command: command(map)? })
    }

    /// Returns the line as JSON, keys in their usual order.
    pub fn to_map(&self) -> Map<String, Value> {
        let mut map = Map::new();
        match &self.trigger {
            Some(Trigger::After { utterance }) => {
                map.insert("after".into(), json!({ "utterance": utterance }));
            }
            Some(Trigger::Said { participant }) => {
                map.insert("after".into(), json!({ "participant": **participant }));
            }
            Some(Trigger::During { utterance, words }) => {
                map.insert("during".into(), json!({"utterance": utterance, "words": words}));
            }
            Some(Trigger::At(ms)) => {
                map.insert("at".into(), json!(format!("{ms}ms")));
            }
            Some(Trigger::When(condition)) => {
                map.insert("when".into(), json!(**condition));
            }
            None => {}
        }
        if self.every {
            map.insert("every".into(), true.into());
        }
        if let Some(thread) = self.thread {
            map.insert("in".into(), json!(thread.0));
        }
        if let Some(id) = &self.id {
            map.insert("id".into(), json!(**id));
        }
        if let Ok(Value::Object(command)) = serde_json::to_value(&self.command) {
            map.extend(command);
        }
        map
    }
}

/// `command.given`: the whole line with its key and what it was resolved to when it was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommandGiven {
    /// The key of the command: a second one with the same key does nothing.
    pub key: Key,
    /// The line as it was given.
    #[serde(flatten)]
    pub line: SteerLine,
    /// Name of the client that sent it over the socket of the running conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Text>,
    /// Targets, resolved when the command was given.
    #[serde(default, skip_serializing_if = "Targets::is_empty")]
    pub targets: Targets,
}

impl From<Command> for SteerLine {
    fn from(command: Command) -> SteerLine {
        SteerLine { trigger: None, every: false, thread: None, id: None, command }
    }
}

impl Serialize for SteerLine {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.to_map().serialize(s)
    }
}

impl<'de> Deserialize<'de> for SteerLine {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let mut map = Map::deserialize(d)?;
        map.remove("key");
        map.remove("from");
        map.remove("targets");
        SteerLine::from_map(map).map_err(serde::de::Error::custom)
    }
}

fn kind_of(v: &Value) -> &'static str {
    match v {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn trigger(name: &str, value: Value) -> Result<Trigger, BadLine> {
    let number = |key: &str| {
        value[key].as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| {
            BadLine(format!("`{name}` needs `{key}`, a number, as in {}", example(name)))
        })
    };
    let known: &[&str] = match name {
        "after" => &["utterance", "participant"],
        "during" => &["utterance", "words"],
        _ => &[],
    };
    if let (Some(o), false) = (value.as_object(), known.is_empty())
        && let Some(key) = o.keys().find(|k| !known.contains(&k.as_str()))
    {
        return Err(BadLine(format!("`{name}` has no key `{key}`; use {}", example(name))));
    }
    match (name, &value) {
        ("after", Value::Object(o)) if o.contains_key("participant") => {
            match (&o["participant"], o.contains_key("utterance")) {
                (Value::String(seat), false) => {
                    Ok(Trigger::Said { participant: seat.as_str().into() })
                }
                _ => Err(BadLine(
                    "`after` names an utterance or a participant, as in \
                     {\"after\":{\"participant\":\"ada\"}}"
                        .into(),
                )),
            }
        }
        ("after", _) => Ok(Trigger::After { utterance: number("utterance")? }),
        ("during", _) => Ok(Trigger::During {
            utterance: number("utterance")?,
            words: match value.get("words") {
                None => 0,
                Some(_) => number("words")?,
            },
        }),
        ("at", Value::String(s)) => duration_ms(s).map(Trigger::At).ok_or_else(|| {
            BadLine(format!("`at` must be a time such as \"5s\", \"250ms\" or \"2m\", not \"{s}\""))
        }),
        ("when", Value::String(s)) => Ok(Trigger::When(s.as_str().into())),
        _ => Err(BadLine(format!("`{name}` must be {}", example(name)))),
    }
}

fn example(trigger: &str) -> &'static str {
    match trigger {
        "after" => "{\"after\":{\"utterance\":3}}",
        "during" => "{\"during\":{\"utterance\":4,\"words\":20}}",
        "at" => "{\"at\":\"5s\"}",
        _ => "{\"when\":\"EXPRESSION\"}",
    }
}

/// Reads a duration such as `250ms`, `5s`, `1.5s`, `2m` or `1h` into milliseconds.
pub fn duration_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().ok()?;
    let factor = match unit {
        "ms" => 1.0,
        "s" | "" => 1_000.0,
        "m" | "min" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return None,
    };
    let ms = number * factor;
    (ms.is_finite() && ms < 1e15).then_some(ms as u64)
}

fn command(mut map: Map<String, Value>) -> Result<Command, BadLine> {
    let name = match map.get("do") {
        Some(Value::String(s)) => s.clone(),
        Some(v) => {
            return Err(BadLine(format!("`do` must be the name of a command, not {}", kind_of(v))));
        }
        None => {
            return Err(BadLine("a line needs `do`, as in {\"do\":\"pause\"}".into()));
        }
    };
    let Some(row) = COMMANDS.iter().find(|r| r.name == name) else {
        let names: Vec<&str> = COMMANDS.iter().map(|r| r.name).collect();
        let near = near::instead(&name, &names);
        return Err(BadLine(format!("no command `{name}`; {near}")));
    };
    if let Some(key) = row.needs.iter().find(|k| !map.contains_key(**k)) {
        return Err(BadLine(format!("`{name}` needs `{key}`")));
    }
    let allowed = |k: &str| k == "do" || row.needs.contains(&k) || row.takes.contains(&k);
    if let Some(key) = map.keys().find(|k| !allowed(k)) {
        let mut keys: Vec<&str> = row.needs.iter().chain(row.takes).copied().collect();
        keys.extend(["after", "during", "at", "when", "every", "in", "id"]);
        return Err(BadLine(format!("`{name}` has no key `{key}`; it takes {}", keys.join(", "))));
    }
    // `choose` counts alternatives from 1, `step` utterances: zero has no meaning there
    if let Some(key) = ["n", "utterance", "alternative", "step", "before"]
        .into_iter()
        .find(|k| map.get(*k) == Some(&json!(0)))
    {
        return Err(BadLine(format!("`{key}` must be at least 1")));
    }
    map.retain(|_, v| !v.is_null());
    serde_json::from_value(Value::Object(map)).map_err(|e| BadLine(format!("`{name}`: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_as_it_was_written() {
        for line in [
            r#"{"after":{"utterance":3},"do":"pause"}"#,
            r#"{"during":{"utterance":4,"words":20},"id":"q","do":"cut_in","text":"why?"}"#,
            r#"{"at":"5000ms","in":7,"do":"limit","set":{"utterances":30}}"#,
            r#"{"when":"turn_count > 2","do":"note","text":"brief","to":["ada"],"for":"standing"}"#,
            r#"{"do":"end","final_round":true}"#,
            r#"{"after":{"participant":"ada"},"every":true,"do":"pause"}"#,
            r#"{"when":"round > 1","every":true,"in":4,"do":"step","n":2}"#,
        ] {
            let parsed = SteerLine::parse(line).expect(line);
            assert_eq!(Value::Object(parsed.to_map()).to_string(), line);
            let again: SteerLine = serde_json::from_str(line).expect(line);
            assert_eq!(again, parsed);
        }
    }

    #[test]
    fn invalid_line_reports_a_fix() {
        for (line, words) in [
            ("pause", "not JSON"),
            ("[1]", "JSON object"),
            ("{}", "needs `do`"),
            (r#"{"do":"pausee"}"#, "nearest is `pause`"),
            (r#"{"do":"say"}"#, "`say` needs `text`"),
            (r#"{"do":"say","text":"x","to":"ada"}"#, "no key `to`"),
            (r#"{"do":"say","text":7}"#, "`say`"),
            (r#"{"do":"pause","at":"5s","when":"x"}"#, "one trigger"),
            (r#"{"do":"pause","at":"soon"}"#, "\"5s\""),
            (r#"{"do":"pause","after":{"utterence":3}}"#, "no key `utterence`"),
            (r#"{"do":"pause","after":3}"#, "needs `utterance`"),
            (r#"{"do":"step","n":0}"#, "must be at least 1"),
            (r#"{"do":"pause","every":true}"#, "`every` goes with"),
            (r#"{"do":"pause","every":1,"when":"x"}"#, "true or false"),
            (r#"{"do":"pause","at":"5s","every":true}"#, "`every` goes with"),
            (r#"{"do":"pause","after":{"participant":3}}"#, "names an utterance or a participant"),
            (
                r#"{"do":"pause","after":{"participant":"a","utterance":3}}"#,
                "names an utterance or",
            ),
        ] {
            let why = SteerLine::parse(line).expect_err(line).to_string();
            assert!(why.contains(words), "{line}: {why}");
        }
    }
}
