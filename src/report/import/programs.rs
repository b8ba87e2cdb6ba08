//! Chats and sessions of programs as chat messages: SillyTavern, Codex, Gemini CLI, opencode, LibreChat.

use super::conversation::text_at;
use super::left_out::{LeftOut, Messages, VERSIONS};
use serde_json::{Value, json};

/// Key of the message as the program wrote it.
pub(super) const SOURCE: &str = "source";

/// Role of words that a program put between those of people and models.
pub(super) const NOTICE: &str = "notice";

/// Begins of messages that Codex writes in the name of the person.
const CODEX_NOTICES: &[&str] = &["<environment_context>", "<user_instructions>", "# AGENTS.md"];

/// Reads lines of SillyTavern; the first describes the chat. Alternatives of a message are other versions.
pub(super) fn silly_tavern(lines: &Value) -> Messages {
    let mut left_out = LeftOut::default();
    let mut messages = vec![];
    for line in list(lines).filter(|line| line["mes"].is_string()) {
        let swipes = line["swipes"].as_array().map_or(0, Vec::len);
        left_out.add(VERSIONS, swipes.saturating_sub(1));
        let role = match (line["is_system"] == true, line["is_user"] == true) {
            (true, _) => NOTICE,
            (false, true) => "user",
            (false, false) => "assistant",
        };
        let mut content = vec![text(&line["mes"])];
        let reasoning = &line["extra"]["reasoning"];
        if reasoning.is_string() {
            content.push(json!({"type": "thinking", "thinking": reasoning}));
        }
        let mut message = json!({
            "role": role, "content": content, "timestamp": line["send_date"],
            "model": line["extra"]["model"], SOURCE: without(line, &["swipes", "swipe_info"]),
        });
        if role == "assistant" {
            message["name"] = line["name"].clone();
        }
        messages.push(message);
    }
    (messages, left_out)
}

/// Reads lines of Codex. Its other events repeat the items of the responses.
pub(super) fn codex(lines: &Value) -> Messages {
    let mut model = &Value::Null;
    let mut messages = vec![];
    for line in list(lines) {
        let item = &line["payload"];
        if line["type"] == "turn_context" {
            model = &item["model"];
        }
        if line["type"] != "response_item" {
            continue;
        }
        let id = &item["call_id"];
        let mut message = match text_at(item, "type") {
            "message" => {
                let first = text_at(&item["content"][0], "text").trim_start();
                let is_notice = CODEX_NOTICES.iter().any(|begin| first.starts_with(begin));
                let role = if is_notice { NOTICE } else { text_at(item, "role") };
                json!({"role": role, "content": item["content"]})
            }
            "reasoning" => {
                let parts = list(&item["summary"]).chain(list(&item["content"]));
                let parts = parts.map(|part| json!({"type": "thinking", "thinking": part["text"]}));
                json!({"role": "assistant", "content": parts.collect::<Vec<_>>()})
            }
            "function_call" | "custom_tool_call" => {
                let input = item["arguments"].as_str().or(item["input"].as_str());
                json!({"role": "assistant", "tool_calls": [
                    {"id": id, "function": {"name": item["name"], "arguments": input}},
                ]})
            }
            "function_call_output" | "custom_tool_call_output" => {
                json!({"role": "tool", "tool_call_id": id, "content": item["output"]})
            }
            _ => json!({"role": NOTICE}),
        };
        message["timestamp"] = line["timestamp"].clone();
        if message["role"] == "assistant" {
            message["model"] = model.clone();
        }
        message[SOURCE] = item.clone();
        messages.push(message);
    }
    (messages, LeftOut::default())
}

/// Reads a session of Gemini CLI.
pub(super) fn gemini(session: &Value) -> Messages {
    let mut messages = vec![];
    for said in list(&session["messages"]) {
        let mut content = match &said["content"] {
            Value::Array(parts) => parts.clone(),
            other => vec![text(other)],
        };
        content.extend(thoughts(&said["thoughts"], ["subject", "description"]));
        let role = match text_at(said, "type") {
            "user" => "user",
            "gemini" => "assistant",
            _ => NOTICE,
        };
        let calls: Vec<Value> = list(&said["toolCalls"])
            .map(|call| {
                json!({"id": call["id"], "function": {
                    "name": call["name"], "arguments": call["args"].to_string(),
                }})
            })
            .collect();
        messages.push(json!({
            "role": role, "content": content, "tool_calls": calls, "model": said["model"],
            "timestamp": said["timestamp"], SOURCE: without(said, &["toolCalls"]),
        }));
        for call in list(&said["toolCalls"]) {
            let shown = &call["resultDisplay"];
            let result = if shown.is_string() { shown } else { &call["result"] };
            messages.push(json!({
                "role": "tool", "tool_call_id": call["id"], "content": as_text(result),
                SOURCE: without(call, &["args", "description", "displayName"]),
            }));
        }
    }
    (messages, LeftOut::default())
}

