//! Independent parser of session files, without any code of the program.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Events of a session, with the torn end of the file.
pub struct Record {
    pub events: Vec<Value>,
    /// Size of the whole lines in bytes, without a missing last newline.
    pub whole: usize,
    /// True if the last whole line lacks only its newline.
    pub unended: bool,
    /// Bytes after the last whole line.
    pub torn: Vec<u8>,
}

impl Record {
    /// Returns whether the conversation has ended and was not reopened. A resume would then start another exchange.
    pub fn has_ended(&self) -> bool {
        let last = |kind: &str| self.events.iter().rposition(|e| e["kind"] == kind);
        last("conversation.ended") > last("conversation.reopened")
    }
}

/// Parses the whole lines. An invalid line is an error unless it is the last one.
pub fn read(bytes: &[u8]) -> Result<Record, String> {
    let mut record = Record { events: vec![], whole: 0, unended: false, torn: vec![] };
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = rest.iter().position(|b| *b == b'\n').map_or(rest.len(), |at| at + 1);
        let (line, next) = rest.split_at(end);
        match event(line.strip_suffix(b"\n").unwrap_or(line), record.events.len() as u64) {
            Ok(event) => record.events.push(event),
            Err(_) if next.is_empty() => {
                record.torn = line.to_vec();
                break;
            }
            Err(why) => return Err(format!("byte {}: {why}", record.whole)),
        }
        record.whole += line.len();
        record.unended = !line.ends_with(b"\n");
        rest = next;
    }
    Ok(record)
}

fn event(line: &[u8], seq: u64) -> Result<Value, String> {
    let text = std::str::from_utf8(line).map_err(|e| e.to_string())?;
    let (body, crc) = text.rsplit_once(",\"crc\":\"").ok_or("no checksum")?;
    let crc = crc.strip_suffix("\"}").ok_or("no end")?;
    let right = format!("{:08x}", crc32c::crc32c(body.as_bytes()));
    if right != crc {
        return Err(format!("the checksum is {crc}, not {right}"));
    }
    let event: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    if event["seq"] != seq {
        return Err(format!("seq is {}, not {seq}", event["seq"]));
    }
    Ok(event)
}

/// The part of a conversation that must not depend on the number of kills.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Messages: number, speaker, text.
    pub said: Vec<(Option<u64>, String, String)>,
    /// Digests of all prompts built for each turn.
    pub prompts: BTreeMap<u64, BTreeSet<String>>,
    /// Ended steps of a plan: number, attempt and state.
    pub steps: BTreeSet<(u64, u64, String)>,
    pub reason: String,
}

impl Outcome {
    /// Removes the data that depends on the order in which concurrent turns end.
    pub fn unordered(mut self) -> Outcome {
        // the numbers of concurrent steps depend on the order of their turns
        if !self.steps.is_empty() {
            self.said.iter_mut().for_each(|(number, ..)| *number = None);
        }
        self.said.sort();
        self.prompts.clear();
        self
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the outcome of a conversation, or an error if something happened twice.
pub fn outcome(events: &[Value]) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut numbers = BTreeMap::new();
    let mut given = BTreeMap::new();
    let mut placed = BTreeSet::new();
    let mut settled = BTreeSet::new();
    let once = |new: bool, what: &str, event: &Value| {
        if new { Ok(()) } else { Err(format!("{what} twice: {event}")) }
    };
    for event in events {
        let data = &event["data"];
        match event["kind"].as_str().unwrap_or_default() {
            "floor.granted" => {
                numbers.insert(event["seq"].clone().to_string(), data["number"].as_u64());
            }
            "call.started" => {
                if let Some(Some(number)) = numbers.get(&data["turn"].to_string()) {
                    outcome.prompts.entry(*number).or_default().insert(text(&data["digest"]));
                }
            }
            "turn.ended" => {
                let crashed = data["why"] == "crash";
                let words = text(&data["text"]);
                if !crashed && !words.is_empty() {
                    outcome.said.push((data["number"].as_u64(), text(&event["by"]), words));
                }
            }
            "command.given" | "command.refused" => {
                let new = given.insert(text(&data["key"]), text(&data["text"])).is_none();
                once(new, "a command", event)?;
            }
            "human.said" => {
                let key = text(&data["of"]);
                once(placed.insert((key.clone(), event["in"].as_u64())), "words", event)?;
                outcome.said.push((None, "operator".into(), given[&key].clone()));
            }
            "receipt" if data["is"] == "done" => {
                once(settled.insert(text(&data["of"])), "a receipt", event)?;
            }
            // a step halted by the end of the conversation continues after a resume
            "step.ended" if data["halted"] != true => {
                let number = |key: &str| data[key].as_u64().unwrap_or_default();
                let ended = (number("step"), number("attempt"), text(&data["is"]));
                once(outcome.steps.insert(ended), "the end of a step", event)?;
            }
            "conversation.ended" => outcome.reason = text(&data["reason"]),
            _ => {}
        }
    }
    Ok(outcome)
}
