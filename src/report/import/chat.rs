//! Lists of messages with roles and names, as the APIs of OpenAI and Anthropic take them.

use super::content::{ImportedResult, add, give_results, plain};
use super::conversation::{
    ImportError, Imported, ImportedMessage, ToolUse, join, name_voices, text_at, time,
};
use super::dialect::description;
use super::programs::{NOTICE, SOURCE};
use serde_json::{Value, json};

/// Name of a model without one.
const ASSISTANT: &str = "assistant";

/// Reads a list of messages, or an object with one.
pub(super) fn read(value: &Value) -> Result<Imported, ImportError> {
    let list = value.get("messages").or(value.get("contents")).unwrap_or(value);
    let list =
        list.as_array().ok_or_else(|| ImportError::Unknown(description(&value.to_string())))?;
    let model = text_at(value, "model");
    let mut imported =
        Imported { title: text_at(value, "title").to_owned(), ..Imported::default() };
    let mut instructions = plain(value.get("system").unwrap_or(&Value::Null));
    for (i, message) in list.iter().enumerate() {
        // the message as the program wrote it
        let source = message.get(SOURCE).unwrap_or(message);
        let fault = |why| ImportError::Field { at: format!("messages[{i}]"), why };
        let name = text_at(message, "name");
        let content = message.get("content").unwrap_or(&Value::Null);
        // some programs write the text into parts beside an empty content
        let is_empty = content.is_null() || content == "";
        let content = if is_empty { message.get("parts").unwrap_or(content) } else { content };
        let mut said =
            ImportedMessage { at: time(&message["timestamp"]), ..ImportedMessage::default() };
        let role = ["role", "type"].map(|key| text_at(message, key).to_lowercase());
        match role.iter().find(|role| !role.is_empty()).map_or("", String::as_str) {
            "system" | "developer" if imported.messages.is_empty() && name.is_empty() => {
                let text = plain(content);
                imported.count_unused(source, &said, &[&text]);
                join(&mut instructions, &text);
                continue;
            }
            "tool" | "function" => {
                let id = text_at(message, "tool_call_id");
                let id = if id.is_empty() { name } else { id }.to_owned();
                let text = plain(content);
                imported.count_unused(source, &said, &[&text]);
                let result = ImportedResult { id, text, failed: false };
                let lost = give_results(&mut imported.messages, vec![result]);
                imported.left_out.add("tool result", lost);
                continue;
            }
            "assistant" | "model" | "ai" => {
                said.by = Some(imported.speaker(if name.is_empty() { ASSISTANT } else { name }));
                let own = text_at(message, "model");
                said.model = if own.is_empty() { model } else { own }.to_owned();
            }
            // of a program, not the person's words
            role @ (NOTICE | "system" | "developer") if role == NOTICE || name.is_empty() => {
                imported.left_out.add("notice", 1);
                continue;
            }
            "user" | "human" | "system" | "developer" => {
                said.by = (!name.is_empty()).then(|| imported.speaker(name));
            }
            _ => return Err(fault("a role is user, assistant, system, developer or tool")),
        }
        let results = add(&mut said, content);
        let mut others: Vec<&str> = results.iter().map(|result| &*result.text).collect();
        // the older name of a single call, without an id
        let single = message.get("function_call").filter(|function| function.is_object());
        let single = single.map(|function| json!({"id": function["name"], "function": function}));
        let calls = message["tool_calls"].as_array().into_iter().flatten().chain(&single);
        // a text in the place of a call is counted
        for call in calls.filter(|call| call.is_object()) {
            let function = &call["function"];
            let input = text_at(function, "arguments");
            others.push(input);
            let read = serde_json::from_str(input).unwrap_or_else(|_| input.into());
            said.tools.push(ToolUse::new(text_at(call, "id"), text_at(function, "name"), read));
        }
        imported.count_unused(source, &said, &others);
        let lost = give_results(&mut imported.messages, results);
        imported.left_out.add("tool result", lost);
        // skips messages with only results of tools
        if said.text.trim().is_empty() && said.tools.is_empty() && said.think.is_none() {
            continue;
        }
        imported.messages.push(said);
    }
    if !instructions.is_empty() {
        let id = imported.speaker(ASSISTANT);
        let seat = imported.speakers.iter_mut().find(|seat| seat.id == id);
        seat.into_iter().for_each(|seat| seat.persona = Some(instructions.clone()));
    }
    name_voices(&mut imported);
    Ok(imported)
}