/// Reads an exported session of opencode.
pub(super) fn opencode(session: &Value) -> Messages {
    let mut messages = vec![];
    for said in list(&session["messages"]) {
        let info = &said["info"];
        let mut content = vec![];
        let mut calls = vec![];
        let mut results = vec![];
        let mut notices = vec![];
        let mut states = vec![];
        let mut rest = without(said, &["info", "parts"]);
        for part in list(&said["parts"]) {
            match text_at(part, "type") {
                "text" if part["synthetic"] == true => notices.push(json!({"role": NOTICE})),
                "tool" => {
                    let state = &part["state"];
                    let id = &part["callID"];
                    let arguments = state["input"].to_string();
                    calls.push(json!({"id": id, "function": {
                        "name": part["tool"], "arguments": arguments,
                    }}));
                    let output =
                        if state["output"].is_null() { &state["error"] } else { &state["output"] };
                    results.push(json!({
                        "role": "tool", "tool_call_id": id, "content": as_text(output),
                        SOURCE: {"part": without(part, &["state", "tool"]),
                            "state": without(state, &["input", "title", "metadata"])},
                    }));
                }
                // states of the program
                "step-start" | "step-finish" | "snapshot" | "patch" | "compaction" => {
                    states.push(without(part, &["snapshot", "reason", "hash", "files"]));
                }
                _ => content.push(part.clone()),
            }
        }
        messages.extend(notices);
        rest["parts"] = json!([content, states]);
        messages.push(json!({
            "role": info["role"], "content": content, "tool_calls": calls,
            "model": info["modelID"], "timestamp": info["time"]["created"], SOURCE: rest,
        }));
        messages.extend(results);
    }
    (messages, LeftOut::default())
}

/// Returns reasoning in steps, each with a title and a text, as parts of a message.
pub(super) fn thoughts(steps: &Value, keys: [&str; 2]) -> impl Iterator<Item = Value> {
    list(steps).map(move |step| {
        let lines = keys.map(|key| text_at(step, key));
        json!({"type": "thinking", "thinking": lines.join("\n").trim()})
    })
}

/// Reads a message of LibreChat, with the results of its tools.
pub(super) fn libre_chat(said: &Value) -> Vec<Value> {
    let is_call = |part: &&Value| part["type"] == "tool_call";
    let (calls, parts): (Vec<&Value>, Vec<&Value>) = list(&said["content"]).partition(is_call);
    let mut content: Vec<Value> = parts
        .iter()
        .map(|part| match text_at(part, "type") {
            "text" if part["text"].is_object() => text(&part["text"]["value"]),
            _ => (*part).clone(),
        })
        .collect();
    if content.is_empty() && calls.is_empty() {
        content.push(text(&said["text"]));
    }
    let by_user = said["isCreatedByUser"] == true;
    let functions = calls.iter().map(|part| {
        let call = &part["tool_call"];
        json!({"id": call["id"], "function": {"name": call["name"], "arguments": as_text(&call["args"])}})
    });
    let mut source = without(said, &["children", "content", "endpoint", "user", "iconURL"]);
    source["content"] = json!(parts);
    let message = json!({
        "role": if by_user { "user" } else { "assistant" }, "content": content,
        "name": if by_user { &Value::Null } else { &said["sender"] },
        "tool_calls": functions.collect::<Vec<_>>(), "model": said["model"],
        "timestamp": said["createdAt"], SOURCE: source,
    });
    let results = calls.iter().map(|part| {
        let call = &part["tool_call"];
        json!({
            "role": "tool", "tool_call_id": call["id"], "content": as_text(&call["output"]),
            SOURCE: {"part": without(part, &["tool_call"]), "call": without(call, &["args"])},
        })
    });
    [message].into_iter().chain(results).collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns an object without fields that are read elsewhere or describe it.
fn without(value: &Value, fields: &[&str]) -> Value {
    let mut value = value.clone();
    if let Some(all) = value.as_object_mut() {
        all.retain(|key, _| !fields.contains(&key.as_str()));
    }
    value
}

fn text(value: &Value) -> Value {
    json!({"type": "text", "text": value})
}

/// Returns a result of a tool as text; JSON stays JSON.
fn as_text(value: &Value) -> Value {
    if value.is_string() || value.is_null() { value.clone() } else { value.to_string().into() }
}
