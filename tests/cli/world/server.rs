//! A model server whose list, replies and refusals are data.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A provider: a file of `providers/`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// Wire format.
    pub wire: String,
    /// Path of its API.
    #[serde(default)]
    pub path: String,
    /// Query of its address, with its `?`.
    #[serde(default)]
    pub query: String,
    /// Name of the model.
    pub model: String,
    /// Body of the list of models; `None` for the usual one.
    pub list: Option<String>,
    /// Status of the list.
    #[serde(default = "success")]
    pub list_status: u16,
    /// Settings of the provider, as lines of its table.
    #[serde(default)]
    pub own: String,
    /// Header with the key that requests need, as in `api-key: k-123`.
    #[serde(default)]
    pub header: String,
    /// Settings of the participant, as lines of a scenario.
    #[serde(default)]
    pub settings: String,
    #[serde(default)]
    pub refuse: Vec<Refuse>,
    /// Keys beside a tool request, which have to come back with its result.
    #[serde(default)]
    pub call_state: Map<String, Value>,
    /// Keys of the answer that have to come back with the results.
    #[serde(default)]
    pub turn_state: Map<String, Value>,
    /// Form of a tool request: whole, or in fragments with an `index`, an `id`, or neither.
    #[serde(default)]
    pub fragments: String,
    /// Finish reasons of its API.
    pub ends: Ends,
    /// True if its list states no window of a model.
    #[serde(default)]
    pub states_no_window: bool,
    /// Description of a model, in Ollama's format.
    #[serde(default)]
    pub show: String,
    /// Finish reason of the last reply; empty for the usual one.
    #[serde(default)]
    pub finish: String,
    /// True if its answers are in gzip, although nobody asks for it.
    #[serde(default)]
    pub gzip: bool,
    /// True if its replies are reasoning alone.
    #[serde(default)]
    pub thinks_only: bool,
    pub expect: Expect,
}

fn success() -> u16 {
    200
}

/// Words of an API for the ends of a reply, [`NO_WORD`] for those without one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ends {
    pub stop: String,
    pub length: String,
    pub filter: String,
    pub tool: String,
}

/// Entry of an end that an API does not report.
pub const NO_WORD: &str = "none";

/// A refusal of requests that have or lack a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refuse {
    pub has: String,
    pub status: u16,
    pub body: String,
}

/// What a run shows.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// Changes of requests, in order.
    pub adapted: Vec<String>,
    /// Refused requests of the first run.
    pub refused: usize,
    /// Window of the model, as the server states it.
    pub window: Option<u32>,
    /// Words on standard error.
    pub err: Vec<String>,
    /// Remark on the reply.
    pub mark: String,
}

/// Answered and refused requests.
#[derive(Debug, Default)]
pub struct Seen {
    pub bodies: Vec<Value>,
    pub paths: Vec<String>,
    pub refused: usize,
}

/// A running server.
pub struct World {
    /// Its address with its path and its query.
    pub url: String,
    pub seen: Arc<Mutex<Seen>>,
}

impl World {
    pub fn start(provider: Provider) -> World {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap();
        let url = format!("http://{host}{}{}", provider.path, provider.query);
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let kept = seen.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (provider, seen) = (provider.clone(), kept.clone());
                thread::spawn(move || answer(stream.unwrap(), &provider, &seen));
            }
        });
        World { url, seen }
    }
}

fn answer(stream: TcpStream, provider: &Provider, seen: &Mutex<Seen>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap_or(0);
    let mut length = 0;
    let mut has_key = provider.header.is_empty();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        has_key |= line.trim_end() == provider.header;
        if let Some(n) = line.to_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    if !has_key {
        return send(
            stream,
            provider,
            401,
            "application/json",
            r#"{"error":{"message":"no key"}}"#,
        );
    }
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    seen.lock().unwrap().paths.push(path.clone());
    let plain = path.split('?').next().unwrap();
    if first.starts_with("GET") {
        let listed = plain.strip_prefix(&*provider.path);
        let is_list = matches!(listed, Some("/models" | "/api/tags"));
        let (status, list) =
            if is_list { (provider.list_status, list(provider)) } else { (404, "{}".into()) };
        return send(stream, provider, status, "application/json", &list);
    }
    if plain.ends_with("/api/show") {
        return send(stream, provider, 200, "application/json", &provider.show);
    }
    let is_call =
        ["/chat/completions", "/responses", "/messages", "/api/chat", ":streamGenerateContent"]
            .iter()
            .any(|end| plain.ends_with(end));
    if !is_call || !plain.starts_with(&*provider.path) {
        return send(
            stream,
            provider,
            404,
            "application/json",
            r#"{"error":"404 page not found"}"#,
        );
    }
    let text = String::from_utf8(body).unwrap();
    let body: Value = serde_json::from_str(&text).unwrap();
    if let Some(no) = refusal(provider, &body, &text) {
        seen.lock().unwrap().refused += 1;
        return send(stream, provider, no.status, "application/json", &no.body);
    }
    seen.lock().unwrap().bodies.push(body.clone());
    let wire = if plain.ends_with("/responses") { "responses" } else { &provider.wire };
    let answered = has_results(&text);
    // tools in words are requested in words
    let in_words = text.contains("You can use these tools");
    let asks = (text.contains("\"weather\"") || in_words) && !answered;
    let frames =
        if asks && !in_words { tool_frames(provider, wire) } else { say_frames(provider, wire) };
    let request = |frame: &Value| {
        let request = r#"<tool_request>{\"name\":\"weather\",\"arguments\":{\"town\":\"Ulm\"}}</tool_request>"#;
        let frame = frame.to_string();
        let to = if asks && in_words { [request, ""] } else { ["Keep ", "them."] };
        frame.replace("Keep ", to[0]).replace("them.", to[1])
    };
    let frames: Vec<String> = frames.iter().map(request).collect();
    let (kind, all) = stream_of(wire, &frames);
    send(stream, provider, 200, kind, &all);
}

