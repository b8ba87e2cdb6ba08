//! Messages, as Anthropic speaks them.

use super::wire::{Call, Heard, Spelled, text_at};
use crate::model::Role;
use serde_json::{Value, json};

/// The version of the format.
pub(super) const VERSION: &str = "2023-06-01";
/// Tokens of a reply where the scenario names none: this format wants a number.
const MAX_TOKENS: u32 = 4_096;

pub(super) fn spell(call: &Call) -> Spelled {
    let messages: Vec<Value> = call
        .messages
        .iter()
        .filter_map(|m| match m.role {
            Role::System => None,
            Role::User => Some(json!({"role": "user", "content": m.text})),
            Role::Assistant => Some(json!({"role": "assistant", "content": m.text})),
        })
        .collect();
    let max = call.spec.max_tokens.unwrap_or(MAX_TOKENS);
    // the format wants at least 1,024
    let thinking = call.spec.reasoning_tokens();
    let mut body = json!({
        "model": call.model,
        "max_tokens": max.saturating_add(thinking),
        "messages": messages,
        "stream": true,
    });
    if let Some(system) = call.messages.iter().find(|m| m.role == Role::System) {
        body["system"] = json!(system.text);
    }
    if thinking > 0 {
        // with reasoning this format refuses a temperature
        body["thinking"] = json!({"type": "enabled", "budget_tokens": thinking});
    } else if let Some(temperature) = call.spec.temperature {
        body["temperature"] = json!(temperature);
    }
    if !call.spec.stop.is_empty() {
        body["stop_sequences"] = json!(call.spec.stop);
    }
    Spelled { path: "/messages".into(), body }
}

pub(super) fn hear(frame: &Value) -> Heard {
    let mut heard = Heard::default();
    match frame["type"].as_str().unwrap_or_default() {
        "message_start" => {
            let usage = &frame["message"]["usage"];
            heard.input = usage["input_tokens"].as_u64().map(|fresh| {
                let kept = ["cache_creation_input_tokens", "cache_read_input_tokens"]
                    .map(|key| usage[key].as_u64().unwrap_or(0));
                kept.into_iter().fold(fresh, u64::saturating_add)
            });
        }
        "content_block_start" => {
            heard.say = text_at(&frame["content_block"]["text"]);
            heard.think = text_at(&frame["content_block"]["thinking"]);
        }
        "content_block_delta" => {
            heard.say = text_at(&frame["delta"]["text"]);
            heard.think = text_at(&frame["delta"]["thinking"]);
        }
        "message_delta" => {
            heard.finish = frame["delta"]["stop_reason"].as_str().map(finish);
            heard.output = frame["usage"]["output_tokens"].as_u64();
        }
        "message_stop" => heard.over = true,
        _ => {}
    }
    heard
}

fn finish(reason: &str) -> String {
    let common = match reason {
        "end_turn" | "stop_sequence" => "stop",
        "max_tokens" => "length",
        "refusal" => "content_filter",
        other => other,
    };
    common.to_owned()
}
