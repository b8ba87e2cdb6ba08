//! Resolves `[[tool]]` and `[[server]]`, and the tools of participants.

use super::check::{Walk, milliseconds};
use super::json_schema::{schema, validator};
use super::keys::{RawServer, RawTool};
use super::tree::{At, Node, quote};
use crate::model::near::nearest;
use crate::model::{ServerPlace, Text, Tool, ToolServer, ToolSource};
use serde_json::json;

/// Maximum characters of a name in every wire format.
const NAME_MAX: usize = 64;
/// Maximum characters of a server's name, which begins the names of its tools.
const SERVER_NAME_MAX: usize = 32;

/// The tools and servers of a scenario; a participant who joins has only the built-in tools.
#[derive(Default)]
pub(super) struct DeclaredTools {
    tools: Vec<Tool>,
    servers: Vec<ToolServer>,
}

impl DeclaredTools {
    /// Resolves `[[tool]]` and `[[server]]`.
    pub(super) fn new(walk: &mut Walk<'_>, root: &At<'_>) -> DeclaredTools {
        let mut all = DeclaredTools::default();
        for at in root.list("tool") {
            let Some(tool) = described(walk, &at) else { continue };
            if all.has(&tool.name) {
                let message = format!("{} is the name of another tool", quote(&tool.name));
                walk.fault(&at.place("name"), message, "give it another name");
            }
            all.tools.push(tool);
        }
        for at in root.list("server") {
            all.servers.extend(server(walk, &at, &all));
        }
        all
    }

    fn has(&self, name: &str) -> bool {
        Tool::BUILT_IN.contains(&name) || self.tools.iter().any(|tool| *tool.name == *name)
    }

    /// Resolves the names in `tools` of a participant; a server's tools are queried later.
    pub(super) fn of_seat(&self, walk: &mut Walk<'_>, at: &At<'_>) -> Vec<Tool> {
        let mut found = vec![];
        for name in at.items().filter_map(|item| item.node.text().map(Text::from)) {
            let own = || self.tools.iter().find(|tool| tool.name == name).cloned();
            match Tool::built_in(&name).or_else(|| self.of_server(&name)).or_else(own) {
                Some(tool) => found.push(tool),
                None => {
                    let own = self.tools.iter().map(|tool| &*tool.name);
                    let servers = self.servers.iter().map(|server| &*server.name);
                    let names: Vec<&str> =
                        Tool::BUILT_IN.into_iter().chain(own).chain(servers).collect();
                    let fix = match nearest(&name, names.iter().copied()) {
                        Some(near) => format!("the nearest is {near:?}"),
                        None => {
                            format!("the tools are {}; define others in [[tool]]", names.join(", "))
                        }
                    };
                    walk.fault(at, format!("there is no tool {}", quote(&name)), fix);
                }
            }
        }
        found
    }

    /// Returns the tools of a server: all of them, or one as in `files/read_text_file`.
    fn of_server(&self, named: &Text) -> Option<Tool> {
        let (name, tool) = named.split_once('/').unwrap_or((&**named, ""));
        let server = self.servers.iter().find(|server| *server.name == *name)?.clone();
        Some(Tool {
            name: named.clone(),
            description: "".into(),
            parameters: json!({}),
            read_only: false,
            seconds: server.seconds,
            source: ToolSource::Server { server, tool: tool.into(), output: None },
        })
    }
}

/// Resolves one `[[server]]`; `others` are the tools and servers before it.
fn server(walk: &mut Walk<'_>, at: &At<'_>, others: &DeclaredTools) -> Option<ToolServer> {
    let raw: RawServer = at.node.read();
    let name = raw.name?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if name.is_empty() || name.len() > SERVER_NAME_MAX || !name.chars().all(plain) {
        let message = format!("{} is not a valid server name", quote(&name));
        walk.fault(&at.place("name"), message, "use at most 32 letters, digits and hyphens");
    }
    if others.has(&name) || others.servers.iter().any(|other| other.name == name) {
        let message = format!("{} is the name of another tool or server", quote(&name));
        walk.fault(&at.place("name"), message, "give it another name");
    }
    let place = match (raw.command, raw.url) {
        (Some(command), None) => ServerPlace::Command(command),
        (None, Some(url)) if url.starts_with("http://") || url.starts_with("https://") => {
            ServerPlace::Url(url)
        }
        (None, Some(_)) => {
            let url = At { span: at.span, ..at.place("url") };
            walk.fault(&url, "is not an HTTP address", "as in \"http://127.0.0.1:8000/mcp\"");
            return None;
        }
        (_, _) => {
            let fix = "as in command = [\"mcp-server-time\"]";
            walk.fault(at, "needs either `command` or `url`", fix);
            return None;
        }
    };
    Some(ToolServer { name, place, read_only: raw.read_only, seconds: seconds(at) })
}

/// Returns the timeout of a tool or server in seconds.
fn seconds(at: &At<'_>) -> u32 {
    let ms = at.node.get("timeout").and_then(milliseconds);
    ms.and_then(|ms| u32::try_from(ms / 1000).ok()).unwrap_or(Tool::SECONDS)
}

/// Resolves one `[[tool]]`.
fn described(walk: &mut Walk<'_>, at: &At<'_>) -> Option<Tool> {
    let raw: RawTool = at.node.read();
    let name = raw.name?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.chars().all(plain) || name.len() > NAME_MAX {
        let message = format!("{} is not a valid tool name", quote(&name));
        let fix = "use at most 64 letters, digits, hyphens and underscores";
        walk.fault(&at.place("name"), message, fix);
    }
    let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let read = |parameters: &Node| {
        let read = schema(parameters)?;
        validator(&read).map(|_| read)
    };
    let parameters = at.node.get("parameters").map_or(Ok(none), read);
    let parameters = parameters.unwrap_or_else(|why| {
        let fix = r#"as in { type = "object", properties = { town = { type = "string" } } }"#;
        walk.fault(&at.place("parameters"), why, fix);
        json!({})
    });
    Some(Tool {
        name,
        description: raw.about.unwrap_or_default(),
        parameters,
        source: ToolSource::Script(raw.script),
        read_only: raw.read_only,
        seconds: seconds(at),
    })
}
