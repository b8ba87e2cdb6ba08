//! Exports of other programs as lists of chat messages, each recognised by its keys.

use super::conversation::cut;
use super::left_out::{BRANCHES, LeftOut, Messages};
use super::programs::{self, NOTICE, SOURCE};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Maximum characters of the beginning of a text that no format knows.
const BEGIN: usize = 40;

/// A format of another program.
struct Dialect {
    /// Name of the program, for messages.
    name: &'static str,
    /// True if a list is one conversation, as of the lines of a file; else it has several.
    is_list: bool,
    /// Returns true for a conversation of the program; of a list, it gets the first entry.
    looks: fn(&Value) -> bool,
    /// Returns the messages of a conversation, and the parts that are no messages of it.
    messages: fn(&Value) -> Messages,
}

const fn dialect(
    name: &'static str,
    is_list: bool,
    looks: fn(&Value) -> bool,
    messages: fn(&Value) -> Messages,
) -> Dialect {
    Dialect { name, is_list, looks, messages }
}

/// Name of a file with a list of messages in each line, as for the training of models.
const CHATS: &str = "chats";

/// All known formats; the first that fits is taken.
const DIALECTS: &[Dialect] = &[
    dialect("DeepSeek", false, has_fragments, deepseek),
    dialect("ChatGPT", false, |one| one["mapping"].is_object(), chatgpt),
    dialect("claude.ai", false, |one| one["chat_messages"].is_array(), claude_ai),
    dialect("Open WebUI", false, |one| one["chat"].is_object(), open_webui),
    dialect("ShareGPT", false, |one| one["conversations"].is_array(), sharegpt),
    dialect(
        "SillyTavern",
        true,
        |one| one["chat_metadata"].is_object() || one["user_name"].is_string(),
        programs::silly_tavern,
    ),
    dialect(
        "Codex",
        true,
        |one| one["type"] == "session_meta" && one["payload"].is_object(),
        programs::codex,
    ),
    dialect(
        "Gemini CLI",
        false,
        |one| one["messages"][0]["type"].is_string() && one["sessionId"].is_string(),
        programs::gemini,
    ),
    dialect(
        "opencode",
        false,
        |one| one["messages"][0]["info"]["role"].is_string(),
        programs::opencode,
    ),
    dialect(
        "LibreChat",
        false,
        |one| one["messagesTree"].is_array() || one["messages"][0]["isCreatedByUser"].is_boolean(),
        libre_chat,
    ),
    dialect("TypingMind", false, |one| one["chatID"].is_string(), typing_mind),
    dialect(CHATS, false, |one| one["messages"][0]["role"].is_string(), chats),
];

/// Returns the names of the programs.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    DIALECTS.iter().map(|dialect| dialect.name)
}

/// Conversations of an export.
pub(super) struct Export {
    /// Name of the program.
    pub(super) name: &'static str,
    /// Conversations in the form of chat messages, `title` and `messages`, with their other parts.
    pub(super) conversations: Vec<(Value, LeftOut)>,
}

/// Returns the conversations of an export; `None` if no program is recognised.
pub(super) fn recognise(value: &Value) -> Option<Export> {
    // TypingMind has its settings beside the conversations
    let value = value.pointer("/data/chats").unwrap_or(value);
    let one = std::slice::from_ref(value);
    let all = value.as_array().map_or(one, Vec::as_slice);
    let first = all.first()?;
    // one conversation is read with its other keys
    let looks =
        |dialect: &&Dialect| (dialect.looks)(first) && (value.is_array() || dialect.name != CHATS);
    let dialect = DIALECTS.iter().find(looks)?;
    let all = if dialect.is_list { one } else { all };
    let conversations = all.iter().map(|conversation| {
        let (messages, left_out) = (dialect.messages)(conversation);
        let titles = [
            &conversation["title"],
            &conversation["name"],
            &conversation["chatTitle"],
            &conversation["info"]["title"],
        ];
        let title = titles.iter().find_map(|title| title.as_str());
        (json!({"title": title.unwrap_or_default(), "messages": messages}), left_out)
    });
    Some(Export { name: dialect.name, conversations: conversations.collect() })
}

/// Returns the values of JSON lines; `None` for a line of another kind. The last may be half a line: its program may still run.
pub(super) fn lines(text: &str) -> Option<Value> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let mut all = vec![];
    while let Some(line) = lines.next() {
        match serde_json::from_str(line) {
            Ok(value) => all.push(value),
            Err(_) if all.len() > 1 && lines.peek().is_none() => {}
            Err(_) => return None,
        }
    }
    Some(Value::Array(all))
}

