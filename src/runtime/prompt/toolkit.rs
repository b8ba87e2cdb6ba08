//! Tools as part of the prompt: for models without tool calls, the list of tools and the format of a request; for all
//! models, the results of earlier turns.

use super::budget::{self, GAP};
use super::messages::messages;
use crate::escape::{attribute, quoted};
use crate::model::tool::{REQUEST_TAG, RESULT_TAG, ToolRun};
use crate::model::{Message, Prompt, Text};
use crate::state::{State, Turn};
use serde_json::json;
use std::borrow::Cow;

/// Maximum bytes of an earlier result, and of its arguments.
const RESULT_MAX: usize = 1_000;
/// Maximum bytes of all earlier tool calls, if the window has room for them.
const USED_MAX: usize = 6_000;
/// Share of a seat's room for earlier tool calls, as a divisor.
const USED_SHARE: usize = 4;

/// Returns the earlier tool calls of a turn's seat with their results, oldest first; `None` without any.
pub(super) fn used(state: &State, turn: &Turn) -> Option<Text> {
    let seat = &state.seat(&turn.seat)?.spec;
    if !turn.speaks() || !seat.voice.reads_as_a_model() {
        return None;
    }
    let room = budget::room(seat, state.reply_tokens(turn), turn.shrunk) / USED_SHARE;
    let mut left = budget::bytes_of(room).min(USED_MAX);
    let fitting = state.tools_used(turn).map_while(|used| {
        let shown = used_tool(&used.run);
        left = left.checked_sub(shown.len())?;
        Some(shown)
    });
    let mut all: Vec<String> = fitting.collect();
    all.reverse();
    let head = "Your tool calls in earlier turns, and their results:";
    (!all.is_empty()).then(|| format!("{head}\n{}", all.join("\n")).into())
}

fn used_tool(run: &ToolRun) -> String {
    let (is, result) = run.returned.clone().unwrap_or_default();
    let name = attribute(&run.request.tool);
    let arguments = run.request.arguments.to_string();
    let words = quoted(&format!("{}\n{}", shortened(&arguments), shortened(&result)));
    format!("<{RESULT_TAG} of=\"{name}\" is=\"{}\">\n{words}\n</{RESULT_TAG}>", is.as_str())
}

/// Shortens a long text by omitting its middle.
fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= RESULT_MAX {
        return text.into();
    }
    let head = text.floor_char_boundary(RESULT_MAX / 2);
    let tail = text.ceil_char_boundary(text.len() - RESULT_MAX / 2);
    format!("{}{GAP}{}", &text[..head], &text[tail..]).into()
}

/// Returns the messages of a prompt with its tools as text, for a server that turns out to refuse tool calls; empty
/// without tools, or if they are text already.
pub fn in_words(state: &State, turn: &Turn, prompt: &Prompt) -> Vec<Message> {
    match (listed(state, turn), &prompt.text_tools) {
        (Some(tools), None) => messages(&Prompt { text_tools: Some(tools), ..prompt.clone() }),
        _ => vec![],
    }
}

/// Returns the list of a turn's tools for a model without tool calls; `None` for other models or without tools, empty
/// if no more calls are allowed.
pub(super) fn text_tools(state: &State, turn: &Turn) -> Option<Text> {
    if state.seat(&turn.seat)?.spec.text_tools { listed(state, turn) } else { None }
}

/// Returns the list of a model's tools as text; `None` for other voices or without tools.
fn listed(state: &State, turn: &Turn) -> Option<Text> {
    let seat = &state.seat(&turn.seat)?.spec;
    if !(seat.voice.is_model() && turn.speaks()) || seat.tools.is_empty() {
        return None;
    }
    let offered = state.tools_offered(turn);
    if offered.is_empty() {
        return Some("".into());
    }
    let mut words = String::from("You can use these tools:\n");
    for tool in offered {
        let about = quoted(tool.description.trim());
        let arguments = quoted(&tool.parameters.to_string());
        words.push_str(&format!("\n- {}: {about} Arguments (JSON Schema): {arguments}", tool.name));
    }
    let example = json!({"name": offered.first().map(|tool| &tool.name), "arguments": {}});
    words.push_str(&format!(
        "\n\nTo use a tool, end your reply with a request of this form, one for each use, and nothing after it:\n\
         <{REQUEST_TAG}>{example}</{REQUEST_TAG}>\nThen you receive the results and go on. Otherwise reply as usual."
    ));
    Some(words.into())
}
