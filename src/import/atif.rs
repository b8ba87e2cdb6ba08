//! Trajectories of agents (ATIF), and those that this program exports, with the speaker of each step in `extra`.

use super::content::{ImportedResult, add, give_results, plain};
use super::conversation::{
    ImportError, Imported, ImportedMessage, ImportedSpeaker, ToolUse, cut, name_voices, some,
    text_at, texts, time,
};
use crate::model::payload::Whisper;
use crate::model::{Usage, Usd};
use serde_json::Value;

/// Known versions.
const VERSIONS: [&str; 8] = [
    "ATIF-v1.0",
    "ATIF-v1.1",
    "ATIF-v1.2",
    "ATIF-v1.3",
    "ATIF-v1.4",
    "ATIF-v1.5",
    "ATIF-v1.6",
    "ATIF-v1.7",
];
/// Name of an agent without one.
const AGENT: &str = "agent";
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
    trajectory(value, &mut imported, 0)?;
    name_voices(&mut imported);
    Ok(imported)
}

/// Adds the steps of a trajectory, and those of its sub-agents after them.
fn trajectory(value: &Value, to: &mut Imported, depth: usize) -> Result<(), ImportError> {
    let version = text_at(value, "schema_version");
    if !VERSIONS.contains(&version) && (depth == 0 || !version.is_empty()) {
        let version =
            if version.is_empty() { "a trajectory without schema_version" } else { version };
        let known = "ATIF-v1.0 to ATIF-v1.7 are";
        return Err(ImportError::Version(cut(version), known));
    }
    let agent = &value["agent"];
    let name = text_at(agent, "name");
    let name = if name.is_empty() { AGENT } else { name };
    let has_seats = !agent["extra"]["participants"].is_null();
    let steps = value["steps"].as_array();
    let steps = steps.ok_or(ImportError::Field { at: "steps".into(), why: "takes a list" })?;
    for (i, step) in steps.iter().enumerate() {
        let source = text_at(step, "source");
        let extra = &step["extra"];
        let mut said =
            ImportedMessage { at: time(&step["timestamp"]), ..ImportedMessage::default() };
        let (left_out, _) = add(&mut said, &step["message"]);
        to.left_out += left_out;
        match source {
            "system" if to.messages.is_empty() => {
                let id = to.speaker(name);
                let seat = to.speakers.iter_mut().find(|seat| seat.id == id);
                seat.into_iter().for_each(|seat| seat.persona = some(&said.text));
                continue;
            }
            // the exporter writes the topic as a step without a speaker
            "user" if has_seats && i == 0 && extra.is_null() => {
                to.topic = some(&said.text);
                continue;
            }
            "system" | "user" => {
                let reader = extra["to"].as_array().and_then(|to| to.first());
                said.to = reader.and_then(Value::as_str).map(|id| to.speaker(id));
            }
            "agent" => agent_step(step, &mut said, name, agent, to),
            _ => {
                let at = format!("steps[{i}].source");
                return Err(ImportError::Field { at, why: "takes system, user or agent" });
            }
        }
        let is_empty = said.text.trim().is_empty()
            && said.think.is_none()
            && said.tools.is_empty()
            && said.whispers.is_empty();
        if !is_empty {
            to.messages.push(said);
        }
        for result in step["observation"]["results"].as_array().into_iter().flatten() {
            let id = text_at(result, "source_call_id").to_owned();
            let failed = result["extra"]["failed"] == true;
            let text = plain(&result["content"]);
            to.left_out +=
                give_results(&mut to.messages, vec![ImportedResult { id, text, failed }]);
        }
    }
    let inner = value["subagent_trajectories"].as_array().into_iter().flatten();
    for inner in inner {
        if depth < DEPTH_MAX {
            trajectory(inner, to, depth + 1)?;
        } else {
            to.left_out += 1;
        }
    }
    Ok(())
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
        said.whispers.push(Whisper { to: reader, text: texts(text_at(whisper, "text")) });
    }
    for call in step["tool_calls"].as_array().into_iter().flatten() {
        said.tools.push(ToolUse {
            id: text_at(call, "tool_call_id").to_owned(),
            name: text_at(call, "function_name").to_owned(),
            input: call["arguments"].clone(),
            sort: text_at(&call["extra"], "kind").to_owned(),
            ..ToolUse::default()
        });
    }
}
