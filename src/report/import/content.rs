//! Contents of messages: a text, a typed part, or a list of them.

use super::conversation::{ImportedMessage, ToolUse, join, text_at};
use serde_json::Value;

/// Adds a content to a message. Returns the results of tools, by id.
pub(super) fn add(said: &mut ImportedMessage, content: &Value) -> Vec<ImportedResult> {
    let mut results = vec![];
    match content {
        Value::String(text) => join(&mut said.text, text),
        Value::Array(_) | Value::Object(_) => {
            for part in content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice) {
                match text_at(part, "type") {
                    // some programs write parts without a type, or as texts
                    "" | "text" | "input_text" | "output_text" | "refusal" => {
                        let key = if part.get("refusal").is_some() { "refusal" } else { "text" };
                        let text = part.as_str().unwrap_or_else(|| text_at(part, key));
                        join(&mut said.text, text);
                    }
                    "thinking" | "reasoning" | "think" => {
                        let texts = ["thinking", "text", "think"].map(|key| text_at(part, key));
                        // skips a signature without text
                        if let Some(text) = texts.iter().find(|text| !text.is_empty()) {
                            join(said.think.get_or_insert_default(), text);
                        }
                    }
                    "tool_use" => {
                        let [id, name] = ["id", "name"].map(|key| text_at(part, key));
                        said.tools.push(ToolUse::new(id, name, part["input"].clone()));
                    }
                    "tool_result" => results.push(ImportedResult {
                        id: text_at(part, "tool_use_id").to_owned(),
                        text: plain(part.get("content").unwrap_or(&Value::Null)),
                        failed: part.get("is_error").and_then(Value::as_bool) == Some(true),
                    }),
                    _ => {}
                }
            }
        }
        _ => {}
    }
    results
}

/// Result of a tool.
pub(super) struct ImportedResult {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) failed: bool,
}

/// Adds results to the uses of tools with their ids. Returns the number of results without one.
pub(super) fn give_results(
    messages: &mut [ImportedMessage],
    results: Vec<ImportedResult>,
) -> usize {
    let mut lost = 0;
    for result in results {
        // results follow their use closely
        let uses = messages.iter_mut().rev().flat_map(|said| said.tools.iter_mut().rev());
        match { uses }.find(|used| used.id == result.id && used.result.is_none()) {
            Some(used) => {
                used.result = Some(result.text);
                used.failed = result.failed;
            }
            None => lost += 1,
        }
    }
    lost
}

/// Returns a content as text.
pub(super) fn plain(content: &Value) -> String {
    let mut said = ImportedMessage::default();
    match content {
        Value::String(_) | Value::Array(_) | Value::Null => {
            add(&mut said, content);
            said.text
        }
        other => other.to_string(),
    }
}
