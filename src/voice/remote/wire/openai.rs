//! Chat completions, as OpenAI began them and most servers speak them.

use crate::voice::remote::content::{Call, FrameContent, Spelled, text_at};
use crate::voice::remote::tools;
use serde_json::{Value, json};

pub(super) fn spell(call: &Call) -> Spelled {
    let mut messages = call.chat();
    tools::openai(call, &mut messages);
    let mut body = json!({"model": call.model, "stream": true});
    // Mistral refuses what it does not know, and reports the usage unasked
    if call.provider != "mistral" {
        body["stream_options"] = json!({"include_usage": true});
    }
    call.sampling(&mut body);
    if let Some(seed) = call.spec.seed {
        let name = if call.provider == "mistral" { "random_seed" } else { "seed" };
        body[name] = json!(seed);
    }
    if let Some(max) = call.most_tokens() {
        // OpenAI's reasoning models refuse the older name, which all others know
        let name = if call.provider == "openai" { "max_completion_tokens" } else { "max_tokens" };
        body[name] = json!(max);
    }
    if let Some(effort) = &call.spec.effort {
        body["reasoning_effort"] = json!(effort);
    }
    if let Some(functions) = tools::functions(call) {
        body["tools"] = functions;
    }
    if let Some(schema) = call.schema {
        let named = json!({"name": "reply", "schema": schema});
        body["response_format"] = json!({"type": "json_schema", "json_schema": named});
    }
    Spelled::new("/chat/completions", ("messages", messages), body)
}

pub(super) fn hear(frame: &Value) -> FrameContent {
    let empty = Vec::new();
    let choices = frame["choices"].as_array().unwrap_or(&empty);
    let mut heard = FrameContent {
        input: frame["usage"]["prompt_tokens"].as_u64(),
        output: frame["usage"]["completion_tokens"].as_u64(),
        ..FrameContent::default()
    };
    // of several answers the first is taken; a choice without an index is the only one
    for choice in choices.iter().filter(|c| c["index"].as_u64().unwrap_or(0) == 0) {
        let delta = &choice["delta"];
        add_content(&delta["content"], &mut heard);
        heard.say.push_str(&text_at(&delta["refusal"]));
        heard.asked.extend(tools::of_calls(&delta["tool_calls"]));
        // two names for one thing; servers that send both send the same text
        let reasoning = ["reasoning_content", "reasoning"].map(|key| text_at(&delta[key]));
        heard.think.extend(reasoning.into_iter().find(|text| !text.is_empty()));
        heard.finish = choice["finish_reason"].as_str().map(Into::into).or(heard.finish);
        // OpenRouter passes on the failure of the upstream provider like this
        heard.error = Some(&choice["error"]).filter(|error| !error.is_null()).cloned();
    }
    heard
}

/// Adds content that is a text or, as Mistral's reasoning models send it, a list of parts.
fn add_content(content: &Value, heard: &mut FrameContent) {
    heard.say.push_str(&text_at(content));
    for part in content.as_array().into_iter().flatten() {
        heard.say.push_str(&text_at(&part["text"]));
        for thought in part["thinking"].as_array().into_iter().flatten() {
            heard.think.push_str(&text_at(&thought["text"]));
        }
    }
}
