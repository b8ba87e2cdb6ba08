//! Google's `streamGenerateContent` API.

use crate::model::Role;
use crate::voice::remote::content::{AskedPart, Call, FrameContent, Spelled, text_at};
use crate::voice::remote::{ends, state, tools};
use serde_json::{Map, Value, json};
use std::fmt::Write;

pub(super) fn spell(call: &Call) -> Spelled {
    let part = |text: &str| json!([{"text": text}]);
    let mut contents: Vec<Value> = call
        .messages
        .iter()
        .filter_map(|m| match m.role {
            Role::System => None,
            Role::User => Some(json!({"role": "user", "parts": part(&m.text)})),
            Role::Assistant => Some(json!({"role": "model", "parts": part(&m.text)})),
        })
        .collect();
    tools::gemini(call, &mut contents);
    let mut body = json!({});
    if !call.tools.is_empty() {
        let offered = call.tools.iter().map(|tool| {
            json!({
                "name": tool.name, "description": tool.description, "parametersJsonSchema": tools::completed(&tool.parameters),
            })
        });
        let offered: Vec<Value> = offered.collect();
        body["tools"] = json!([{"functionDeclarations": offered}]);
    }
    if let Some(system) = call.messages.iter().find(|m| m.role == Role::System) {
        body["system_instruction"] = json!({"parts": part(&system.text)});
    }
    let mut options = json!({});
    if let Some(temperature) = call.spec.temperature {
        options["temperature"] = json!(temperature);
    }
    let spec = call.spec;
    let numbers = [
        ("topP", spec.top_p),
        ("frequencyPenalty", spec.frequency_penalty),
        ("presencePenalty", spec.presence_penalty),
    ];
    numbers.into_iter().filter_map(|(key, value)| Some((key, value?))).for_each(|(key, value)| {
        options[key] = json!(value);
    });
    if let Some(seed) = spec.seed {
        options["seed"] = json!(seed);
    }
    if let Some(max) = call.most_tokens() {
        options["maxOutputTokens"] = json!(max);
    }
    if !call.spec.stop.is_empty() {
        options["stopSequences"] = json!(call.spec.stop);
    }
    let thinking = call.spec.reasoning_tokens();
    if thinking > 0 {
        options["thinkingConfig"] = json!({"includeThoughts": true, "thinkingBudget": thinking});
    }
    body["generationConfig"] = options;
    let model = segment(call.model.trim_start_matches("models/"));
    let path = format!("/models/{model}:streamGenerateContent?alt=sse");
    Spelled::new(call, path, "contents", contents, body)
}

/// Returns the signature of a part and its other unknown keys; null without any.
fn others(part: &Value, known: &[&str]) -> Value {
    let keys = part.as_object().into_iter().flatten();
    let others = keys.filter(|(key, _)| !known.contains(&&***key));
    let others: Map<String, Value> =
        others.map(|(key, value)| (key.clone(), value.clone())).collect();
    if others.is_empty() { Value::Null } else { Value::Object(others) }
}

/// Escapes a name as one path segment. Names come from scenarios, which must not choose another address.
fn segment(name: &str) -> String {
    let mut part = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                part.push(char::from(byte));
            }
            _ => {
                // writing into a string cannot fail
                let _ = write!(part, "%{byte:02X}");
            }
        }
    }
    part
}

pub(super) fn parse_frame(frame: &Value) -> FrameContent {
    let candidate = &frame["candidates"][0];
    let usage = &frame["usageMetadata"];
    let mut heard = FrameContent {
        input: usage["promptTokenCount"].as_u64(),
        output: usage["candidatesTokenCount"]
            .as_u64()
            .map(|said| said.saturating_add(usage["thoughtsTokenCount"].as_u64().unwrap_or(0))),
        ..FrameContent::default()
    };
    for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
        let thought = part["thought"].as_bool().unwrap_or(false);
        let to = if thought { &mut heard.think } else { &mut heard.say };
        to.push_str(&text_at(&part["text"]));
        if let Some(name) = part["functionCall"]["name"].as_str() {
            let arguments = part["functionCall"]["args"].to_string();
            heard.asked.push(AskedPart {
                is_whole: true,
                name: name.to_owned(),
                arguments,
                state: others(part, &["functionCall", "text", "thought"]),
                ..AskedPart::default()
            });
        } else {
            state::merge(&mut heard.state, &others(part, &["text", "thought"]));
        }
    }
    heard.finish = ends::common(&candidate["finishReason"]);
    if frame["promptFeedback"]["blockReason"].is_string() {
        heard.finish = Some("content_filter".into());
    }
    heard
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_one_part_of_the_path() {
        assert_eq!(segment("gemini-2.5-flash"), "gemini-2.5-flash");
        assert_eq!(segment("../x?key=1#"), "..%2Fx%3Fkey%3D1%23");
    }
}
