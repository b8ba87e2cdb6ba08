//! OpenAI's chat completions API, which most servers support.

use super::responses;
use crate::model::Wire;
use crate::voice::remote::content::{Call, ChatMessage, FrameContent, Spelled, WireCode, text_at};
use crate::voice::remote::cure::has_error;
use crate::voice::remote::{ends, state, tools};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;

pub(super) const CODE: WireCode = WireCode { spell, words, parse_frame, ..responses::CODE };

fn spell(call: &Call) -> Spelled {
    let mut messages = call.chat();
    for round in call.rounds {
        let past = tools::past(round, call);
        let asked = past.iter().map(|run| {
            let function = json!({"name": run.tool, "arguments": run.text});
            state::with(json!({"id": run.id, "type": "function", "function": function}), run.state)
        });
        let asked: Vec<Value> = asked.collect();
        let said = json!({"role": "assistant", "content": round.said, "tool_calls": asked});
        messages.push(ChatMessage::Other(state::with(said, state::of_turn(round, call))));
        messages.extend(past.iter().map(|run| {
            let content = &run.result;
            ChatMessage::Other(json!({"role": "tool", "tool_call_id": run.id, "content": content}))
        }));
    }
    let schema = call.schema.map(
        |schema| json!({"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}),
    );
    let mut body = json!({
        "model": call.model, "stream": true, "stream_options": {"include_usage": true},
        "tools": tools::functions(call), "response_format": schema,
    });
    call.settings(Wire::OpenAi, call.spec.effort.as_ref().map(|effort| json!(effort)), &mut body);
    Spelled::new(call, "/chat/completions", "messages", messages, body)
}

/// A frame with text only, like nearly all frames of a stream. Fields of type `()` may be missing or null.
#[derive(Deserialize)]
struct WordsFrame<'a> {
    #[serde(borrow)]
    choices: [WordsChoice<'a>; 1],
    #[serde(default, rename = "usage")]
    _usage: (),
    #[serde(default, rename = "error")]
    _error: (),
}

#[derive(Deserialize)]
struct WordsChoice<'a> {
    #[serde(default)]
    index: u64,
    #[serde(borrow)]
    delta: WordsDelta<'a>,
    #[serde(default, rename = "finish_reason")]
    _finish_reason: (),
    #[serde(default, rename = "error")]
    _error: (),
}

#[derive(Deserialize)]
struct WordsDelta<'a> {
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(default, rename = "refusal")]
    _refusal: (),
    #[serde(default, rename = "tool_calls")]
    _tool_calls: (),
    #[serde(default, rename = "reasoning_content")]
    _reasoning_content: (),
    #[serde(default, rename = "reasoning")]
    _reasoning: (),
    #[serde(default, rename = "reasoning_details")]
    _reasoning_details: (),
}

/// Returns the text of a frame without other relevant fields, without building a JSON tree.
fn words(frame: &str) -> Option<Cow<'_, str>> {
    let WordsFrame { choices: [choice], .. } = serde_json::from_str(frame).ok()?;
    (choice.index == 0).then_some(choice.delta.content)
}

fn parse_frame(frame: &Value) -> FrameContent {
    let empty = Vec::new();
    let choices = frame["choices"].as_array().unwrap_or(&empty);
    let mut heard = FrameContent {
        input: frame["usage"]["prompt_tokens"].as_u64(),
        output: frame["usage"]["completion_tokens"].as_u64(),
        ..FrameContent::default()
    };
    // of several choices the first is used; a choice without an index is the only one
    for choice in choices.iter().filter(|c| c["index"].as_u64().unwrap_or(0) == 0) {
        // a whole message comes from servers that ignore that a stream was asked for
        let parts = ["delta", "message"].map(|key| &choice[key]);
        let delta = parts.into_iter().find(|part| part.is_object()).unwrap_or(choice);
        heard.say.push_str(&text_at(&choice["text"]));
        add_content(&delta["content"], &mut heard);
        heard.say.push_str(&text_at(&delta["refusal"]));
        heard.asked.extend(tools::of_calls(&delta["tool_calls"]));
        // two names of one field; servers that send both send the same text
        let reasoning = ["reasoning_content", "reasoning"].map(|key| text_at(&delta[key]));
        heard.think.extend(reasoning.into_iter().find(|text| !text.is_empty()));
        heard.finish = ends::common(&choice["finish_reason"]).or(heard.finish);
        state::merge(&mut heard.state, &state::reasoning(delta));
        // OpenRouter forwards failures of the upstream provider in this field
        heard.error = has_error(choice).then(|| choice["error"].clone());
    }
    heard
}

/// Adds content that is a text, a part or, from Mistral's reasoning models, a list of parts.
fn add_content(content: &Value, heard: &mut FrameContent) {
    heard.say.push_str(&text_at(content));
    for part in content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice) {
        heard.say.push_str(&text_at(&part["text"]));
        for thought in part["thinking"].as_array().into_iter().flatten() {
            heard.think.push_str(&text_at(&thought["text"]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_at_once_only_where_nothing_else_would_be_heard() {
        let whole = |choice: &str| format!(r#"{{"id":"x","choices":[{choice}],"created":1}}"#);
        let mut at_once = 0;
        for frame in [
            whole(r#"{"index":0,"delta":{"content":" a \"word\" \u00fc"},"finish_reason":null}"#),
            whole(r#"{"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null}"#),
            whole(r#"{"index":1,"delta":{"content":"another answer"}}"#),
            whole(r#"{"delta":{"content":"x"},"finish_reason":"stop"}"#),
            whole(r#"{"delta":{"content":"x","reasoning":"y"}}"#),
            whole(r#"{"delta":{"content":"x","reasoning_content":"y"}}"#),
            whole(r#"{"delta":{"content":"x","refusal":"y"}}"#),
            whole(
                r#"{"delta":{"content":"x","tool_calls":[{"index":0,"function":{"name":"f"}}]}}"#,
            ),
            whole(r#"{"delta":{"content":"x"},"error":{"message":"y"}}"#),
            whole(r#"{"delta":{"content":"x","content":"y"}}"#),
            whole(r#"{"delta":{"content":"x"}},{"index":0,"delta":{"content":"y"}}"#),
            whole(r#"{"delta":{"content":[{"type":"text","text":"x"}]}}"#),
            whole(r#"{"delta":{"content":null}}"#),
            whole(r#"{"delta":null}"#),
            r#"{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":3}}"#.into(),
            r#"{"choices":[{"delta":{"content":"x"}}],"error":{"message":"y"}}"#.into(),
            r#"{"choices":[{"delta":{"content":"x"}}]"#.into(),
        ] {
            let Some(words) = words(&frame) else { continue };
            at_once += 1;
            let value = serde_json::from_str(&frame).unwrap();
            let only = FrameContent { say: words.into(), ..FrameContent::default() };
            assert_eq!(parse_frame(&value), only, "{frame}");
        }
        assert_eq!(at_once, 2);
    }
}
