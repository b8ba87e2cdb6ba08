//! Sessions of Claude Code: JSON lines, one for each part of a message, with the sub-agents in lines or files of their
//! own.

use super::chains::{self, Chains};
use super::content::{add, give_results};
use super::conversation::{
    ImportError, Imported, ImportedMessage, MESSAGES_MAX, cut, join, name_voices, some, text_at,
    time,
};
use super::left_out::{BRANCHES, LeftOut};
use crate::model::{SeatId, Usage, Wall};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// Name of the main agent.
const CLAUDE: &str = "Claude";
/// Kinds of tools that start a sub-agent.
const TASKS: [&str; 2] = ["Task", "Agent"];
/// Known major versions.
const MAJORS: [&str; 2] = ["1", "2"];
/// Number of lines that are looked at to recognise the format.
const LOOKED_AT: usize = 50;
/// Model of replies that the program wrote itself, such as errors of the API.
const NO_MODEL: &str = "<synthetic>";
/// Tags around text that the program adds to the person's.
const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");
/// Begin of a message that has only a command.
const COMMAND: &str = "<command-";
/// Begin of a message that has only the output of a command.
const OUTPUT: &str = "<local-command-";

/// Returns the id of a session of Claude Code, if a text looks like one.
pub fn session_id(text: &str) -> Option<String> {
    let lines = text.lines().take(LOOKED_AT);
    let mut lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines.find(|line| {
        line["sessionId"].is_string() && (line["message"].is_object() || line["uuid"].is_string())
    })?;
    some(text_at(&line, "sessionId"))
}

/// Returns the words of the person in a content. The parts behind a command are its expansion.
fn typed(content: &Value) -> String {
    let mut words = String::new();
    for part in content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice) {
        let mut said = ImportedMessage::default();
        add(&mut said, part);
        let text = without_reminders(&said.text);
        join(&mut words, &typed_part(&text));
        if text.trim_start().starts_with(COMMAND) {
            break;
        }
    }
    words
}

/// Returns the words of the person in a part: nothing of an output, and a command as it was typed.
fn typed_part(text: &str) -> String {
    if text.trim_start().starts_with(OUTPUT) {
        return String::new();
    }
    let within = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        Some(rest.split_once(&format!("</{name}>"))?.0.trim())
    };
    if text.trim_start().starts_with(COMMAND)
        && let Some(command) = within("command-name")
    {
        let end = text.rsplit_once("</command-").and_then(|(_, end)| end.split_once('>'));
        let after = end.map_or("", |(_, words)| words.trim());
        let is_output = [COMMAND, OUTPUT].iter().any(|tag| after.starts_with(tag));
        let after = if is_output { "" } else { after };
        let parts = [command, within("command-args").unwrap_or_default(), after];
        return parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    }
    text.to_owned()
}

/// Returns a text without the reminders of the program.
fn without_reminders(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(REMINDER.0)
        && let Some((_, after)) = after.split_once(REMINDER.1)
    {
        words.push_str(before);
        rest = after;
    }
    words.push_str(rest);
    if words.len() == text.len() { words } else { words.trim().to_owned() }
}

/// Returns true if a message is the person's, by its origin; older versions name none.
fn is_human(origin: &Value) -> bool {
    matches!(origin["kind"].as_str(), None | Some("human"))
}

/// Returns true if a message is a program's; a summary repeats earlier messages.
fn is_program(line: &Value) -> bool {
    line["isMeta"] == true || line["isCompactSummary"] == true
}

/// A message with the id of its API call: its parts are lines of their own.
struct Part {
    said: ImportedMessage,
    api: String,
    /// Number of its first line.
    begun: usize,
}

/// Reads a session, and the files of its sub-agents.
pub(super) fn read(text: &str, more: &[String]) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    let mut lines = vec![];
    for text in std::iter::once(text).chain(more.iter().map(String::as_str)) {
        parse(text, &mut lines, &mut imported.left_out)?;
    }
    let Chains { lines, abandoned } = chains::ordered(lines);
    let is_reply = |line: &&Value| matches!(text_at(line, "type"), "user" | "assistant");
    imported.left_out.add(BRANCHES, abandoned.iter().filter(is_reply).count());
    let (open, asked) = (BTreeMap::new(), HashSet::new());
    let mut reader = Reader { to: &mut imported, open, messages: vec![], begun: 0, asked };
    for line in &lines {
        reader.line(line)?;
        if reader.messages.len() > MESSAGES_MAX {
            return Err(ImportError::TooManyMessages);
        }
    }
    reader.close();
    let mut messages = reader.messages;
    // sub-agents work while the main agent waits
    messages.sort_by_key(|(begun, _)| *begun);
    imported.messages = messages.into_iter().map(|(_, said)| said).collect();
    name_voices(&mut imported);
    Ok(imported)
}

/// Adds the lines of a file.
fn parse(text: &str, to: &mut Vec<Value>, left_out: &mut LeftOut) -> Result<(), ImportError> {
    let count = text.lines().count();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(value) => to.push(value),
            // a session that is still running may end in half a line
            Err(_) if at + 1 == count && at > 0 => left_out.add("half line", 1),
            Err(e) => return Err(ImportError::Json { line: at + 1, why: e.to_string() }),
        }
    }
    Ok(())
}

