//! OpenAI's Responses API. Nothing is stored at the server: encrypted reasoning comes back with the results of tools.

use crate::model::{ToolRound, Wire};
use crate::voice::remote::content::{
    AskedPart, Call, FrameContent, Spelled, WireCode, keys, text_at,
};
use crate::voice::remote::cure::has_error;
use crate::voice::remote::frames::Framing;
use crate::voice::remote::{ends, state, tools};
use serde_json::{Value, json};

/// Keys of a reasoning item that go back; its others are the server's notes.
const REASONING: [&str; 5] = ["type", "id", "summary", "content", "encrypted_content"];

pub(super) const CODE: WireCode = WireCode {
    framing: Framing::Events,
    spell,
    words: |_| None,
    parse_frame,
    list: "/models",
    version: "/v1",
    fetch: "",
    key: "",
    headers: &[],
};

fn spell(call: &Call) -> Spelled {
    let said = call.said("assistant").map(|(role, m)| json!({"role": role, "content": m.text}));
    let mut input: Vec<Value> = said.collect();
    call.rounds.iter().for_each(|round| add_round(round, call, &mut input));
    let tool = |tool| state::with(json!({"type": "function", "strict": false}), &tool);
    let tools =
        tools::offered(call, "parameters").map(|all| all.into_iter().map(tool).collect::<Value>());
    let schema = call.schema.map(
        |schema| json!({"format": {"type": "json_schema", "name": "reply", "schema": schema}}),
    );
    let mut body = json!({
        "model": call.model, "stream": true, "store": false, "include": ["reasoning.encrypted_content"],
        "instructions": call.system(), "tools": tools, "text": schema,
    });
    let effort = call.spec.effort.as_ref().map(|effort| json!({"effort": effort}));
    call.settings(Wire::Responses, effort, &mut body);
    Spelled::new(call, "/responses", "input", input, body)
}

/// Adds the items of a round in their order, with each reasoning item at its index, and the results.
fn add_round(round: &ToolRound, call: &Call, input: &mut Vec<Value>) {
    let mut items = vec![];
    if !round.said.trim().is_empty() {
        items.push(json!({"role": "assistant", "content": round.said}));
    }
    let past = tools::past(round, call);
    items.extend(past.iter().map(|run| {
        json!({
            "type": "function_call", "call_id": run.id, "name": run.tool, "arguments": run.text,
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
    input.extend(past.iter().map(
        |run| json!({"type": "function_call_output", "call_id": run.id, "output": run.result}),
    ));
}

fn parse_frame(frame: &Value) -> FrameContent {
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
        let kept = keys(item, |key, value| REASONING.contains(&key) && !value.is_null());
        heard.state = json!({"items": [{"index": frame["output_index"], "item": kept}]});
    }
}

fn add_end(response: &Value, heard: &mut FrameContent) {
    let usage = &response["usage"];
    heard.input = usage["input_tokens"].as_u64();
    heard.output = usage["output_tokens"].as_u64();
    let why = &response["incomplete_details"]["reason"];
    heard.finish = ends::common(why).or_else(|| ends::common(&response["status"]));
    heard.error = has_error(response).then(|| response["error"].clone());
    heard.over = true;
}