/// Returns a list of messages with roles; `None` for another list.
pub(super) fn with_roles(list: Value) -> Option<Value> {
    let is_chat =
        |all: &Vec<Value>| !all.is_empty() && all.iter().all(|message| message["role"].is_string());
    list.as_array().is_some_and(is_chat).then_some(list)
}

/// Describes a text that no format knows by the keys of its first line or object, or by its beginning.
pub(super) fn description(text: &str) -> String {
    let whole: Option<Value> = serde_json::from_str(text).ok();
    let (at, first) =
        (1..).zip(text.lines()).find(|(_, l)| !l.trim().is_empty()).unwrap_or((1, ""));
    let place = if whole.is_some() { "it".to_owned() } else { format!("line {at}") };
    let value = whole.or_else(|| serde_json::from_str(first).ok()).unwrap_or_default();
    let value = value.get(0).unwrap_or(&value);
    match value.as_object() {
        Some(fields) => {
            let keys: Vec<String> = fields.keys().take(8).map(|key| cut(key)).collect();
            format!("{place} has the keys {}", keys.join(", "))
        }
        None => format!(
            "{place} begins with {:?}",
            first.trim().chars().take(BEGIN).collect::<String>()
        ),
    }
}

/// Follows the branch that ends at the current message; without one, the longest branch, of equal ones the last.
fn branch(nodes: &Value, last: &Value, parent: &str) -> Messages {
    let all = nodes.as_object();
    let back = |last: &str| {
        let mut ids: Vec<&str> = vec![];
        let mut seen = HashSet::new();
        let mut at = all.and_then(|all| all.get_key_value(last));
        // a chain may come back to itself
        while let Some((id, node)) = at.filter(|(id, _)| seen.insert(id.as_str())) {
            ids.push(id);
            at = node[parent].as_str().and_then(|id| all?.get_key_value(id));
        }
        ids
    };
    let named = last.as_str().map(back).filter(|ids| !ids.is_empty());
    let longest = || {
        let parents: HashSet<&str> =
            all.into_iter().flatten().filter_map(|(_, node)| node[parent].as_str()).collect();
        let is_end = |id: &&String| !parents.contains(id.as_str());
        let ends = all.into_iter().flat_map(|all| all.keys().filter(is_end));
        ends.map(|id| back(id)).max_by_key(Vec::len).unwrap_or_default()
    };
    let ids = named.unwrap_or_else(longest);
    let found: Vec<Value> = ids.iter().rev().map(|id| nodes[id].clone()).collect();
    let ids: HashSet<&str> = ids.into_iter().collect();
    let others = all.into_iter().flatten().filter(|(id, _)| !ids.contains(id.as_str()));
    let mut left_out = LeftOut::default();
    left_out.add(BRANCHES, others.filter(|(_, node)| LeftOut::has_words(node)).count());
    (found, left_out)
}

fn chatgpt(conversation: &Value) -> Messages {
    let nodes = &conversation["mapping"];
    let (path, others) = branch(nodes, &conversation["current_node"], "parent");
    let is_hidden = |message: &Value| {
        message["metadata"]["is_visually_hidden_from_conversation"] == true
            || message["author"]["role"] == "system"
    };
    let message = |node: &Value| {
        let message = &node["message"];
        if !message.is_object() {
            return None;
        }
        if is_hidden(message) {
            return LeftOut::has_words(node).then(|| json!({"role": NOTICE}));
        }
        let content = &message["content"];
        let mut parts = content["parts"].as_array().cloned().unwrap_or_default();
        parts.extend(content["text"].is_string().then(|| content["text"].clone()));
        parts.extend(programs::thoughts(&content["thoughts"], ["summary", "content"]));
        let role = if message["author"]["role"] == "user" { "user" } else { "assistant" };
        let model = &message["metadata"]["model_slug"];
        Some(json!({
            "role": role, "content": parts, "timestamp": message["create_time"], "model": model,
            SOURCE: node,
        }))
    };
    (path.iter().filter_map(message).collect(), others)
}

fn has_fragments(conversation: &Value) -> bool {
    let nodes = conversation["mapping"].as_object().into_iter().flatten();
    { nodes }.any(|(_, node)| node["message"]["fragments"].is_array())
}

