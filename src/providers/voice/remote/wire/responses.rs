//! OpenAI's Responses API. Nothing is stored at the server: encrypted reasoning comes back with the results of tools.

use crate::model::{Role, ToolRound};
use crate::voice::remote::content::{AskedPart, Call, FrameContent, Spelled, text_at};
use crate::voice::remote::{ends, state, tools};
use serde_json::{Map, Value, json};

/// Keys of a reasoning item that go back; its others are the server's notes.
const REASONING: [&str; 5] = ["type", "id", "summary", "content", "encrypted_content"];

pub(super) fn spell(call: &Call) -> Spelled {
    let role = |role| match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let said = call.messages.iter().filter(|m| m.role != Role::System);
    let mut input: Vec<Value> =
        said.map(|m| json!({"role": role(m.role), "content": m.text})).collect();
    call.rounds.iter().for_each(|round| add_round(round, call, &mut input));
    let mut body = json!({
        "model": call.model, "stream": true, "store": false, "include": ["reasoning.encrypted_content"],
    });
    let system = call.messages.iter().filter(|m| m.role == Role::System);
    let system: Vec<&str> = system.map(|m| &*m.text).collect();
    if !system.is_empty() {
        body["instructions"] = json!(system.join("\n\n"));
    }
    let spec = call.spec;
    for (key, value) in [("temperature", spec.temperature), ("top_p", spec.top_p)] {
        if let Some(value) = value {
            body[key] = json!(value);
        }
    }
    if let Some(max) = call.most_tokens() {
        body["max_output_tokens"] = json!(max);
    }
    if let Some(effort) = &spec.effort {
        body["reasoning"] = json!({"effort": effort});
    }
    if !call.tools.is_empty() {
        let offered = call.tools.iter().map(|tool| {
            json!({
                "type": "function", "name": tool.name, "description": tool.description,
                "parameters": tools::completed(&tool.parameters), "strict": false,
            })
        });
        body["tools"] = offered.collect();
    }
    if let Some(schema) = call.schema {
        let format = json!({"type": "json_schema", "name": "reply", "schema": schema});
        body["text"] = json!({ "format": format });
    }
    Spelled::new(call, "/responses", "input", input, body)
}

/// Adds the items of a round in their order, with each reasoning item at its index, and the results.
fn add_round(round: &ToolRound, call: &Call, input: &mut Vec<Value>) {
    let mut items = vec![];
    if !round.said.trim().is_empty() {
        items.push(json!({"role": "assistant", "content": round.said}));
    }
    items.extend(round.runs.iter().enumerate().map(|(at, run)| {
        json!({
            "type": "function_call", "call_id": round.id(at), "name": run.request.tool,
            "arguments": run.request.arguments.to_string(),
        })
    }));
    let kept = state::of_turn(round, call)["items"].as_array();
    let mut kept: Vec<&Value> = kept.into_iter().flatten().collect();
    kept.sort_by_key(|kept| kept["index"].as_u64());
    for kept in kept {
        let index = kept["index"].as_u64().and_then(|at| usize::try_from(at).ok());
        items.insert(index.unwrap_or(0).min(items.len()), kept["item"].clone());
    }
    input.append(&mut items);
    input.extend(round.runs.iter().enumerate().map(|(at, run)| {
        let result = tools::result_text(run);
        json!({"type": "function_call_output", "call_id": round.id(at), "output": result})
    }));
}

pub(super) fn parse_frame(frame: &Value) -> FrameContent {
    let mut heard = FrameContent::default();
    match frame["type"].as_str().unwrap_or_default() {
        "response.output_text.delta" | "response.refusal.delta" => {
            heard.say = text_at(&frame["delta"]);
        }
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            heard.think = text_at(&frame["delta"]);
        }
        "response.output_item.done" => add_item(frame, &mut heard),
        "response.completed" | "response.incomplete" | "response.failed" => {
            add_end(&frame["response"], &mut heard);
        }
        "error" => heard.error = Some(frame.clone()),
        _ => {}
    }
    heard
}

/// Adds a complete item. Text is left out: it has arrived in pieces.
fn add_item(frame: &Value, heard: &mut FrameContent) {
    let item = &frame["item"];
    if item["type"] == "function_call" {
        heard.asked.push(AskedPart {
            is_whole: true,
            name: text_at(&item["name"]),
            arguments: text_at(&item["arguments"]),
            ..AskedPart::default()
        });
    }
    // without its content the server cannot find a reasoning item, because it stores none
    let has_content = item["encrypted_content"].is_string()
        || item["content"].as_array().is_some_and(|content| !content.is_empty());
    if item["type"] == "reasoning" && has_content {
        let keys = item.as_object().into_iter().flatten();
        let kept = keys.filter(|(key, value)| REASONING.contains(&&***key) && !value.is_null());
        let kept: Map<String, Value> = kept.map(|(k, v)| (k.clone(), v.clone())).collect();
        heard.state = json!({"items": [{"index": frame["output_index"], "item": kept}]});
    }
}

fn add_end(response: &Value, heard: &mut FrameContent) {
    let usage = &response["usage"];
    heard.input = usage["input_tokens"].as_u64();
    heard.output = usage["output_tokens"].as_u64();
    let why = &response["incomplete_details"]["reason"];
    heard.finish = ends::common(why).or_else(|| ends::common(&response["status"]));
    heard.error = Some(&response["error"]).filter(|error| !error.is_null()).cloned();
    heard.over = true;
}
