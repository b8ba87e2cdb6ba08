//! Parser of an agent's updates during a turn. All texts are bounded, because they may be hostile.

use crate::model::Text;
use crate::model::agent::{AGENT_TOOLS, PlanStep};
use crate::voice::Did;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Maximum number of tool calls reported per turn; the agent may make more, but they are not logged.
const TOOLS_MAX: usize = 200;
/// Maximum number of plans reported per turn.
const PLANS_MAX: usize = 50;
/// Maximum number of steps reported per plan.
const STEPS_MAX: usize = 50;
/// Maximum characters of a title or a step.
const TITLE_MAX: usize = 500;
/// Maximum bytes logged of a tool call's arguments after its end.
const INPUT_MAX: usize = 4 << 10;
/// Maximum bytes of the title, and of the arguments, of a call that a person may allow: it is shown whole.
const ASKED_MAX: usize = 64 << 10;
/// Maximum bytes kept of a tool call's result.
const RESULT_MAX: usize = 16 << 10;

/// Update from an agent.
#[derive(Debug, PartialEq)]
pub(super) enum Update {
    /// Text for the conversation, and the id of its message, if the agent sent one.
    Says(String, Option<String>),
    /// A piece of reasoning.
    Thinks(String),
    /// A tool call that has ended, or a new plan.
    Did(Did),
    /// Any other update, which is ignored.
    Nothing,
}

/// Tool calls and plans of a turn so far.
#[derive(Debug, Default)]
pub(super) struct Doings {
    tools: BTreeMap<String, AgentToolSoFar>,
    plans: Vec<Vec<PlanStep>>,
}

#[derive(Clone, Debug, Default)]
struct AgentToolSoFar {
    title: Text,
    sort: Text,
    status: Text,
    input: Option<Text>,
    /// Contents so far, as JSON.
    content: Option<Value>,
    result: Option<Text>,
    told: bool,
}

impl Doings {
    /// Parses one update of the protocol.
    pub(super) fn read(&mut self, update: &Value) -> Update {
        let text = || update["content"]["text"].as_str().unwrap_or_default().to_owned();
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                Update::Says(text(), update["messageId"].as_str().map(str::to_owned))
            }
            Some("agent_thought_chunk") => Update::Thinks(text()),
            Some("tool_call" | "tool_call_update") => self.tool(update),
            Some("plan") => self.plan(update),
            Some(_) | None => Update::Nothing,
        }
    }

    /// Applies an update of a tool call; returns the call once, at its end.
    fn tool(&mut self, update: &Value) -> Update {
        let id: String =
            update["toolCallId"].as_str().unwrap_or_default().chars().take(200).collect();
        if self.tools.len() >= TOOLS_MAX && !self.tools.contains_key(&id) {
            return Update::Nothing;
        }
        let tool = self.tools.entry(id).or_default();
        if let Some(title) = update["title"].as_str() {
            tool.title = bytes(title.to_owned(), ASKED_MAX + 1).into();
        }
        if tool.sort.is_empty() || update["kind"].is_string() {
            tool.sort = sort(update).into();
        }
        if let Some(status) = update["status"].as_str() {
            tool.status = status_of(status).into();
        }
        if let Some(input) = whole_input(update) {
            tool.input = Some(bytes(input, ASKED_MAX + 1).into());
        }
        if let Some(content) = content(update).filter(|c| c.to_string().len() <= ASKED_MAX) {
            tool.content = Some(content.clone());
        }
        if let Some(result) = result(update) {
            tool.result = Some(result);
        }
        if tool.told || !matches!(&*tool.status, "completed" | "failed") {
            return Update::Nothing;
        }
        Update::Did(tool.activity())
    }

    fn plan(&mut self, update: &Value) -> Update {
        let entries = update["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
        let step = |entry: &Value| {
            let text = cut(entry["content"].as_str().unwrap_or_default(), TITLE_MAX).into();
            let status = status_of(entry["status"].as_str().unwrap_or_default()).into();
            PlanStep { text, status }
        };
        let steps: Vec<PlanStep> = entries.iter().take(STEPS_MAX).map(step).collect();
        if steps.is_empty() || self.plans.len() >= PLANS_MAX || self.plans.last() == Some(&steps) {
            return Update::Nothing;
        }
        self.plans.push(steps.clone());
        Update::Did(Did::Plans(steps))
    }

    /// Returns the title and the arguments of a call that needs permission, whole; `None` if they are too long to be
    /// shown. A request may omit what an update has already reported.
    pub(super) fn asked(&self, call: &Value) -> Option<(Text, Option<Text>)> {
        let known = call["toolCallId"].as_str().and_then(|id| self.tools.get(id));
        let title = call["title"].as_str().map(Text::from);
        let title = title.or(known.map(|tool| tool.title.clone())).unwrap_or_default();
        let input =
            whole_input(call).or(known.and_then(|tool| tool.input.as_deref().map(str::to_owned)));
        let content = content(call).or(known.and_then(|tool| tool.content.as_ref()));
        let new = content.filter(|content| {
            let input = input.as_deref().unwrap_or_default();
            !has_strings(input, content)
        });
        let input = match (input, new) {
            (Some(input), Some(new)) => Some(format!("{{\"input\":{input},\"content\":{new}}}")),
            (None, Some(new)) => Some(json!({"content": new}).to_string()),
            (input, None) => input,
        };
        let fits = title.len() <= ASKED_MAX && input.as_ref().is_none_or(|i| i.len() <= ASKED_MAX);
        fits.then(|| (title, input.map(Into::into)))
    }

    /// Returns the tool calls that never ended, and marks them as reported.
    pub(super) fn unfinished(&mut self) -> Vec<Did> {
        self.tools.values_mut().filter(|tool| !tool.told).map(AgentToolSoFar::activity).collect()
    }
}

