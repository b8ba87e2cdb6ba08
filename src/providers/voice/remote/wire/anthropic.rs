//! Anthropic's Messages API.

use super::responses;
use crate::model::{Message, Wire};
use crate::voice::remote::content::{
    AskedPart, Call, FrameContent, Spelled, WireCode, keys, text_at,
};
use crate::voice::remote::{ends, state, tools};
use serde_json::{Value, json};

/// Default limit of a reply, in tokens. This format requires a limit.
const MAX_TOKENS: u32 = 4_096;
/// First model version with adaptive reasoning, which no longer accepts a token budget.
const ADAPTIVE: (u32, u32) = (4, 6);

pub(super) const CODE: WireCode = WireCode {
    spell,
    parse_frame,
    list: "/models?limit=1000",
    key: "x-api-key",
    headers: &[("anthropic-version", "2023-06-01")],
    ..responses::CODE
};

fn spell(call: &Call) -> Spelled {
    let said = call.said("assistant").map(|(role, m)| match role {
        "user" => json!({"role": role, "content": content(m)}),
        _ => json!({"role": role, "content": m.text}),
    });
    let mut messages: Vec<Value> = said.collect();
    for round in call.rounds {
        let past = tools::past(round, call);
        let mut content = state::blocks(round, call);
        if !round.said.trim().is_empty() {
            content.push(json!({"type": "text", "text": round.said}));
        }
        content.extend(past.iter().map(
            |run| json!({"type": "tool_use", "id": run.id, "name": run.tool, "input": run.arguments}),
        ));
        messages.push(json!({"role": "assistant", "content": content}));
        let results = past.iter().map(|run| {
            json!({
                "type": "tool_result", "tool_use_id": run.id, "content": run.result, "is_error": run.failed,
            })
        });
        messages.push(json!({"role": "user", "content": results.collect::<Vec<_>>()}));
    }
    // the format requires at least 1,024
    let thinking = call.spec.reasoning_tokens();
    let most = MAX_TOKENS.saturating_add(thinking);
    let mut body = json!({
        "model": call.model, "max_tokens": most, "stream": true, "system": call.system().map(|text| [kept(&text)]),
        "tools": tools::offered(call, "input_schema"),
    });
    // with reasoning this format rejects a temperature; after tool results it requires the signed reasoning of the
    // requests
    let signed = call.rounds.iter().all(|round| !state::of_turn(round, call)["blocks"].is_null());
    let effort = if signed { call.spec.effort.as_ref() } else { None };
    let is_adaptive = version(call.model) >= Some(ADAPTIVE);
    let reasons = effort.map(|_| {
        if is_adaptive {
            json!({"type": "adaptive"})
        } else {
            json!({"type": "enabled", "budget_tokens": thinking})
        }
    });
    call.settings(Wire::Anthropic, reasons, &mut body);
    if let Some(effort) = effort {
        if is_adaptive {
            body["output_config"] = json!({"effort": effort});
        }
        body = keys(&body, |key, _| !["temperature", "top_p"].contains(&key));
    }
    Spelled::new(call, "/messages", "messages", messages, body)
}

/// Returns a text block with a cache breakpoint at its end.
fn kept(text: &str) -> Value {
    json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}})
}

/// Returns the content of a message. Text that later prompts do not repeat comes after the cached part.
fn content(message: &Message) -> Value {
    let fresh = message.text.len().saturating_sub(message.fresh);
    match message.text.split_at_checked(fresh) {
        Some((again, fresh)) if message.fresh > 0 && !again.trim().is_empty() => {
            json!([kept(again.trim_end()), {"type": "text", "text": fresh}])
        }
        Some(_) | None => json!(message.text),
    }
}

/// Parses the version in a model's name, as in `claude-opus-4-7` or `claude-3-7-sonnet-20250219`.
fn version(model: &str) -> Option<(u32, u32)> {
    // a date is not a version
    let number = |part: &str| if part.len() < 3 { part.parse::<u32>().ok() } else { None };
    let mut parts = model.split(['-', '.', '@']).skip_while(|part| number(part).is_none());
    let major = number(parts.next()?)?;
    Some((major, parts.next().and_then(number).unwrap_or(0)))
}

