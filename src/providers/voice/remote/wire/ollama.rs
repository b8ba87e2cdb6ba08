//! Ollama's native chat API: one JSON text per line.

use crate::voice::remote::content::{AskedPart, Call, FrameContent, Spelled, text_at};
use crate::voice::remote::{ends, tools};
use serde_json::{Value, json};

pub(super) fn spell(call: &Call) -> Spelled {
    let mut messages = call.chat();
    tools::ollama(call, &mut messages);
    let mut options = json!({});
    call.sampling(&mut options);
    if let Some(seed) = call.spec.seed {
        options["seed"] = json!(seed);
    }
    if let Some(max) = call.most_tokens() {
        options["num_predict"] = json!(max);
    }
    if let Some(window) = call.window {
        // without it the server silently drops the beginning of a longer prompt
        options["num_ctx"] = json!(window);
    }
    let mut body = json!({"model": call.model, "stream": true, "options": options});
    if let Some(effort) = &call.spec.effort {
        // models without effort levels treat any level as true
        body["think"] = json!(effort);
    }
    if let Some(functions) = tools::functions(call) {
        body["tools"] = functions;
    }
    if let Some(schema) = call.schema {
        body["format"] = schema.clone();
    }
    Spelled::new(call, "/api/chat", "messages", messages, body)
}

pub(super) fn parse_frame(frame: &Value) -> FrameContent {
    let over = frame["done"].as_bool().unwrap_or(false);
    FrameContent {
        say: text_at(&frame["message"]["content"]),
        think: text_at(&frame["message"]["thinking"]),
        // older versions report `done` without a reason
        finish: ends::common(&frame["done_reason"]).or(over.then(|| ends::STOP.into())),
        input: frame["prompt_eval_count"].as_u64(),
        output: frame["eval_count"].as_u64(),
        over,
        asked: whole(&frame["message"]["tool_calls"]),
        ..FrameContent::default()
    }
}

/// Parses whole tool requests: this format does not split them, and restarts the indexes in each frame.
fn whole(calls: &Value) -> Vec<AskedPart> {
    let whole = |part| AskedPart { is_whole: true, ..part };
    tools::of_calls(calls).into_iter().map(whole).collect()
}