/// Returns the media type and the body of an answer with these frames.
pub fn stream_of(wire: &str, frames: &[String]) -> (&'static str, String) {
    if wire == "ollama" {
        return ("application/x-ndjson", frames.iter().map(|f| format!("{f}\n")).collect());
    }
    let mut all: String = frames.iter().map(|f| format!("data: {f}\n\n")).collect();
    if wire == "openai" {
        all.push_str("data: [DONE]\n\n");
    }
    ("text/event-stream", all)
}

/// Returns whether a request has results of tools.
fn has_results(text: &str) -> bool {
    let marks = [
        "<tool_result",
        "functionResponse",
        "\"tool_result\"",
        r#""role":"tool""#,
        "function_call_output",
    ];
    marks.iter().any(|mark| text.contains(mark))
}

fn send(mut stream: TcpStream, provider: &Provider, status: u16, kind: &str, body: &str) {
    let (coding, body) = if provider.gzip {
        ("Content-Encoding: gzip\r\n", gzip(body.as_bytes()))
    } else {
        ("", body.as_bytes().to_vec())
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n{coding}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // a client that has left needs no answer
    let _ = stream.write_all(&[head.into_bytes(), body].concat());
}

/// Returns a text in the form of gzip, in one block that is not compressed.
fn gzip(text: &[u8]) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap();
    let crc = !text.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    });
    let mut coded = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    coded.extend(length.to_le_bytes());
    coded.extend((!length).to_le_bytes());
    coded.extend(text);
    coded.extend(crc.to_le_bytes());
    coded.extend(u32::from(length).to_le_bytes());
    coded
}

/// Returns the first refusal that fits. State that does not come back with the results is refused like at the vendors.
fn refusal(provider: &Provider, body: &Value, text: &str) -> Option<Refuse> {
    let state = provider.call_state.iter().chain(&provider.turn_state);
    let answered = has_results(text);
    let lost = |(_, value): &(&String, &Value)| answered && !text.contains(&value.to_string());
    if let Some((key, _)) = { state }.find(lost) {
        let body = json!({"error": {"message": format!("Function call is missing its {key}")}});
        return Some(Refuse { has: key.clone(), status: 400, body: body.to_string() });
    }
    let fits = |no: &&Refuse| text.contains(&no.has) || body.get(&no.has).is_some();
    provider.refuse.iter().find(fits).cloned()
}

fn list(provider: &Provider) -> String {
    let name = &provider.model;
    let usual = match provider.wire.as_str() {
        "ollama" => json!({"models": [{"name": name}]}),
        "gemini" => json!({"models": [{"name": format!("models/{name}")}]}),
        _ => json!({"data": [{"id": name}]}),
    };
    provider.list.clone().unwrap_or_else(|| usual.to_string())
}

/// Text of every last reply.
pub const SAID: &str = "Keep them.";