fn deepseek(conversation: &Value) -> Messages {
    let (path, left_out) = branch(&conversation["mapping"], &Value::Null, "parent");
    let message = |node: &Value| {
        let message = node.get("message").filter(|message| message.is_object())?;
        let fragments = message["fragments"].as_array().map_or(&[][..], Vec::as_slice).iter();
        let is_request = fragments.clone().any(|part| part["type"] == "REQUEST");
        let parts = fragments.map(|part| match part["type"].as_str() {
            Some("REQUEST" | "RESPONSE") => part["content"].clone(),
            Some("THINK") => json!({"type": "thinking", "thinking": part["content"]}),
            Some(_) | None => Value::Null,
        });
        Some(json!({
            "role": if is_request { "user" } else { "assistant" },
            "content": parts.collect::<Vec<_>>(), "timestamp": message["inserted_at"],
            "model": message["model"], SOURCE: node,
        }))
    };
    (path.iter().filter_map(message).collect(), left_out)
}

fn claude_ai(conversation: &Value) -> Messages {
    let message = |message: &Value| {
        let role = if message["sender"] == "human" { "user" } else { "assistant" };
        let content = Some(&message["content"])
            .filter(|content| content.as_array().is_some_and(|parts| !parts.is_empty()));
        let content = content.unwrap_or(&message["text"]);
        json!({
            "role": role, "content": content, "timestamp": message["created_at"], SOURCE: message,
        })
    };
    let all = conversation["chat_messages"].as_array().map_or(&[][..], Vec::as_slice);
    let leaf = &conversation["current_leaf_message_uuid"];
    let (path, left_out) = branch_of_list(all, "uuid", leaf, "parent_message_uuid");
    (path.iter().map(message).collect(), left_out)
}

/// Follows the branch of a list of messages that ends at the current message; without one, at the last. Older exports
/// name no parents and have one branch.
fn branch_of_list(all: &[Value], id: &str, leaf: &Value, parent: &str) -> Messages {
    match all.last() {
        Some(last) if last[parent].is_string() => {
            let mut nodes = Map::new();
            for (at, node) in all.iter().enumerate() {
                // no message is lost for want of a name of its own
                let name = node[id].as_str().filter(|name| !nodes.contains_key(*name));
                nodes.insert(name.map_or_else(|| format!("#{at}"), str::to_owned), node.clone());
            }
            let leaf = if leaf.is_string() { leaf } else { &last[id] };
            branch(&nodes.into(), leaf, parent)
        }
        Some(_) | None => (all.to_vec(), LeftOut::default()),
    }
}

fn libre_chat(conversation: &Value) -> Messages {
    let mut all = vec![];
    let mut open = vec![];
    for list in [&conversation["messagesTree"], &conversation["messages"]] {
        open.extend(list.as_array().into_iter().flatten().rev());
    }
    // the newest answer is the last child
    while let Some(message) = open.pop() {
        all.push(message.clone());
        open.extend(message["children"].as_array().into_iter().flatten().rev());
    }
    let (path, left_out) = branch_of_list(&all, "messageId", &Value::Null, "parentMessageId");
    (path.iter().flat_map(programs::libre_chat).collect(), left_out)
}

fn typing_mind(conversation: &Value) -> Messages {
    let message = |message: &Value| {
        let model = [&message["model"], &conversation["model"]];
        let model = model.into_iter().find(|model| model.is_string());
        json!({
            "role": message["role"], "content": message["content"],
            "tool_calls": message["tool_calls"], "tool_call_id": message["tool_call_id"],
            "timestamp": message["createdAt"], "model": model, SOURCE: message,
        })
    };
    let all = conversation["messages"].as_array();
    (all.into_iter().flatten().map(message).collect(), LeftOut::default())
}

fn open_webui(conversation: &Value) -> Messages {
    let chat = &conversation["chat"];
    let history = &chat["history"];
    if history["messages"].is_object() {
        return branch(&history["messages"], &history["currentId"], "parentId");
    }
    (chat["messages"].as_array().cloned().unwrap_or_default(), LeftOut::default())
}

fn chats(conversation: &Value) -> Messages {
    let all = conversation["messages"].as_array().cloned();
    (all.unwrap_or_default(), LeftOut::default())
}

fn sharegpt(conversation: &Value) -> Messages {
    let message = |message: &Value| {
        let role = match message["from"].as_str().or(message["role"].as_str()) {
            Some("human" | "user") => "user",
            Some("system") => "system",
            Some("tool" | "observation") => "tool",
            _ => "assistant",
        };
        let content =
            if message["value"].is_null() { &message["content"] } else { &message["value"] };
        json!({"role": role, "content": content, SOURCE: message})
    };
    let all = conversation["conversations"].as_array();
    (all.into_iter().flatten().map(message).collect(), LeftOut::default())
}
