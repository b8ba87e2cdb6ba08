//! Google's `streamGenerateContent` API.

use super::responses;
use crate::model::Wire;
use crate::voice::remote::content::{
    AskedPart, Call, FrameContent, Spelled, WireCode, keys, text_at,
};
use crate::voice::remote::{ends, state, tools};
use serde_json::{Value, json};
use std::fmt::Write;

pub(super) const CODE: WireCode = WireCode {
    spell,
    parse_frame,
    list: "/models?pageSize=1000",
    version: "/v1beta",
    key: "x-goog-api-key",
    ..responses::CODE
};

fn spell(call: &Call) -> Spelled {
    let said = call.said("model");
    let said = said.map(|(role, m)| json!({"role": role, "parts": [{"text": m.text}]}));
    let mut contents: Vec<Value> = said.collect();
    for round in call.rounds {
        let past = tools::past(round, call);
        let mut parts = vec![];
        if !round.said.trim().is_empty() {
            parts.push(state::with(json!({"text": round.said}), state::of_turn(round, call)));
        }
        parts.extend(past.iter().map(|run| {
            let asked = json!({"functionCall": {"name": run.tool, "args": run.arguments}});
            state::with(asked, run.state)
        }));
        contents.push(json!({"role": "model", "parts": parts}));
        let results = past.iter().map(|run| {
            let response = json!({"name": run.tool, "response": {"result": run.result}});
            json!({"functionResponse": response})
        });
        contents.push(json!({"role": "user", "parts": results.collect::<Vec<_>>()}));
    }
    let offered = tools::offered(call, "parametersJsonSchema");
    let mut body = json!({
        "tools": offered.map(|tools| json!([{"functionDeclarations": tools}])),
        "system_instruction": call.system().map(|text| json!({"parts": [{"text": text}]})),
        "generationConfig": {},
    });
    let thinking = call.spec.reasoning_tokens();
    let effort =
        (thinking > 0).then(|| json!({"includeThoughts": true, "thinkingBudget": thinking}));
    call.settings(Wire::Gemini, effort, &mut body);
    let model = segment(call.model.trim_start_matches("models/"));
    let path = format!("/models/{model}:streamGenerateContent?alt=sse");
    Spelled::new(call, path, "contents", contents, body)
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

fn parse_frame(frame: &Value) -> FrameContent {
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
                state: keys(part, |key, _| !["functionCall", "text", "thought"].contains(&key)),
                ..AskedPart::default()
            });
        } else {
            // signatures of text
            let others = keys(part, |key, _| !["text", "thought"].contains(&key));
            state::merge(&mut heard.state, &others);
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
