//! Resolves `[[tool]]`, and the tools of participants.

use super::check::{Walk, join, milliseconds};
use super::json_schema::{schema, validator};
use super::tree::{Node, quote, texts};
use crate::model::near::nearest;
use crate::model::{Participant, ServerPlace, Text, Tool, ToolServer, ToolSource};
use serde_json::json;

/// Maximum characters of a name in every wire format.
const NAME_MAX: usize = 64;

/// Returns the tools of a participant; only built-in ones are complete yet.
pub(super) fn read(node: &Node) -> Option<Vec<Tool>> {
    let tool = |name: Text| Tool::built_in(&name).unwrap_or_else(|| unknown(name));
    node.get("tools").map(|names| texts(names).into_iter().map(tool).collect())
}

/// Returns a tool with a name only.
fn unknown(name: Text) -> Tool {
    Tool {
        name,
        description: "".into(),
        parameters: json!({}),
        source: ToolSource::Script(vec![]),
        read_only: false,
        seconds: Tool::SECONDS,
    }
}

fn is_unknown(tool: &Tool) -> bool {
    tool.source == ToolSource::Script(vec![])
}

/// Completes the tools of every participant, and reports undescribed names.
pub(super) fn tools(walk: &mut Walk<'_>, root: &Node, seats: &mut [Participant]) {
    let mut all: Vec<Tool> = vec![];
    for (i, node) in root.get("tool").map(Node::items).unwrap_or_default().iter().enumerate() {
        let path = format!("tool[{}]", i + 1);
        let Some(tool) = described(walk, node, &path) else { continue };
        let taken = all.iter().any(|other| other.name == tool.name);
        if taken || Tool::BUILT_IN.contains(&&*tool.name) {
            let message = format!("{} is the name of another tool", quote(&tool.name));
            let span = node.get("name").map_or(&None, |n| &n.span);
            walk.fault(span, &join(&path, "name"), message, "give it another name");
        }
        all.push(tool);
    }
    let servers = servers(walk, root, &all);
    let nodes = root.get("participant").map(Node::items).unwrap_or_default();
    for (i, seat) in seats.iter_mut().enumerate() {
        let span = nodes.get(i).and_then(|n| n.get("tools")).map_or(&None, |n| &n.span);
        for tool in seat.tools.iter_mut().filter(|tool| is_unknown(tool)) {
            if let Some(of_server) = of_server(&servers, tool) {
                *tool = of_server;
                continue;
            }
            match all.iter().find(|known| known.name == tool.name) {
                Some(known) => *tool = known.clone(),
                None => {
                    let own = all.iter().map(|t| &*t.name).chain(servers.iter().map(|s| &*s.name));
                    let names = Tool::BUILT_IN.into_iter().chain(own);
                    missing(walk, tool, names, span, &format!("participant[{}].tools", i + 1));
                }
            }
        }
    }
}

/// Returns the tools of a server, all of them or one as in `files/read_text_file`; the server is asked for them later.
fn of_server(servers: &[ToolServer], named: &Tool) -> Option<Tool> {
    let (name, tool) = named.name.split_once('/').unwrap_or((&named.name, ""));
    let server = servers.iter().find(|server| *server.name == *name)?.clone();
    let seconds = server.seconds;
    let source = ToolSource::Server { server, tool: tool.into(), output: None };
    Some(Tool { source, seconds, ..named.clone() })
}