/// Adds the input tokens, including cached ones.
fn read(usage: &Value, heard: &mut FrameContent) {
    let Some(fresh) = usage["input_tokens"].as_u64() else { return };
    let count = |key: &str| usage[key].as_u64().unwrap_or(0);
    let cached = count("cache_read_input_tokens");
    let written = count("cache_creation_input_tokens");
    heard.input = Some(fresh.saturating_add(cached).saturating_add(written));
    heard.cache = Some((cached, written));
}

fn parse_frame(frame: &Value) -> FrameContent {
    let mut heard = FrameContent::default();
    match frame["type"].as_str().unwrap_or_default() {
        "message_start" => read(&frame["message"]["usage"], &mut heard),
        "content_block_start" => {
            let block = &frame["content_block"];
            heard.say = text_at(&block["text"]);
            heard.think = text_at(&block["thinking"]);
            match block["type"].as_str().unwrap_or_default() {
                "thinking" | "redacted_thinking" => heard.state = state::block(frame, block),
                "tool_use" => {
                    heard.asked = vec![part(frame, text_at(&block["name"]), String::new())];
                }
                _ => {}
            }
        }
        "content_block_delta" => {
            let delta = &frame["delta"];
            heard.say = text_at(&delta["text"]);
            heard.think = text_at(&delta["thinking"]);
            let signed = keys(delta, |key, value| {
                ["thinking", "signature"].contains(&key) && value.is_string()
            });
            if !signed.is_null() {
                heard.state = state::block(frame, &signed);
            }
            let json = text_at(&delta["partial_json"]);
            if !json.is_empty() {
                heard.asked = vec![part(frame, String::new(), json)];
            }
        }
        "message_delta" => {
            heard.finish = ends::common(&frame["delta"]["stop_reason"]);
            heard.output = frame["usage"]["output_tokens"].as_u64();
            // this count of the input is final; the first may have been 0
            read(&frame["usage"], &mut heard);
        }
        "message_stop" => heard.over = true,
        _ => {}
    }
    heard
}

/// Converts a block of the answer to a part of a tool request.
fn part(frame: &Value, name: String, arguments: String) -> AskedPart {
    AskedPart { index: frame["index"].as_u64(), name, arguments, ..AskedPart::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelSpec, Role};
    use crate::voice::remote::adaptation::Adaptations;

    #[test]
    fn a_model_is_told_to_reason_in_the_way_it_knows() {
        let spec = ModelSpec {
            effort: Some("high".into()),
            temperature: Some(0.5),
            ..ModelSpec::default()
        };
        let asked = |model| {
            let messages = &[][..];
            let window = None;
            let adapted = &Adaptations::default();
            let identity = "anthropic:m";
            let tools = &[][..];
            let rounds = &[][..];
            let asked = spell(&Call {
                model,
                messages,
                spec: &spec,
                schema: None,
                window,
                tools,
                rounds,
                adapted,
                identity,
            });
            serde_json::from_str::<Value>(&asked.body).unwrap()
        };
        let old = asked("claude-haiku-4-5");
        let new = asked("claude-sonnet-5");
        assert_eq!(old["thinking"], json!({"type": "enabled", "budget_tokens": 16_384}));
        assert_eq!(new["thinking"], json!({"type": "adaptive"}));
        assert_eq!(new["output_config"], json!({"effort": "high"}));
        assert_eq!(new["max_tokens"], 4_096 + 16_384);
        assert!(old["temperature"].is_null() && new["temperature"].is_null());
    }

    #[test]
    fn a_version_is_read_in_every_form_of_a_name() {
        let check =
            |model: &str, read: Option<(u32, u32)>| assert_eq!(version(model), read, "{model}");
        check("claude-opus-4-7", Some((4, 7)));
        check("claude-sonnet-5", Some((5, 0)));
        check("claude-sonnet-4-20250514", Some((4, 0)));
        check("claude-haiku-4-5-20251001", Some((4, 5)));
        check("claude-3-7-sonnet-20250219", Some((3, 7)));
        check("claude-3.5-haiku", Some((3, 5)));
        check("tiny", None);
        assert!(version("tiny") < Some(ADAPTIVE));
    }

    #[test]
    fn only_a_message_with_something_fresh_is_kept_in_parts() {
        let message = |text: &str, fresh| Message { role: Role::User, text: text.into(), fresh };
        assert_eq!(content(&message("old", 0)), "old");
        assert_eq!(content(&message("fresh", 5)), "fresh");
        assert_eq!(content(&message("old\nfresh", 5))[1]["text"], "fresh");
        assert_eq!(content(&message("old\nfresh", 5))[0]["text"], "old");
    }
}
