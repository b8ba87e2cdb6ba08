//! Trajectories of agents (ATIF), and those that this program exports, with the speaker of each step in `extra`.

use super::content::{ImportedResult, add, give_results, plain};
use super::conversation::{
    ImportError, Imported, ImportedMessage, ImportedSpeaker, ToolUse, cut, join, name_voices, some,
    text_at, texts, time,
};
use crate::model::payload::Whisper;
use crate::model::{SeatId, Usage, Usd};
use serde_json::Value;
use std::collections::HashSet;

/// Last known minor version.
const MINOR_MAX: u8 = 8;
/// Name of an agent without one.
const AGENT: &str = "agent";
/// Name of the tool of a result that belongs to no call.
const OBSERVATION: &str = "observation";
/// Maximum depth of trajectories inside a trajectory.
const DEPTH_MAX: usize = 8;

/// Reads a trajectory.
pub(super) fn read(value: &Value) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    let extra = &value["extra"];
    imported.title = text_at(extra, "title").to_owned();
    imported.ended = serde_json::from_value(extra["ended"].clone()).ok();
    imported.result = serde_json::from_value(extra["result"].clone()).ok();
    let seats = value["agent"]["extra"]["participants"].as_array();
    for seat in seats.into_iter().flatten() {
        let id = text_at(seat, "id");
        let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        let is_new = !imported.speakers.iter().any(|s| *s.id == *id);
        let id = if is_new && !id.is_empty() && id.chars().all(is_valid) {
            id.into()
        } else {
            imported.new_id(id)
        };
        let name = cut(text_at(seat, "name"));
        let voice = text_at(seat, "voice").to_owned();
        imported.speakers.push(ImportedSpeaker { id, name, voice, persona: None });
    }
    imported.messages = trajectory(value, &mut imported, None)?;
    name_voices(&mut imported);
    Ok(imported)
}

/// A trajectory inside another one.
struct Inner<'a> {
    /// The agent that started it; `None` for the person.
    parent: Option<&'a SeatId>,
    /// Number of trajectories around it.
    depth: usize,
}

/// Returns the messages of a trajectory, with those of its sub-agents after the step that refers to them.
fn trajectory(
    value: &Value,
    to: &mut Imported,
    inner: Option<&Inner<'_>>,
) -> Result<Vec<ImportedMessage>, ImportError> {
    let version = text_at(value, "schema_version");
    let is_known = (0..=MINOR_MAX).any(|minor| version == format!("ATIF-v1.{minor}"));
    if !is_known && (inner.is_none() || !version.is_empty()) {
        let version =
            if version.is_empty() { "a trajectory without schema_version" } else { version };
        let known = "ATIF-v1.0 to ATIF-v1.8 are";
        return Err(ImportError::Version(cut(version), known));
    }
    let agent = &value["agent"];
    let name = text_at(agent, "name");
    let name = if name.is_empty() { AGENT } else { name };
    // sub-agents often have the name of their parent
    let known = to.speakers.iter().any(|speaker| speaker.name == name);
    let name = if known && inner.is_some() {
        unique_name(to, name, text_at(value, "trajectory_id"))
    } else {
        name.to_owned()
    };
    let name = name.as_str();
    let has_seats = !agent["extra"]["participants"].is_null();
    let mut subs = Subs::new(value, inner);
    if !has_seats && !subs.all.is_empty() {
        to.speaker(name);
    }
    let mut messages: Vec<ImportedMessage> = vec![];
    let steps = value["steps"].as_array();
    let steps = steps.ok_or(ImportError::Field { at: "steps".into(), why: "takes a list" })?;
    for (i, step) in steps.iter().enumerate() {
        let source = text_at(step, "source");
        let extra = &step["extra"];
        let mut said =
            ImportedMessage { at: time(&step["timestamp"]), ..ImportedMessage::default() };
        add(&mut said, &step["message"]);
        // a notice of the harness, not the person's words
        let is_notice = source == "system" && inner.is_none() && extra["to"].is_null();
        match source {
            "system" if messages.is_empty() => {
                let id = to.speaker(name);
                let seat = to.speakers.iter_mut().find(|seat| seat.id == id);
                seat.into_iter().for_each(|seat| seat.persona = some(&said.text));
                to.count_unused(step, &said, &[]);
                continue;
            }
            // the exporter writes the topic as a step without a speaker
            "user" if has_seats && i == 0 && extra.is_null() => {
                to.topic = some(&said.text);
                to.count_unused(step, &said, &[]);
                continue;
            }
            "system" | "user" => match inner {
                Some(inner) => asked(&mut said, inner, to.speaker(name)),
                None => {
                    let reader = extra["to"].as_array().and_then(|to| to.first());
                    said.to = reader.and_then(Value::as_str).map(|id| to.speaker(id));
                }
            },
            "agent" => agent_step(step, &mut said, name, agent, to),
            _ => {
                let at = format!("steps[{i}].source");
                return Err(ImportError::Field { at, why: "takes system, user or agent" });
            }
        }
        let results = step["observation"]["results"].as_array().into_iter().flatten();
        let results: Vec<String> = results.map(|result| plain(&result["content"])).collect();
        to.left_out.add("tool result", observe(step, &mut said, &mut messages));
        to.count_unused(step, &said, &results.iter().map(String::as_str).collect::<Vec<_>>());
        if is_notice {
            to.left_out.add("notice", 1);
            said.text.clear();
        }
        let started = subs.started(step, said.by.as_ref(), to)?;
        let is_empty = said.text.trim().is_empty()
            && said.think.is_none()
            && said.tools.is_empty()
            && said.whispers.is_empty();
        if !is_empty {
            messages.push(said);
        }
        add_inner(&mut messages, started);
    }
    let rest = subs.rest(to)?;
    add_inner(&mut messages, rest);
    Ok(messages)
}

