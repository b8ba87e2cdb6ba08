//! Resolution of `[[tool]]`, and of the tool calls of voices and given turns.

use super::cases::Case;
use crate::model::{
    Line, Participant, Text, Tool, ToolOutcome, ToolRequest, ToolSource, near::nearest,
};
use crate::scenario::{At, Loaded, Walk, quote};
use crate::testing::keys::RawResult;
use crate::testing::places;
use crate::testing::tools::{PlayedResult, PlayedTool, ReturnedCall};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Resolves every `[[tool]]`. Tool servers are not queried: they offer the tools that the test plays.
pub fn tools(
    walk: &mut Walk<'_>,
    root: &At<'_>,
    loaded: &mut Loaded,
) -> BTreeMap<String, PlayedTool> {
    let names: Vec<&str> = root.list("tool").filter_map(|at| at.word("name")).collect();
    loaded.participants.iter_mut().for_each(|seat| of_servers(seat, &names));
    let mut tools = BTreeMap::new();
    for at in root.list("tool") {
        let Some(name) = at.word("name") else { continue };
        let known = || loaded.participants.iter().flat_map(|seat| &seat.tools);
        let tool = known().find(|tool| *tool.name == *name);
        if tool.is_none() {
            let fix = match nearest(name, known().map(|tool| &*tool.name)) {
                Some(near) => format!("the nearest one is `{near}`"),
                None => "name a tool of a participant".into(),
            };
            let message = format!("no participant has the tool {}", quote(name));
            walk.fault(&at.place("name"), message, fix);
        }
        let results = at.get("results").map(|all| results(walk, &all));
        let played = match (results, at.get("script")) {
            (Some(results), None) => PlayedTool::Results(results),
            (None, Some(script)) => {
                if tool.is_some_and(|tool| !matches!(tool.source, ToolSource::Script(_))) {
                    let message = format!("{} is not a script in the scenario", quote(name));
                    let fix = r#"give it results = ["..."]"#;
                    walk.fault(&script, message, fix);
                }
                PlayedTool::Script
            }
            (Some(_), Some(second)) => {
                let message = "cannot be combined with `results`";
                walk.fault(&second, message, "keep one of them");
                continue;
            }
            (None, None) => {
                let fix = r#"as in results = ["Rain."]"#;
                walk.fault(&at, "returns nothing", fix);
                continue;
            }
        };
        if tools.insert(name.to_owned(), played).is_some() {
            let message = format!("{} is already defined", quote(name));
            walk.fault(&at.place("name"), message, "keep one of them");
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

fn results(walk: &mut Walk<'_>, all: &At<'_>) -> Vec<PlayedResult> {
    if all.node.items().is_empty() {
        walk.fault(all, "has no result", r#"as in results = ["Rain."]"#);
    }
    let result = |at: At<'_>| {
        let RawResult { text, when, every, fail } = match at.node.text() {
            Some(text) => RawResult { text: Some(text.into()), ..RawResult::default() },
            None => at.node.read(),
        };
        if text.is_some() == fail.is_some() {
            let here = At { path: all.path.clone(), ..at };
            let fix = r#"as in { fail = "no such town" }"#;
            walk.fault(&here, "needs either `text` or `fail`", fix);
        }
        let fails = fail.is_some();
        let text = text.or(fail).unwrap_or_default();
        PlayedResult { line: Line { text, when, ..Line::default() }, every, fails }
    };
    all.items().map(result).collect()
}

/// Returns the folder that built-in tools read.
pub fn files(walk: &mut Walk<'_>, root: &At<'_>, folder: &Path) -> Option<PathBuf> {
    let at = root.get("files")?;
    let found = places::file(folder, at.node.text()?)
        .and_then(|path| if path.is_dir() { Ok(path) } else { Err("is not a folder".into()) });
    found.map_err(|why| walk.fault(&at, why, "name a folder beside the test")).ok()
}

/// Returns the tool calls of a voice's line.
pub fn requests(line: &At<'_>) -> Vec<ToolRequest> {
    line.list("tool_calls").filter_map(|call| request(&call)).collect()
}

fn request(at: &At<'_>) -> Option<ToolRequest> {
    let arguments = at.get("arguments").map_or_else(|| json!({}), |at| at.node.to_json());
    Some(ToolRequest { tool: at.word("tool")?.into(), arguments })
}

/// Returns the tool calls before the start.
pub fn returned(
    walk: &mut Walk<'_>,
    calls: &At<'_>,
    seat: &Participant,
    case: &Case,
) -> Vec<ReturnedCall> {
    let mut all: Vec<ReturnedCall> = vec![];
    for at in calls.each() {
        let Some(request) = request(&at) else { continue };
        let Some(tool) = seat.tools.iter().find(|tool| tool.name == request.tool) else {
            let message = format!("`{}` has no tool {}", seat.id, quote(&request.tool));
            let names: Vec<&str> = seat.tools.iter().map(|tool| &*tool.name).collect();
            let fix = match names[..] {
                [] => "give it one in the scenario".to_owned(),
                _ => format!("its tools are {}", names.join(", ")),
            };
            walk.fault(&at, message, fix);
            continue;
        };
        if !tool.read_only && all.iter().any(|call| call.request.tool == request.tool) {
            let message = format!("{} may change something and is called twice", quote(&tool.name));
            walk.fault(&at, message, "give the second call its own [[given]]");
        }
        let (is, back) = match (at.word("result"), at.word("fail")) {
            (Some(result), None) => (ToolOutcome::Done, result),
            (None, Some(why)) => (ToolOutcome::Failed, why),
            (Some(_), Some(_)) | (None, None) => {
                let fix = r#"as in result = "Rain.""#;
                walk.fault(&at, "needs either `result` or `fail`", fix);
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
            Err(why) => walk.fault(&at, why, "as in {{ case.n }}"),
        }
    }
    all
}
