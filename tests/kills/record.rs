//! A session file read by a stranger: nothing here is the program's own code.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The lines of a session, with what is left behind the last whole one.
pub struct Record {
    pub events: Vec<Value>,
    /// How many bytes the whole lines take, the newline that a last one may lack not counted.
    pub whole: usize,
    /// Whether the last whole line lacks only its newline.
    pub unended: bool,
    /// What follows the last whole line.
    pub torn: Vec<u8>,
}

impl Record {
    /// Whether the conversation has ended and was not reopened since: a resume would begin another exchange.
    pub fn has_ended(&self) -> bool {
        let last = |kind: &str| self.events.iter().rposition(|e| e["kind"] == kind);
        last("conversation.ended") > last("conversation.reopened")
    }
}

/// Reads whole lines; a line that does not hold is an error unless nothing follows it.
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

/// What must be the same however often a conversation was killed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What was said: number, who, words.
    pub said: Vec<(Option<u64>, String, String)>,
    /// The digests of all prompts that were built for an utterance.
    pub prompts: BTreeMap<u64, BTreeSet<String>>,
    /// How each step of a plan ended, by number, attempt and state.
    pub steps: BTreeSet<(u64, u64, String)>,
    pub reason: String,
}

impl Outcome {
    /// Returns it without what depends on who of several was done first.
    pub fn unordered(mut self) -> Outcome {
        // steps at the same time: whose turn comes first has the lower number
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

/// Returns how a conversation went; an error if something in it happened twice.
pub fn outcome(events: &[Value]) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let (mut numbers, mut given) = (BTreeMap::new(), BTreeMap::new());
    let (mut placed, mut settled) = (BTreeSet::new(), BTreeSet::new());
    let once = |new: bool, what: &str, event: &Value| match new {
        true => Ok(()),
        false => Err(format!("{what} twice: {event}")),
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
            // one that an end of the conversation stopped continues with a resume
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