/// Returns a name that no participant has.
fn unique_name(to: &Imported, name: &str, id: &str) -> String {
    let taken: HashSet<&str> = to.speakers.iter().map(|speaker| &*speaker.name).collect();
    let own = (!id.is_empty()).then(|| cut(&format!("{name} {id}")));
    let base = cut(name);
    let numbered = (2_usize..).map(|n| format!("{base} {n}"));
    own.into_iter().chain(numbered).find(|name| !taken.contains(&**name)).unwrap_or(base)
}

/// Makes a request to a sub-agent of a step: a private message of its parent.
fn asked(said: &mut ImportedMessage, inner: &Inner<'_>, to: SeatId) {
    let Some(parent) = inner.parent else {
        said.to = Some(to);
        return;
    };
    said.by = Some(parent.clone());
    let text = texts(&std::mem::take(&mut said.text));
    if !text.trim().is_empty() {
        said.whispers.push(Whisper { to, text, left: false });
    }
}

/// Adds the messages of a sub-agent. A request of the message before them becomes part of it, unless the arguments of
/// its tools have it already.
fn add_inner(messages: &mut Vec<ImportedMessage>, inner: Vec<ImportedMessage>) {
    let before = messages.len().checked_sub(1);
    let mut is_first = true;
    for said in inner {
        let parent = before.and_then(|at| messages.get_mut(at)).filter(|last| {
            is_first && last.by.is_some() && last.by == said.by && said.text.is_empty()
        });
        is_first = false;
        match parent {
            Some(parent) => {
                let has = |text: &str| {
                    let mut inputs = parent.tools.iter().filter_map(|used| used.input.as_object());
                    inputs.any(|input| input.values().any(|value| value == text))
                };
                let new = said.whispers.iter().filter(|whisper| !has(&whisper.text)).cloned();
                let new: Vec<Whisper> = new.collect();
                parent.whispers.extend(new);
            }
            None => messages.push(said),
        }
    }
}

/// Adds the results of a step. Returns the number of results without a place.
fn observe(step: &Value, said: &mut ImportedMessage, messages: &mut [ImportedMessage]) -> usize {
    let mut lost = 0;
    for result in step["observation"]["results"].as_array().into_iter().flatten() {
        let id = text_at(result, "source_call_id");
        let content = &result["content"];
        let text = plain(content);
        let failed = result["extra"]["failed"] == true;
        let open = said.tools.iter_mut().filter(|used| used.result.is_none());
        let own = { open }.find(|used| id.is_empty() || used.id == id);
        match own {
            // a reference to a sub-agent is in the place of the result
            _ if content.is_null() => {}
            Some(used) => {
                used.result = Some(text);
                used.failed = failed;
            }
            None if id.is_empty() && said.by.is_some() => said.tools.push(ToolUse {
                name: OBSERVATION.into(),
                result: Some(text),
                failed,
                ..ToolUse::default()
            }),
            None if id.is_empty() => join(&mut said.text, &text),
            None => {
                let id = id.to_owned();
                lost += give_results(messages, vec![ImportedResult { id, text, failed }]);
            }
        }
    }
    lost
}