/// Resolves `[[server]]`.
fn servers(walk: &mut Walk<'_>, root: &Node, tools: &[Tool]) -> Vec<ToolServer> {
    let mut all: Vec<ToolServer> = vec![];
    for (i, node) in root.get("server").map(Node::items).unwrap_or_default().iter().enumerate() {
        let path = format!("server[{}]", i + 1);
        let Some(name) = node.get("name").and_then(Node::text) else { continue };
        let span = node.get("name").map_or(&None, |n| &n.span);
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if name.is_empty() || name.len() > 32 || !name.chars().all(plain) {
            let message = format!("{} is not a valid server name", quote(name));
            let fix = "use at most 32 letters, digits and hyphens";
            walk.fault(span, &join(&path, "name"), message, fix);
        }
        let taken = all.iter().any(|other| *other.name == *name);
        if taken || tools.iter().any(|tool| *tool.name == *name) || Tool::BUILT_IN.contains(&name) {
            let message = format!("{} is the name of another tool or server", quote(name));
            walk.fault(span, &join(&path, "name"), message, "give it another name");
        }
        let command = node.get("command").map(texts);
        let url = node.get("url").and_then(Node::text);
        let place = match (command, url) {
            (Some(command), None) => ServerPlace::Command(command),
            (None, Some(url)) if url.starts_with("http://") || url.starts_with("https://") => {
                ServerPlace::Url(url.into())
            }
            (None, Some(_)) => {
                let fix = "as in \"http://127.0.0.1:8000/mcp\"";
                walk.fault(&node.span, &join(&path, "url"), "is not an HTTP address", fix);
                continue;
            }
            (_, _) => {
                let message = "needs either `command` or `url`";
                let fix = "as in command = [\"mcp-server-time\"]";
                walk.fault(&node.span, &path, message, fix);
                continue;
            }
        };
        let ms = node.get("timeout").and_then(milliseconds);
        let seconds = ms.and_then(|ms| u32::try_from(ms / 1000).ok()).unwrap_or(Tool::SECONDS);
        let read_only = node.get("read_only").map(texts).unwrap_or_default();
        all.push(ToolServer { name: name.into(), place, read_only, seconds });
    }
    all
}

/// Reports tools of a participant that need a scenario's description.
pub(super) fn only_built_in(walk: &mut Walk<'_>, seat: &Participant) {
    for tool in seat.tools.iter().filter(|tool| is_unknown(tool)) {
        missing(walk, tool, Tool::BUILT_IN.into_iter(), &None, "tools");
    }
}

fn missing<'a>(
    walk: &mut Walk<'_>,
    tool: &Tool,
    names: impl Iterator<Item = &'a str>,
    span: &Option<std::ops::Range<usize>>,
    path: &str,
) {
    let names: Vec<&str> = names.collect();
    let message = format!("there is no tool {}", quote(&tool.name));
    let fix = match nearest(&tool.name, names.iter().copied()) {
        Some(near) => format!("the nearest is {near:?}"),
        None => format!("the tools are {}; define others in [[tool]]", names.join(", ")),
    };
    walk.fault(span, path, message, &fix);
}

fn described(walk: &mut Walk<'_>, node: &Node, path: &str) -> Option<Tool> {
    let text = |key: &str| node.get(key).and_then(Node::text).map(Text::from);
    let name = text("name")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.chars().all(plain) || name.len() > NAME_MAX {
        let message = format!("{} is not a valid tool name", quote(&name));
        let fix = "use at most 64 letters, digits, hyphens and underscores";
        let span = node.get("name").map_or(&None, |n| &n.span);
        walk.fault(span, &join(path, "name"), message, fix);
    }
    let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let parameters = node.get("parameters").map_or(Ok(none), |parameters| {
        let read = schema(parameters)?;
        validator(&read).map(|_| read)
    });
    let parameters = parameters.unwrap_or_else(|why| {
        let span = node.get("parameters").map_or(&None, |n| &n.span);
        let fix = r#"as in { type = "object", properties = { town = { type = "string" } } }"#;
        walk.fault(span, &join(path, "parameters"), why, fix);
        json!({})
    });
    let ms = node.get("timeout").and_then(milliseconds);
    Some(Tool {
        name,
        description: text("about").unwrap_or_default(),
        parameters,
        source: ToolSource::Script(node.get("script").map(texts).unwrap_or_default()),
        read_only: node.get("read_only").and_then(Node::flag).unwrap_or(false),
        seconds: ms.and_then(|ms| u32::try_from(ms / 1000).ok()).unwrap_or(Tool::SECONDS),
    })
}
