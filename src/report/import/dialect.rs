//! Exports of other programs as lists of chat messages, each recognised by its keys.

use super::conversation::cut;
use serde_json::{Value, json};

/// A kind of export.
struct Dialect {
    /// Name of the program, for messages.
    name: &'static str,
    /// Key that every conversation has.
    key: &'static str,
    /// Returns the messages of a conversation, and the number of those in other branches.
    messages: fn(&Value) -> (Vec<Value>, usize),
}

const DIALECTS: &[Dialect] = &[
    Dialect { name: "ChatGPT", key: "mapping", messages: chatgpt },
    Dialect { name: "claude.ai", key: "chat_messages", messages: claude_ai },
    Dialect { name: "Open WebUI", key: "chat", messages: open_webui },
    Dialect { name: "ShareGPT", key: "conversations", messages: sharegpt },
];

/// Conversations of an export.
pub(super) struct Export {
    /// Name of the program.
    pub(super) name: &'static str,
    /// Conversations in the form of chat messages: `title`, `messages`, and `branches`, the number of left out messages.
    pub(super) conversations: Vec<Value>,
}

/// Returns the conversations of an export; `None` if no program is recognised.
pub(super) fn recognise(value: &Value) -> Option<Export> {
    let one = std::slice::from_ref(value);
    let all = value.as_array().map_or(one, Vec::as_slice);
    let has = |dialect: &&Dialect| all.first().is_some_and(|first| !first[dialect.key].is_null());
    let dialect = DIALECTS.iter().find(has)?;
    let conversations = all.iter().map(|conversation| {
        let (messages, branches) = (dialect.messages)(conversation);
        let title = ["title", "name"].iter().find_map(|key| conversation[key].as_str());
        json!({"title": title.unwrap_or_default(), "messages": messages, "branches": branches})
    });
    Some(Export { name: dialect.name, conversations: conversations.collect() })
}

/// Returns the messages of JSON lines; `None` if a line is no message.
pub(super) fn message_lines(text: &str) -> Option<Value> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        value["role"].is_string().then_some(value)
    };
    let all: Vec<Value> = lines.map(read).collect::<Option<_>>()?;
    (!all.is_empty()).then_some(Value::Array(all))
}

/// Returns the keys of the first line or object of a text that no format knows.
pub(super) fn keys(text: &str) -> Option<String> {
    let whole: Option<Value> = serde_json::from_str(text).ok();
    let line = || text.lines().find(|line| !line.trim().is_empty());
    let value = whole.or_else(|| serde_json::from_str(line()?).ok())?;
    let value = value.get(0).unwrap_or(&value);
    let keys: Vec<String> = value.as_object()?.keys().take(8).map(|key| cut(key)).collect();
    Some(keys.join(", "))
}

/// Follows the branch that ends at the current message.
fn branch(nodes: &Value, last: &Value, parent: &str) -> (Vec<Value>, usize) {
    let all = nodes.as_object().map_or(0, serde_json::Map::len);
    let mut found = vec![];
    let mut at = last.as_str();
    // a chain that comes back to itself is not longer than all nodes
    while let (Some(id), true) = (at, found.len() < all) {
        let node = &nodes[id];
        found.push(node.clone());
        at = node[parent].as_str();
    }
    found.reverse();
    let others = all - found.len();
    (found, others)
}

fn chatgpt(conversation: &Value) -> (Vec<Value>, usize) {
    let nodes = &conversation["mapping"];
    let (path, others) = branch(nodes, &conversation["current_node"], "parent");
    let is_hidden = |message: &Value| {
        message["metadata"]["is_visually_hidden_from_conversation"] == true
            || message["author"]["role"] == "system"
    };
    let message = |node: &Value| {
        let message = &node["message"];
        if !message.is_object() || is_hidden(message) {
            return None;
        }
        let content = &message["content"];
        let parts = content["parts"].as_array().cloned().unwrap_or_default();
        let part = |part: Value| match part {
            Value::String(text) => json!({"type": "text", "text": text}),
            other => json!({"type": other["content_type"]}),
        };
        let mut parts: Vec<Value> = parts.into_iter().map(part).collect();
        if let Some(text) = content["text"].as_str() {
            parts.push(json!({"type": "text", "text": text}));
        }
        let role = if message["author"]["role"] == "user" { "user" } else { "assistant" };
        let model = &message["metadata"]["model_slug"];
        Some(json!({
            "role": role, "content": parts, "timestamp": message["create_time"], "model": model,
        }))
    };
    (path.iter().filter_map(message).collect(), others)
}

fn claude_ai(conversation: &Value) -> (Vec<Value>, usize) {
    let message = |message: &Value| {
        let role = if message["sender"] == "human" { "user" } else { "assistant" };
        let content = Some(&message["content"])
            .filter(|content| content.as_array().is_some_and(|parts| !parts.is_empty()));
        let content = content.unwrap_or(&message["text"]);
        json!({"role": role, "content": content, "timestamp": message["created_at"]})
    };
    let all = conversation["chat_messages"].as_array();
    (all.into_iter().flatten().map(message).collect(), 0)
}

fn open_webui(conversation: &Value) -> (Vec<Value>, usize) {
    let chat = &conversation["chat"];
    let history = &chat["history"];
    if history["messages"].is_object() {
        return branch(&history["messages"], &history["currentId"], "parentId");
    }
    (chat["messages"].as_array().cloned().unwrap_or_default(), 0)
}

fn sharegpt(conversation: &Value) -> (Vec<Value>, usize) {
    let message = |message: &Value| {
        let role = match message["from"].as_str().or(message["role"].as_str()) {
            Some("human" | "user") => "user",
            Some("system") => "system",
            Some("tool" | "observation") => "tool",
            _ => "assistant",
        };
        let content =
            if message["value"].is_null() { &message["content"] } else { &message["value"] };
        json!({"role": role, "content": content})
    };
    let all = conversation["conversations"].as_array();
    (all.into_iter().flatten().map(message).collect(), 0)
}