struct Reader<'a> {
    to: &'a mut Imported,
    /// Last message of each speaker.
    open: BTreeMap<SeatId, Part>,
    /// Messages with their first lines.
    messages: Vec<(usize, ImportedMessage)>,
    /// Number of lines so far.
    begun: usize,
    /// Messages to sub-agents.
    asked: HashSet<String>,
}

impl Reader<'_> {
    fn line(&mut self, line: &Value) -> Result<(), ImportError> {
        self.begun += 1;
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
            // a message that came while the model worked
            "attachment" => {
                let queued = &line["attachment"];
                if queued["type"] == "queued_command" && queued["commandMode"] == "prompt" {
                    self.queued(queued, time(&line["timestamp"]));
                }
                return Ok(());
            }
            "user" if is_human(&line["origin"]) && !is_program(line) => {}
            "assistant" if line["message"]["model"] != NO_MODEL && !is_program(line) => {}
            // words of programs, and states without words
            _ => {
                self.to.left_out.add("notice", usize::from(line["message"].is_object()));
                return Ok(());
            }
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
        let results = add(&mut said, &message["content"]);
        let others: Vec<&str> = results.iter().map(|result| &*result.text).collect();
        self.to.count_unused(message, &said, &others);
        if kind == "assistant" {
            // tools answer in messages of the person
            self.to.left_out.add("tool result", results.len());
            self.spoken(&speaker, line, said);
            return Ok(());
        }
        let id = self.to.speaker(&speaker);
        if let Some(part) = self.open.get_mut(&id) {
            let mut one = [std::mem::take(&mut part.said)];
            self.to.left_out.add("tool result", give_results(&mut one, results));
            let [one] = one;
            part.said = one;
        } else {
            self.to.left_out.add("tool result", results.len());
        }
        self.typed(&mut said, &message["content"]);
        let is_kept = !is_inner && !said.text.trim().is_empty();
        self.to.left_out.add("thought", usize::from(!is_kept && said.think.is_some()));
        if is_inner {
            // messages to a sub-agent are in calls of its parent
            let is_lost = !said.text.trim().is_empty() && !self.asked.contains(said.text.trim());
            self.to.left_out.add("request", is_lost.into());
        } else if !said.text.trim().is_empty() {
            self.close_one(&id);
            self.messages.push((self.begun, said));
        }
        Ok(())
    }

    /// Leaves the words of the person in a message, and counts the others.
    fn typed(&mut self, said: &mut ImportedMessage, content: &Value) {
        let words = typed(content);
        self.to.left_out.add("notice", usize::from(words.len() < said.text.len()));
        said.text = words;
    }

    /// Adds a message that waited until the model read it, in the middle of its turn.
    fn queued(&mut self, queued: &Value, at: Option<Wall>) {
        if queued["isMeta"] == true || !is_human(&queued["origin"]) {
            self.to.left_out.add("notice", 1);
            return;
        }
        let mut said = ImportedMessage { at, ..ImportedMessage::default() };
        add(&mut said, &queued["prompt"]);
        self.to.count_unused(&queued["prompt"], &said, &[]);
        self.typed(&mut said, &queued["prompt"]);
        if !said.text.trim().is_empty() {
            self.messages.push((self.begun, said));
        }
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
            let texts = used.input.as_object().into_iter().flatten();
            let texts = texts.filter_map(|(_, text)| Some(text.as_str()?.trim().to_owned()));
            self.asked.extend(texts);
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
                self.open.insert(id, Part { said, api: api.to_owned(), begun: self.begun });
            }
        }
    }

    fn close_one(&mut self, id: &SeatId) {
        if let Some(part) = self.open.remove(id) {
            self.messages.push((part.begun, part.said));
        }
    }

    fn close(&mut self) {
        for (_, part) in std::mem::take(&mut self.open) {
            self.messages.push((part.begun, part.said));
        }
        if self.to.title.is_empty() {
            let first = self.messages.iter().map(|(_, said)| said).find(|said| said.by.is_none());
            let line = first.and_then(|said| some(said.text.lines().next().unwrap_or_default()));
            self.to.title = cut(&line.unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_of_the_person_are_those_that_were_typed() {
        let reminder = "<system-reminder>Be brief.</system-reminder>";
        let command = "<command-message>cost</command-message>\n<command-name>/cost</command-name>\n<command-args>";
        let output = "<local-command-stdout>12 cents</local-command-stdout>";
        let text = |text: String| json!({"type": "text", "text": text});
        for (content, words) in [
            (json!("Keep the beans."), "Keep the beans."),
            (json!(format!("{reminder}\nKeep the beans.")), "Keep the beans."),
            (json!(format!("{reminder}{output}")), ""),
            (json!([text("Keep".into()), "the beans", text(reminder.into())]), "Keep\n\nthe beans"),
            (json!(format!("{reminder}\n{command}now</command-args>")), "/cost now"),
            (json!(format!("{command}</command-args>\n{output}")), "/cost"),
            (json!(format!("{command}now</command-args>\nplease")), "/cost now please"),
            (json!(format!("{command}now</command-args>{reminder}")), "/cost now"),
            (
                json!([
                    text(format!("{command}now</command-args>")),
                    text("Count all costs.".into())
                ]),
                "/cost now",
            ),
            (Value::Null, ""),
        ] {
            assert_eq!(typed(&content), words, "{content}");
        }
    }
}
