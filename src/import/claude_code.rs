//! Sessions of Claude Code: JSON lines, one for each part of a message, with the sub-agents in lines or files of their
//! own.

use super::content::{add, give_results};
use super::conversation::{
    ImportError, Imported, ImportedMessage, MESSAGES_MAX, cut, join, name_voices, some, text_at,
    time,
};
use crate::model::{SeatId, Usage};
use serde_json::Value;
use std::collections::BTreeMap;

/// Name of the main agent.
const CLAUDE: &str = "Claude";
/// Kinds of tools that start a sub-agent.
const TASKS: [&str; 2] = ["Task", "Agent"];
/// Known major versions.
const MAJORS: [&str; 2] = ["1", "2"];
/// Number of lines that are looked at to recognise the format.
const LOOKED_AT: usize = 50;

/// Returns true if a text looks like a session of Claude Code.
pub(super) fn is_session(text: &str) -> bool {
    let lines = text.lines().take(LOOKED_AT);
    lines.filter_map(|line| serde_json::from_str::<Value>(line).ok()).any(|line| {
        line["sessionId"].is_string() && (line["message"].is_object() || line["uuid"].is_string())
    })
}

/// A message with the id of its API call: its parts are lines of their own.
struct Part {
    said: ImportedMessage,
    api: String,
}

/// Reads a session, and the files of its sub-agents.
pub(super) fn read(text: &str, more: &[String]) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    let mut reader = Reader { to: &mut imported, open: BTreeMap::new(), messages: vec![] };
    reader.lines(text)?;
    for text in more {
        reader.lines(text)?;
    }
    reader.close();
    let mut messages = reader.messages;
    // sub-agents work while the main agent waits
    messages.sort_by_key(|said| said.at);
    imported.messages = messages;
    name_voices(&mut imported);
    Ok(imported)
}

struct Reader<'a> {
    to: &'a mut Imported,
    /// Last message of each speaker.
    open: BTreeMap<SeatId, Part>,
    messages: Vec<ImportedMessage>,
}

impl Reader<'_> {
    fn lines(&mut self, text: &str) -> Result<(), ImportError> {
        let count = text.lines().count();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str::<Value>(line) {
                Ok(value) => self.line(&value)?,
                // a session that is still running may end in half a line
                Err(_) if at + 1 == count && at > 0 => self.to.left_out += 1,
                Err(e) => return Err(ImportError::Json { line: at + 1, why: e.to_string() }),
            }
            if self.messages.len() > MESSAGES_MAX {
                return Err(ImportError::TooManyMessages);
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &Value) -> Result<(), ImportError> {
        let version = text_at(line, "version");
        let major = version.split('.').next().unwrap_or_default();
        if !version.is_empty() && !MAJORS.contains(&major) {
            let version = format!("a session of Claude Code {}", cut(version));
            return Err(ImportError::Version(version, "1.x and 2.x are"));
        }
        let kind = text_at(line, "type");
        match kind {
            "summary" => {
                if self.to.title.is_empty() {
                    self.to.title = cut(text_at(line, "summary"));
                }
                return Ok(());
            }
            "ai-title" | "custom-title" => {
                let title = if kind == "ai-title" { "aiTitle" } else { "customTitle" };
                self.to.title = cut(text_at(line, title));
                return Ok(());
            }
            "user" | "assistant" if line["isMeta"] != true => {}
            // states of the program, not of the conversation
            _ => return Ok(()),
        }
        let agent = text_at(line, "agentId");
        let is_inner = line["isSidechain"] == true;
        let speaker = match (is_inner, agent) {
            (true, "") => "sub-agent".to_owned(),
            (true, id) => format!("agent {}", cut(id)),
            (false, _) => CLAUDE.to_owned(),
        };
        let message = &line["message"];
        let mut said =
            ImportedMessage { at: time(&line["timestamp"]), ..ImportedMessage::default() };
        let (left_out, results) = add(&mut said, &message["content"]);
        self.to.left_out += left_out;
        if kind == "assistant" {
            self.spoken(&speaker, line, said);
            return Ok(());
        }
        let id = self.to.speaker(&speaker);
        if let Some(part) = self.open.get_mut(&id) {
            let mut one = [std::mem::take(&mut part.said)];
            self.to.left_out += give_results(&mut one, results);
            let [one] = one;
            part.said = one;
        } else {
            self.to.left_out += results.len();
        }
        // the first message to a sub-agent is in the call of its parent
        if !said.text.trim().is_empty() && !is_inner {
            self.close_one(&id);
            self.messages.push(said);
        }
        Ok(())
    }

    /// Adds a part of a reply to the last one, or begins another one.
    fn spoken(&mut self, speaker: &str, line: &Value, mut said: ImportedMessage) {
        let id = self.to.speaker(speaker);
        let message = &line["message"];
        let api = text_at(message, "id");
        said.model = text_at(message, "model").to_owned();
        let usage = &message["usage"];
        if usage.is_object() {
            let count = |key: &str| usage[key].as_u64().unwrap_or(0);
            let (cache_read, cache_write) =
                (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
            said.usage = Some(Usage {
                input: count("input_tokens").saturating_add(cache_read).saturating_add(cache_write),
                output: count("output_tokens"),
                cache_read,
                cache_write,
                ..Usage::default()
            });
        }
        said.by = Some(id.clone());
        for used in said.tools.iter_mut().filter(|used| TASKS.contains(&used.name.as_str())) {
            used.sort = "think".into();
        }
        match self.open.get_mut(&id) {
            Some(part) if !api.is_empty() && part.api == api => {
                let before = &mut part.said;
                join(&mut before.text, &said.text);
                if let Some(more) = said.think {
                    join(before.think.get_or_insert_default(), &more);
                }
                before.tools.append(&mut said.tools);
                // every line repeats the usage of the whole reply
                before.usage = said.usage.or(before.usage.take());
            }
            _ => {
                self.close_one(&id);
                self.open.insert(id, Part { said, api: api.to_owned() });
            }
        }
    }

    fn close_one(&mut self, id: &SeatId) {
        if let Some(part) = self.open.remove(id) {
            self.messages.push(part.said);
        }
    }

    fn close(&mut self) {
        for (_, part) in std::mem::take(&mut self.open) {
            self.messages.push(part.said);
        }
        if self.to.title.is_empty() {
            let first = self.messages.iter().find(|said| said.by.is_none());
            let line = first.and_then(|said| some(said.text.lines().next().unwrap_or_default()));
            self.to.title = cut(&line.unwrap_or_default());
        }
    }
}
