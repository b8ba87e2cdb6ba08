//! Valid streams of the wire formats, as servers send them.

use colloquium::voice::remote::Wire;
use serde_json::{Value, json};

/// A stream and its expected content.
pub struct Good {
    pub wire: Wire,
    pub text: String,
    pub say: &'static str,
    pub think: &'static str,
    pub input: u64,
    pub output: u64,
}

pub const SAY: &str = "Grüße, 你好 👩‍🚀!";
pub const THINK: &str = "Höflich grüßen …";
/// Text in pieces; one split is inside an emoji sequence.
const SAYS: [&str; 4] = ["Grüße, ", "你好 ", "👩\u{200d}", "🚀!"];
const THINKS: [&str; 2] = ["Höflich ", "grüßen …"];

/// Returns a server-sent event.
pub fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// Returns a frame with text, in OpenAI's format.
pub fn words(text: &str) -> String {
    delta(json!({"content": text}))
}

/// Returns a frame with a delta, in OpenAI's format.
pub fn delta(delta: Value) -> String {
    event(&json!({"id": "c1", "object": "chat.completion.chunk", "model": "tiny-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

/// Returns a frame with a finish reason, in OpenAI's format.
pub fn finish(reason: &str) -> String {
    event(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

pub const DONE: &str = "data: [DONE]\n\n";

/// Returns the frame with the usage, in OpenAI's format.
pub fn usage() -> String {
    event(&json!({"choices": [], "usage": {"prompt_tokens": 31, "completion_tokens": 12,
        "completion_tokens_details": {"reasoning_tokens": 4}}}))
}

pub fn openai() -> Good {
    let mut text = delta(json!({"role": "assistant", "content": null}));
    text.extend(THINKS.map(|t| delta(json!({"reasoning_content": t}))));
    text.extend(SAYS.map(words));
    text += &(finish("stop") + &usage() + DONE);
    Good { wire: Wire::OpenAi, text, say: SAY, think: THINK, input: 31, output: 12 }
}

pub fn anthropic() -> Good {
    let typed =
        |data: Value| format!("event: {}\n{}", data["type"].as_str().unwrap(), event(&data));
    let delta = |index: u8, delta: Value| {
        typed(json!({"type": "content_block_delta", "index": index, "delta": delta}))
    };
    let mut text = typed(
        json!({"type": "message_start", "message": {"id": "m1", "role": "assistant",
        "content": [], "usage": {"input_tokens": 20, "cache_read_input_tokens": 11, "output_tokens": 1}}}),
    );
    text += &typed(json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "thinking", "thinking": ""}}));
    text += &typed(json!({"type": "ping"}));
    text.extend(THINKS.map(|t| delta(0, json!({"type": "thinking_delta", "thinking": t}))));
    text += &delta(0, json!({"type": "signature_delta", "signature": "EqQBCgIYAhIM"}));
    text += &typed(json!({"type": "content_block_stop", "index": 0}));
    text += &typed(json!({"type": "content_block_start", "index": 1,
        "content_block": {"type": "text", "text": ""}}));
    text.extend(SAYS.map(|t| delta(1, json!({"type": "text_delta", "text": t}))));
    text += &typed(json!({"type": "content_block_stop", "index": 1}));
    text += &typed(json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
        "usage": {"output_tokens": 12}}));
    text += &typed(json!({"type": "message_stop"}));
    Good { wire: Wire::Anthropic, text, say: SAY, think: THINK, input: 31, output: 12 }
}

pub fn gemini() -> Good {
    let frame = |parts: Value, finish: Option<&str>, said: u64| {
        let mut frame = json!({"candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}],
            "usageMetadata": {"promptTokenCount": 31, "candidatesTokenCount": said, "thoughtsTokenCount": 4}});
        if let Some(finish) = finish {
            frame["candidates"][0]["finishReason"] = json!(finish);
        }
        event(&frame).replace('\n', "\r\n")
    };
    let mut text = String::new();
    text.extend(THINKS.map(|t| frame(json!([{"text": t, "thought": true}]), None, 0)));
    text.extend(SAYS[..3].iter().map(|t| frame(json!([{"text": t}]), None, 3)));
    text += &frame(json!([{"text": SAYS[3]}]), Some("STOP"), 8);
    Good { wire: Wire::Gemini, text, say: SAY, think: THINK, input: 31, output: 12 }
}

pub fn ollama() -> Good {
    let line = |message: Value| {
        format!("{}\n", json!({"model": "tiny-1", "message": message, "done": false}))
    };
    let mut text = String::new();
    text.extend(THINKS.map(|t| line(json!({"role": "assistant", "content": "", "thinking": t}))));
    text.extend(SAYS.map(|t| line(json!({"role": "assistant", "content": t}))));
    text += &format!(
        "{}\n",
        json!({"model": "tiny-1", "message": {"role": "assistant", "content": ""},
        "done": true, "done_reason": "stop", "total_duration": 5, "prompt_eval_count": 31, "eval_count": 12})
    );
    Good { wire: Wire::Ollama, text, say: SAY, think: THINK, input: 31, output: 12 }
}

pub fn responses() -> Good {
    let delta =
        |kind: &str, text: &str| event(&json!({"type": kind, "output_index": 1, "delta": text}));
    let mut text = event(
        &json!({"type": "response.created", "response": {"status": "in_progress", "error": null}}),
    );
    text.extend(THINKS.map(|t| delta("response.reasoning_summary_text.delta", t)));
    text.extend(SAYS.map(|t| delta("response.output_text.delta", t)));
    text += &event(&json!({"type": "response.output_text.done", "text": SAY}));
    text += &event(&json!({"type": "response.completed", "response": {"status": "completed",
        "usage": {"input_tokens": 31, "output_tokens": 12, "total_tokens": 43}}}));
    Good { wire: Wire::Responses, text, say: SAY, think: THINK, input: 31, output: 12 }
}

/// Returns a valid stream of each format.
pub fn all() -> [Good; 5] {
    [openai(), anthropic(), gemini(), ollama(), responses()]
}