/// The trajectories of sub-agents that no step has referred to yet.
struct Subs<'a> {
    all: Vec<&'a Value>,
    depth: usize,
}

impl<'a> Subs<'a> {
    fn new(value: &'a Value, inner: Option<&Inner<'_>>) -> Subs<'a> {
        let all = value["subagent_trajectories"].as_array().into_iter().flatten().collect();
        Subs { all, depth: inner.map_or(0, |inner| inner.depth) + 1 }
    }

    /// Returns the messages of the sub-agents that a step refers to.
    fn started(
        &mut self,
        step: &Value,
        parent: Option<&SeatId>,
        to: &mut Imported,
    ) -> Result<Vec<ImportedMessage>, ImportError> {
        let results = step["observation"]["results"].as_array().into_iter().flatten();
        let refs = results.filter_map(|result| result["subagent_trajectory_ref"].as_array());
        let mut messages = vec![];
        for reference in refs.flatten() {
            // before v1.7, the id of the session was the key
            let at = ["trajectory_id", "session_id"].iter().find_map(|key| {
                let id = text_at(reference, key);
                let same = |sub: &&Value| !id.is_empty() && text_at(sub, key) == id;
                self.all.iter().position(same)
            });
            match at {
                Some(at) => {
                    let sub = self.all.remove(at);
                    messages.extend(self.read(sub, parent, to)?);
                }
                // the trajectory is in another file
                None if !text_at(reference, "trajectory_path").is_empty() => {
                    to.left_out.add("sub-agent", 1);
                }
                None => {}
            }
        }
        Ok(messages)
    }

    /// Returns the messages of the sub-agents without a reference.
    fn rest(mut self, to: &mut Imported) -> Result<Vec<ImportedMessage>, ImportError> {
        let mut messages = vec![];
        for sub in std::mem::take(&mut self.all) {
            messages.extend(self.read(sub, None, to)?);
        }
        Ok(messages)
    }

    fn read(
        &self,
        sub: &Value,
        parent: Option<&SeatId>,
        to: &mut Imported,
    ) -> Result<Vec<ImportedMessage>, ImportError> {
        if self.depth > DEPTH_MAX {
            to.left_out.add("sub-agent", 1);
            return Ok(vec![]);
        }
        trajectory(sub, to, Some(&Inner { parent, depth: self.depth }))
    }
}

/// Adds the parts of an agent's step to its message.
fn agent_step(
    step: &Value,
    said: &mut ImportedMessage,
    name: &str,
    agent: &Value,
    to: &mut Imported,
) {
    let extra = &step["extra"];
    let speaker = text_at(extra, "participant");
    said.by = Some(to.speaker(if speaker.is_empty() { name } else { speaker }));
    said.think = some(text_at(step, "reasoning_content"));
    let model = text_at(step, "model_name");
    let model =
        if model.is_empty() && speaker.is_empty() { text_at(agent, "model_name") } else { model };
    said.model = model.to_owned();
    let metrics = &step["metrics"];
    if metrics.is_object() {
        let count = |key: &str| metrics[key].as_u64().unwrap_or(0);
        said.usage = Some(Usage {
            input: count("prompt_tokens"),
            output: count("completion_tokens"),
            cache_read: count("cached_tokens"),
            ..Usage::default()
        });
        said.cost = metrics["cost_usd"].as_f64().and_then(|usd| Usd::try_from(usd).ok());
    }
    for whisper in extra["whispers"].as_array().into_iter().flatten() {
        let reader = to.speaker(text_at(whisper, "to"));
        said.whispers.push(Whisper {
            to: reader,
            text: texts(text_at(whisper, "text")),
            left: false,
        });
    }
    let calls = step["tool_calls"].as_array().into_iter().flatten();
    for call in calls.filter(|call| call.is_object()) {
        let [id, name] = ["tool_call_id", "function_name"].map(|key| text_at(call, key));
        let sort = text_at(&call["extra"], "kind").to_owned();
        said.tools.push(ToolUse { sort, ..ToolUse::new(id, name, call["arguments"].clone()) });
    }
}
