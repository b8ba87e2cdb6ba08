//! Resolution of `[[tool]]`, and of the tool calls of voices and given turns.

use super::cases::Case;
use crate::model::{
    Line, Participant, Text, Tool, ToolOutcome, ToolRequest, ToolSource, near::nearest,
};
use crate::scenario::{Loaded, Node, Walk, join, quote};
use crate::testing::places;
use crate::testing::tools::{PlayedResult, PlayedTool, ReturnedCall};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Resolves every `[[tool]]`. Tool servers are not queried: they offer the tools that the test plays.
pub fn tools(
    walk: &mut Walk<'_>,
    root: &Node,
    loaded: &mut Loaded,
) -> BTreeMap<String, PlayedTool> {
    let nodes = root.get("tool").map_or(&[][..], Node::items);
    let names: Vec<&str> = nodes.iter().filter_map(|node| node.get("name")?.text()).collect();
    loaded.participants.iter_mut().for_each(|seat| of_servers(seat, &names));
    let mut tools = BTreeMap::new();
    for (i, node) in nodes.iter().enumerate() {
        let path = format!("tool[{}]", i + 1);
        let Some((at, name)) = node.get("name").and_then(|at| Some((at, at.text()?))) else {
            continue;
        };
        let known = || loaded.participants.iter().flat_map(|seat| &seat.tools);
        let tool = known().find(|tool| *tool.name == *name);
        if tool.is_none() {
            let fix = match nearest(name, known().map(|tool| &*tool.name)) {
                Some(near) => format!("the nearest one is `{near}`"),
                None => "name a tool of a participant".into(),
            };
            let message = format!("no participant has the tool {}", quote(name));
            walk.fault(&at.span, &join(&path, "name"), message, fix);
        }
        let results = node.get("results").map(|all| results(walk, all, &join(&path, "results")));
        let played = match (results, node.get("script")) {
            (Some(results), None) => PlayedTool::Results(results),
            (None, Some(script)) => {
                if tool.is_some_and(|tool| !matches!(tool.source, ToolSource::Script(_))) {
                    let message = format!("{} is not a script in the scenario", quote(name));
                    let fix = r#"give it results = ["..."]"#;
                    walk.fault(&script.span, &join(&path, "script"), message, fix);
                }
                PlayedTool::Script
            }
            (Some(_), Some(second)) => {
                let message = "cannot be combined with `results`";
                walk.fault(&second.span, &join(&path, "script"), message, "keep one of them");
                continue;
            }
            (None, None) => {
                let fix = r#"as in results = ["Rain."]"#;
                walk.fault(&node.span, &path, "returns nothing", fix);
                continue;
            }
        };
        if tools.insert(name.to_owned(), played).is_some() {
            let message = format!("{} is already defined", quote(name));
            walk.fault(&at.span, &join(&path, "name"), message, "keep one of them");
        }
    }
    tools
}

/// Gives a seat the tools of its servers that the test plays.
fn of_servers(seat: &mut Participant, played: &[&str]) {
    let expand = |tool: Tool| {
        let ToolSource::Server { server, tool: named, .. } = &tool.source else {
            return vec![tool];
        };
        let own = |name: &&str| {
            let rest = name.strip_prefix(&*server.name)?.strip_prefix('_')?.to_owned();
            (named.is_empty() || **named == *rest).then_some((Text::from(*name), rest))
        };
        let offered = |(name, own): (Text, String)| Tool {
            name,
            parameters: json!({ "type": "object" }),
            read_only: server.read_only.iter().any(|free| **free == *own),
            source: ToolSource::Server { server: server.clone(), tool: own.into(), output: None },
            ..tool.clone()
        };
        played.iter().filter_map(own).map(offered).collect()
    };
    seat.tools = std::mem::take(&mut seat.tools).into_iter().flat_map(expand).collect();
}

fn results(walk: &mut Walk<'_>, all: &Node, path: &str) -> Vec<PlayedResult> {
    if all.items().is_empty() {
        walk.fault(&all.span, path, "has no result", r#"as in results = ["Rain."]"#);
    }
    let result = |node: &Node| {
        let text = |key: &str| node.get(key).and_then(Node::text);
        let said = node.text().or(text("text"));
        let fails = text("fail");
        if said.is_some() == fails.is_some() {
            let message = "needs either `text` or `fail`";
            walk.fault(&node.span, path, message, r#"as in { fail = "no such town" }"#);
        }
        PlayedResult {
            line: Line {
                text: said.or(fails).unwrap_or_default().into(),
                when: text("when").map(Text::from),
                ..Line::default()
            },
            every: node.get("every").and_then(Node::flag) == Some(true),
            fails: fails.is_some(),
        }
    };
    all.items().iter().map(result).collect()
}

/// Returns the folder that built-in tools read.
pub fn files(walk: &mut Walk<'_>, root: &Node, folder: &Path) -> Option<PathBuf> {
    let node = root.get("files")?;
    let found = places::file(folder, node.text()?)
        .and_then(|path| if path.is_dir() { Ok(path) } else { Err("is not a folder".into()) });
    let fix = "name a folder beside the test";
    found.map_err(|why| walk.fault(&node.span, "files", why, fix)).ok()
}

/// Returns the tool calls of a voice's line.
pub fn requests(line: &Node) -> Vec<ToolRequest> {
    let calls = line.get("tool_calls").map_or(&[][..], Node::items);
    calls.iter().filter_map(request).collect()
}

fn request(node: &Node) -> Option<ToolRequest> {
    let arguments = node.get("arguments").map_or_else(|| json!({}), Node::to_json);
    Some(ToolRequest { tool: node.get("tool")?.text()?.into(), arguments })
}

/// Returns the tool calls before the start.
pub fn returned(
    walk: &mut Walk<'_>,
    calls: &Node,
    path: &str,
    seat: &Participant,
    case: &Case,
) -> Vec<ReturnedCall> {
    let mut all: Vec<ReturnedCall> = vec![];
    for node in calls.items() {
        let Some(request) = request(node) else { continue };
        let Some(tool) = seat.tools.iter().find(|tool| tool.name == request.tool) else {
            let message = format!("`{}` has no tool {}", seat.id, quote(&request.tool));
            let names: Vec<&str> = seat.tools.iter().map(|tool| &*tool.name).collect();
            let fix = match names[..] {
                [] => "give it one in the scenario".to_owned(),
                _ => format!("its tools are {}", names.join(", ")),
            };
            walk.fault(&node.span, path, message, fix);
            continue;
        };
        if !tool.read_only && all.iter().any(|call| call.request.tool == request.tool) {
            let message = format!("{} may change something and is called twice", quote(&tool.name));
            walk.fault(&node.span, path, message, "give the second call its own [[given]]");
        }
        let text = |key: &str| node.get(key).and_then(Node::text);
        let (is, back) = match (text("result"), text("fail")) {
            (Some(result), None) => (ToolOutcome::Done, result),
            (None, Some(why)) => (ToolOutcome::Failed, why),
            (Some(_), Some(_)) | (None, None) => {
                let fix = r#"as in result = "Rain.""#;
                walk.fault(&node.span, path, "needs either `result` or `fail`", fix);
                continue;
            }
        };
        let filled = case.fill(back).and_then(|result| {
            let arguments: Value = case.fill_value(&request.arguments)?;
            Ok((result, ToolRequest { arguments, ..request }))
        });
        match filled {
            Ok((result, request)) => {
                all.push(ReturnedCall { request, is, result: result.into() });
            }
            Err(why) => walk.fault(&node.span, path, why, "as in {{ case.n }}"),
        }
    }
    all
}