/// Returns the frames of a reply with a finish reason, which is a status in the newer API of OpenAI.
pub fn say_frames(provider: &Provider, wire: &str) -> Vec<Value> {
    let ends = &provider.ends;
    let finish = if provider.finish.is_empty() { &ends.stop } else { &provider.finish };
    match wire {
        "responses" => {
            let is_complete = finish == "completed" || ends.stop != "completed";
            let end = match &**finish {
                _ if is_complete => json!({"status": "completed"}),
                why => json!({"status": "incomplete", "incomplete_details": {"reason": why}}),
            };
            let kind = if is_complete { "completed" } else { "incomplete" };
            vec![
                json!({"type": "response.created", "response": {"status": "in_progress", "error": null}}),
                json!({"type": "response.output_text.delta", "output_index": 0, "delta": "Keep "}),
                json!({"type": "response.output_text.delta", "output_index": 0, "delta": "them."}),
                json!({"type": "response.output_text.done", "output_index": 0, "text": SAID}),
                json!({"type": "response.output_item.done", "output_index": 0, "item":
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID}]}}),
                json!({"type": format!("response.{kind}"), "response": with(end, &usage())}),
            ]
        }
        "openai" if provider.thinks_only => vec![
            json!({"choices": [{"index": 0, "delta": {"reasoning_content": "Trams are quiet."}}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        ],
        "openai" => vec![
            json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Keep "}}]}),
            json!({"choices": [{"index": 0, "delta": {"content": "them."}}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}),
        ],
        "anthropic" => vec![
            json!({"type": "message_start", "message": {"usage": {"input_tokens": 9}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": SAID}}),
            json!({"type": "message_delta", "delta": {"stop_reason": finish}, "usage": {"output_tokens": 3}}),
            json!({"type": "message_stop"}),
        ],
        "gemini" => vec![
            json!({"candidates": [{"content": {"parts": [{"text": SAID}]}, "finishReason": finish}]}),
        ],
        _ => vec![
            json!({"message": {"content": SAID}}),
            json!({"message": {"content": ""}, "done": true, "done_reason": finish}),
        ],
    }
}

/// Tokens of a response.
fn usage() -> Map<String, Value> {
    let usage = json!({"usage": {"input_tokens": 9, "output_tokens": 3}});
    usage.as_object().unwrap().clone()
}

fn with(mut value: Value, more: &Map<String, Value>) -> Value {
    let into = value.as_object_mut().unwrap();
    into.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
    value
}

/// Returns the frames of a request for the tool.
pub fn tool_frames(provider: &Provider, wire: &str) -> Vec<Value> {
    let state = &provider.call_state;
    let usual = if wire == "anthropic" { "tool_use" } else { "tool_calls" };
    let own = &*provider.ends.tool;
    let finish = if own == NO_WORD || own == "completed" { usual } else { own };
    match wire {
        "responses" => {
            let done = |at: u32, item: Value| json!({"type": "response.output_item.done", "output_index": at, "item": item});
            let reasoning =
                json!({"type": "reasoning", "id": "rs_1", "summary": [], "status": "completed"});
            let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_x", "name": "weather",
                "arguments": "{\"town\":\"Ulm\"}", "status": "completed"});
            vec![
                json!({"type": "response.created", "response": {"status": "in_progress", "error": null}}),
                done(0, with(reasoning, &provider.turn_state)),
                json!({"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{\"town\":"}),
                done(1, call),
                json!({"type": "response.completed", "response": with(json!({"status": "completed"}), &usage())}),
            ]
        }
        "openai" => {
            let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
            let mut frames = vec![];
            if !provider.turn_state.is_empty() {
                frames.push(delta(provider.turn_state.clone().into()));
            }
            // key of each fragment of the request
            let keys: BTreeMap<&str, Value> = match provider.fragments.as_str() {
                "id" => BTreeMap::from([("id", "c1".into())]),
                "none" => BTreeMap::new(),
                _ => BTreeMap::from([("index", 0.into())]),
            };
            let part = |function: Value, first: bool| {
                let mut part = json!({"function": function});
                for (key, value) in &keys {
                    part[*key] = value.clone();
                }
                if first {
                    part["id"] = "c1".into();
                    part = with(part, state);
                }
                delta(json!({"tool_calls": [part]}))
            };
            if provider.fragments == "whole" {
                frames.push(part(json!({"name": "weather", "arguments": {"town": "Ulm"}}), true));
            } else {
                frames.push(part(json!({"name": "weather", "arguments": ""}), true));
                frames.push(part(json!({"arguments": "{\"town\":"}), false));
                frames.push(part(json!({"arguments": "\"Ulm\"}"}), false));
            }
            frames.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}));
            frames
        }
        "anthropic" => {
            let mut frames =
                vec![json!({"type": "message_start", "message": {"usage": {"input_tokens": 9}}})];
            for (key, value) in &provider.turn_state {
                let block = json!({"type": "thinking", "thinking": ""});
                frames.push(
                    json!({"type": "content_block_start", "index": 0, "content_block": block}),
                );
                frames.push(json!({"type": "content_block_delta", "index": 0, "delta": {"type": "x", key: value}}));
            }
            let block = json!({"type": "tool_use", "id": "i", "name": "weather", "input": {}});
            frames.push(json!({"type": "content_block_start", "index": 1, "content_block": block}));
            let part = json!({"type": "input_json_delta", "partial_json": "{\"town\":\"Ulm\"}"});
            frames.push(json!({"type": "content_block_delta", "index": 1, "delta": part}));
            frames.push(json!({"type": "message_delta", "delta": {"stop_reason": finish}, "usage": {"output_tokens": 3}}));
            frames.push(json!({"type": "message_stop"}));
            frames
        }
        "gemini" => {
            let call = json!({"functionCall": {"name": "weather", "args": {"town": "Ulm"}}});
            vec![
                json!({"candidates": [{"content": {"parts": [with(call, state)]}, "finishReason": finish}]}),
            ]
        }
        _ => {
            let call = json!({"function": {"name": "weather", "arguments": {"town": "Ulm"}}});
            vec![
                json!({"message": {"content": "", "tool_calls": [call]}}),
                json!({"message": {}, "done": true, "done_reason": finish}),
            ]
        }
    }
}