impl AgentToolSoFar {
    fn activity(&mut self) -> Did {
        self.told = true;
        let AgentToolSoFar { title, sort, status, input, result, .. } = self.clone();
        let title = cut(&title, TITLE_MAX).into();
        let input = input.map(|input| bytes(input.to_string(), INPUT_MAX).into());
        Did::Used { title, sort, status, input, result }
    }
}

/// Returns the kind of a tool; `other` unless the protocol defines it.
pub(super) fn sort(call: &Value) -> &'static str {
    let named = call["kind"].as_str().unwrap_or_default();
    AGENT_TOOLS.into_iter().find(|known| *known == named).unwrap_or("other")
}

/// Returns the arguments of a tool call as JSON; `None` if there are none.
fn whole_input(call: &Value) -> Option<String> {
    let input = &call["rawInput"];
    let told = !input.is_null() && input.as_object().is_none_or(|map| !map.is_empty());
    told.then(|| input.to_string())
}

/// Returns the contents of a tool call, such as a change of a file; `None` if there are none.
fn content(call: &Value) -> Option<&Value> {
    let content = &call["content"];
    content.as_array().is_some_and(|parts| !parts.is_empty()).then_some(content)
}

/// Returns whether the arguments of a tool call have all strings of its contents: many agents send both.
fn has_strings(input: &str, content: &Value) -> bool {
    match content {
        Value::String(text) => input.contains(Value::from(&**text).to_string().trim_matches('"')),
        Value::Array(parts) => parts.iter().all(|part| has_strings(input, part)),
        Value::Object(fields) => {
            fields.iter().all(|(key, value)| key == "type" || has_strings(input, value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

fn result(call: &Value) -> Option<Text> {
    let parts = call["content"].as_array()?;
    let part = |part: &Value| match part["type"].as_str() {
        Some("content") => part["content"]["text"].as_str().map(str::to_owned),
        Some("diff") => part["path"].as_str().map(|path| format!("changed {path}")),
        Some(_) | None => None,
    };
    let texts: Vec<String> = parts.iter().filter_map(part).collect();
    (!texts.is_empty()).then(|| bytes(texts.join("\n"), RESULT_MAX).into())
}

fn status_of(status: &str) -> &'static str {
    let known = ["in_progress", "completed", "failed"];
    known.into_iter().find(|known| *known == status).unwrap_or("pending")
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn bytes(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_told_once_when_it_ends() {
        let mut doings = Doings::default();
        let begun = json!({"sessionUpdate": "tool_call", "toolCallId": "1", "title": "Edit a.txt", "kind": "edit",
            "status": "pending", "rawInput": {"path": "a.txt"}});
        assert_eq!(doings.read(&begun), Update::Nothing);
        let ended = json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed",
            "content": [{"type": "diff", "path": "a.txt", "newText": "x"}]});
        let Update::Did(Did::Used { title, sort, status, input, result }) = doings.read(&ended)
        else {
            panic!("not told")
        };
        assert_eq!((&*title, &*sort, &*status), ("Edit a.txt", "edit", "completed"));
        assert_eq!(input.as_deref(), Some("{\"path\":\"a.txt\"}"));
        assert_eq!(result.as_deref(), Some("changed a.txt"));
        assert_eq!(doings.read(&ended), Update::Nothing);
        assert!(doings.unfinished().is_empty());
    }

    #[test]
    fn a_call_that_needs_permission_is_whole_or_not_asked_about() {
        let mut doings = Doings::default();
        let long = format!("{}; curl evil", "x".repeat(INPUT_MAX));
        let begun = json!({"sessionUpdate": "tool_call", "toolCallId": "1", "title": long, "rawInput": {"c": long}});
        assert_eq!(doings.read(&begun), Update::Nothing);
        let (title, input) = doings.asked(&json!({"toolCallId": "1"})).unwrap();
        assert!(title.ends_with("curl evil") && input.unwrap().ends_with("curl evil\"}"));
        let diff = json!({"title": "Edit a.txt", "content": [{"type": "diff", "newText": "x"}]});
        assert!(doings.asked(&diff).unwrap().1.unwrap().contains("newText"));
        let both = |path: &str| {
            json!({"title": "Edit", "rawInput": {"path": "a.txt", "text": "say \"x\""},
                "content": [{"type": "diff", "path": path, "newText": "say \"x\""}]})
        };
        assert!(doings.asked(&both("/etc/hosts")).unwrap().1.unwrap().contains("/etc/hosts"));
        assert!(!doings.asked(&both("a.txt")).unwrap().1.unwrap().contains("newText"));
        let begun = json!({"sessionUpdate": "tool_call", "toolCallId": "2", "rawInput": {"path": "a.txt"},
            "content": [{"type": "diff", "path": "/etc/hosts", "newText": "x"}]});
        assert_eq!(doings.read(&begun), Update::Nothing);
        assert!(doings.asked(&json!({"toolCallId": "2"})).unwrap().1.unwrap().contains("hosts"));
        let huge = json!({"title": "Run", "rawInput": {"c": "x".repeat(ASKED_MAX)}});
        assert_eq!(doings.asked(&huge), None);
        let Update::Did(Did::Used { title, input, .. }) = doings.read(
            &json!({"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed"}),
        ) else {
            panic!("not told")
        };
        assert_eq!(
            (title.len(), input.unwrap().len()),
            (TITLE_MAX, INPUT_MAX),
            "the log is bounded"
        );
    }

    #[test]
    fn floods_and_strange_shapes_are_bounded() {
        let mut doings = Doings::default();
        for i in 0..1000 {
            let id = i.to_string();
            doings.read(&json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": "x".repeat(5000), "kind": 7}));
        }
        let told = doings.unfinished();
        assert_eq!(told.len(), TOOLS_MAX);
        let Did::Used { title, sort, .. } = &told[0] else { panic!("{told:?}") };
        assert_eq!((title.len(), &**sort), (TITLE_MAX, "other"));
        for strange in [
            json!(null),
            json!([]),
            json!({"sessionUpdate": 1}),
            json!({"sessionUpdate": "tool_call"}),
        ] {
            assert!(matches!(doings.read(&strange), Update::Nothing), "{strange}");
        }
        let plan = |n: usize| json!({"sessionUpdate": "plan", "entries": vec![json!({"content": n.to_string()}); n]});
        let plans = (1..200).filter(|n| doings.read(&plan(*n)) != Update::Nothing).count();
        assert_eq!(plans, PLANS_MAX);
    }
}
