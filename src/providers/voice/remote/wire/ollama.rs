//! Ollama's native chat API: one JSON text per line.

use super::responses;
use crate::model::Wire;
use crate::voice::remote::content::{
    AskedPart, Call, ChatMessage, FrameContent, Spelled, WireCode, text_at,
};
use crate::voice::remote::frames::Framing;
use crate::voice::remote::{ends, tools};
use serde_json::{Value, json};

pub(super) const CODE: WireCode = WireCode {
    framing: Framing::Lines,
    spell,
    parse_frame,
    list: "/api/tags",
    version: "",
    fetch: "ollama pull",
    ..responses::CODE
};

fn spell(call: &Call) -> Spelled {
    let mut messages = call.chat();
    for round in call.rounds {
        let past = tools::past(round, call);
        let asked = past
            .iter()
            .map(|run| json!({"function": {"name": run.tool, "arguments": run.arguments}}));
        let asked: Vec<Value> = asked.collect();
        let said = json!({"role": "assistant", "content": round.said, "tool_calls": asked});
        messages.push(ChatMessage::Other(said));
        messages.extend(past.iter().map(|run| {
            let content = &run.result;
            ChatMessage::Other(json!({"role": "tool", "tool_name": run.tool, "content": content}))
        }));
    }
    let mut body = json!({
        "model": call.model, "stream": true, "options": {}, "tools": tools::functions(call), "format": call.schema,
    });
    // models without effort levels treat any level as true
    call.settings(Wire::Ollama, call.spec.effort.as_ref().map(|effort| json!(effort)), &mut body);
    if let Some(window) = call.window {
        // without it the server silently drops the beginning of a longer prompt
        body["options"]["num_ctx"] = json!(window);
    }
    Spelled::new(call, "/api/chat", "messages", messages, body)
}

fn parse_frame(frame: &Value) -> FrameContent {
    let over = frame["done"].as_bool().unwrap_or(false);
    FrameContent {
        say: text_at(&frame["message"]["content"]),
        think: text_at(&frame["message"]["thinking"]),
        // older versions report `done` without a reason
        finish: ends::common(&frame["done_reason"]).or(over.then(|| ends::STOP.into())),
        input: frame["prompt_eval_count"].as_u64(),
        output: frame["eval_count"].as_u64(),
        over,
        // whole requests: this format does not split them, and restarts the indexes in each frame
        asked: tools::of_calls(&frame["message"]["tool_calls"])
            .into_iter()
            .map(|part| AskedPart { is_whole: true, ..part })
            .collect(),
        ..FrameContent::default()
    }
}
