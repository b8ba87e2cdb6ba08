//! Tools on the wire: serialises tools, requests and results for each format, and parses the requests of a frame.
//!
//! A server's requests are limited before they are stored, and ids chosen by the server are never sent back.

use super::content::{AskedPart, Call, ChatMessage, text_at};
use crate::model::tool::{Tool, ToolRequest, ToolRun};
use serde_json::{Value, json};

/// Maximum number of requests kept of one answer.
pub(super) const REQUESTS_MAX: usize = 16;
/// Maximum bytes of names and arguments kept of one answer.
pub(super) const BYTES_MAX: usize = 256 << 10;

/// Requests of an answer so far.
#[derive(Debug, Default)]
pub(super) struct Asked {
    parts: Vec<AskedPart>,
    bytes: usize,
}

impl Asked {
    /// Adds a part. Parts over the limits are dropped, which leaves invalid JSON as arguments.
    pub(super) fn push(&mut self, part: AskedPart) {
        self.bytes += part.name.len() + part.arguments.len();
        if self.bytes > BYTES_MAX {
            return;
        }
        let room = self.parts.len() < REQUESTS_MAX;
        let same = |known: &&mut AskedPart| part.index.is_some() && known.index == part.index;
        match self.parts.iter_mut().find(same) {
            Some(known) => {
                known.name.push_str(&part.name);
                known.arguments.push_str(&part.arguments);
            }
            None if room => self.parts.push(part),
            None => {}
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the requests. Arguments that are not valid JSON stay text.
    pub(super) fn finish(self) -> Vec<ToolRequest> {
        let request = |part: AskedPart| {
            let empty = part.arguments.trim().is_empty();
            let arguments = if empty { "{}" } else { part.arguments.as_str() };
            let arguments = serde_json::from_str(arguments)
                .unwrap_or_else(|_| Value::String(part.arguments.clone()));
            ToolRequest { tool: part.name.into(), arguments }
        };
        self.parts.into_iter().map(request).collect()
    }
}

/// Serialises the tools of a call as functions, in the format of OpenAI and Ollama.
pub(super) fn functions(call: &Call) -> Option<Value> {
    let function = |tool: &Tool| {
        let function = json!({
            "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        });
        json!({"type": "function", "function": function})
    };
    (!call.tools.is_empty()).then(|| call.tools.iter().map(function).collect())
}

/// Adds tool requests and results in OpenAI's format.
pub(super) fn openai(call: &Call, messages: &mut Vec<ChatMessage<'_>>) {
    for round in call.rounds {
        let asked = |(at, run): (usize, &ToolRun)| {
            let arguments = run.request.arguments.to_string();
            let function = json!({"name": run.request.tool, "arguments": arguments});
            json!({"id": round.id(at), "type": "function", "function": function})
        };
        let asked: Vec<Value> = round.runs.iter().enumerate().map(asked).collect();
        let said = json!({"role": "assistant", "content": round.said, "tool_calls": asked});
        messages.push(ChatMessage::Other(said));
        for (at, run) in round.runs.iter().enumerate() {
            let result = result_text(run);
            let told = json!({"role": "tool", "tool_call_id": round.id(at), "content": result});
            messages.push(ChatMessage::Other(told));
        }
    }
}

/// Adds tool requests and results in Ollama's format.
pub(super) fn ollama(call: &Call, messages: &mut Vec<ChatMessage<'_>>) {
    for round in call.rounds {
        let asked = |run: &ToolRun| json!({"function": {"name": run.request.tool, "arguments": object(&run.request.arguments)}});
        let asked: Vec<Value> = round.runs.iter().map(asked).collect();
        let said = json!({"role": "assistant", "content": round.said, "tool_calls": asked});
        messages.push(ChatMessage::Other(said));
        for run in &round.runs {
            let name = &run.request.tool;
            let told = json!({"role": "tool", "tool_name": name, "content": result_text(run)});
            messages.push(ChatMessage::Other(told));
        }
    }
}

/// Adds tool requests and results in Anthropic's format.
pub(super) fn anthropic(call: &Call, messages: &mut Vec<Value>) {
    for round in call.rounds {
        let speaks = !round.said.trim().is_empty();
        let said = speaks.then(|| json!({"type": "text", "text": round.said}));
        let asked = round.runs.iter().enumerate().map(|(at, run)| {
            let input = object(&run.request.arguments);
            json!({"type": "tool_use", "id": round.id(at), "name": run.request.tool, "input": input})
        });
        let content: Vec<Value> = said.into_iter().chain(asked).collect();
        messages.push(json!({"role": "assistant", "content": content}));
        let results = round.runs.iter().enumerate().map(|(at, run)| {
            let failed = run.returned.as_ref().is_none_or(|(is, _)| *is != Default::default());
            json!({
                "type": "tool_result", "tool_use_id": round.id(at), "content": result_text(run), "is_error": failed,
            })
        });
        messages.push(json!({"role": "user", "content": results.collect::<Vec<_>>()}));
    }
}

/// Adds tool requests and results in Google's format.
pub(super) fn gemini(call: &Call, contents: &mut Vec<Value>) {
    for round in call.rounds {
        let speaks = !round.said.trim().is_empty();
        let said = speaks.then(|| json!({"text": round.said}));
        let asked = round.runs.iter().map(|run| {
            let call = json!({"name": run.request.tool, "args": object(&run.request.arguments)});
            json!({"functionCall": call})
        });
        let parts: Vec<Value> = said.into_iter().chain(asked).collect();
        contents.push(json!({"role": "model", "parts": parts}));
        let results = round.runs.iter().map(|run| {
            let response =
                json!({"name": run.request.tool, "response": {"result": result_text(run)}});
            json!({"functionResponse": response})
        });
        contents.push(json!({"role": "user", "parts": results.collect::<Vec<_>>()}));
    }
}

/// Returns arguments as an object, as these formats require. Others have been rejected before.
fn object(arguments: &Value) -> Value {
    if arguments.is_object() { arguments.clone() } else { json!({}) }
}

/// Returns the text for the model about a request: its result, or its outcome and result.
fn result_text(run: &ToolRun) -> String {
    match &run.returned {
        Some((is, text)) if *is == Default::default() => text.to_string(),
        Some((is, text)) => format!("{}: {text}", is.as_str()),
        None => String::new(),
    }
}

/// Parses the parts of requests in a list of calls: fragments from OpenAI, whole calls from Ollama.
pub(super) fn of_calls(calls: &Value) -> Vec<AskedPart> {
    let part = |call: &Value| {
        let function = &call["function"];
        let arguments = match &function["arguments"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            whole => whole.to_string(),
        };
        AskedPart { index: call["index"].as_u64(), name: text_at(&function["name"]), arguments }
    };
    calls.as_array().into_iter().flatten().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Message, ModelSpec, Role, Seq, ToolOutcome, ToolRound, Wire};
    use crate::voice::remote::wire::WireFormat;

    /// Serialises a call that offers a tool and contains one finished request.
    fn spelled(wire: Wire) -> Value {
        let messages = [Message::new(Role::User, "Look.")];
        let request = ToolRequest { tool: "list_dir".into(), arguments: json!({"path": "a"}) };
        let returned = Some((ToolOutcome::Failed, "gone".into()));
        let runs = vec![ToolRun { request, called: Some(Seq(8)), returned }];
        let rounds = [ToolRound { asked: Seq(7), said: "Well.".into(), runs }];
        let tools = [Tool::built_in("list_dir").unwrap()];
        let spec = ModelSpec::default();
        let schema = None;
        let window = None;
        let provider = "x";
        let model = "m";
        let messages = &messages;
        let spec = &spec;
        let tools = &tools;
        let rounds = &rounds;
        let call = Call { model, messages, spec, schema, window, tools, rounds, provider };
        serde_json::from_str(&wire.spell(&call).body).unwrap()
    }

    #[test]
    fn every_format_serialises_tools_and_their_results() {
        let body = spelled(Wire::OpenAi);
        assert_eq!(body["tools"][0]["function"]["name"], "list_dir");
        let asked = &body["messages"][1]["tool_calls"][0];
        assert_eq!(
            (&asked["id"], &asked["function"]["arguments"]),
            (&"call_7_0".into(), &r#"{"path":"a"}"#.into())
        );
        assert_eq!(
            body["messages"][2],
            json!({"role": "tool", "tool_call_id": "call_7_0", "content": "failed: gone"})
        );
        let body = spelled(Wire::Anthropic);
        assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
        assert_eq!(body["messages"][1]["content"][1]["input"]["path"], "a");
        let result = &body["messages"][2]["content"][0];
        assert_eq!(
            (&result["tool_use_id"], &result["is_error"]),
            (&"call_7_0".into(), &true.into())
        );
        let body = spelled(Wire::Gemini);
        assert_eq!(body["tools"][0]["functionDeclarations"][0]["name"], "list_dir");
        assert_eq!(body["contents"][1]["parts"][1]["functionCall"]["args"]["path"], "a");
        assert_eq!(
            body["contents"][2]["parts"][0]["functionResponse"]["response"]["result"],
            "failed: gone"
        );
        let body = spelled(Wire::Ollama);
        assert_eq!(body["messages"][1]["tool_calls"][0]["function"]["arguments"]["path"], "a");
        assert_eq!(body["messages"][2]["tool_name"], "list_dir");
    }

    #[test]
    fn every_format_asks_for_tools() {
        let check = |wire: Wire, frames: &[Value]| {
            let mut asked = Asked::default();
            for frame in frames {
                wire.parse_frame(frame).asked.into_iter().for_each(|part| asked.push(part));
            }
            let requests = asked.finish();
            let tools: Vec<(&str, &Value)> =
                requests.iter().map(|r| (&*r.tool, &r.arguments)).collect();
            assert_eq!(tools, [("a", &json!({"x": 1})), ("b", &json!({}))], "{wire:?}");
        };
        let openai = |calls: Value| json!({"choices": [{"delta": {"tool_calls": calls}}]});
        check(
            Wire::OpenAi,
            &[
                openai(
                    json!([{"index": 0, "id": "i", "function": {"name": "a", "arguments": ""}}]),
                ),
                openai(json!([{"index": 0, "function": {"arguments": "{\"x\":"}}])),
                openai(json!([
                    {"index": 0, "function": {"arguments": " 1}"}},
                    {"index": 1, "function": {"name": "b"}},
                ])),
            ],
        );
        let start = |index: u32, name: &str| {
            let block = json!({"type": "tool_use", "id": "i", "name": name, "input": {}});
            json!({"type": "content_block_start", "index": index, "content_block": block})
        };
        let part = json!({
            "type": "content_block_delta", "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": "{\"x\": 1}"},
        });
        check(Wire::Anthropic, &[start(1, "a"), part, start(2, "b")]);
        let calls = json!([
            {"functionCall": {"name": "a", "args": {"x": 1}}}, {"functionCall": {"name": "b", "args": {}}},
        ]);
        check(Wire::Gemini, &[json!({"candidates": [{"content": {"parts": calls}}]})]);
        let call = |name: &str, arguments: Value| json!({"message": {"tool_calls": [{"function": {"index": 0, "name": name, "arguments": arguments}}]}});
        check(Wire::Ollama, &[call("a", json!({"x": 1})), call("b", json!({}))]);
    }

    #[test]
    fn a_flood_of_requests_is_bounded_and_broken_arguments_stay_text() {
        let mut asked = Asked::default();
        for index in 0..100_000 {
            let name = "a".to_owned();
            let arguments = "{".to_owned();
            asked.push(AskedPart { index: Some(index << 40), name, arguments });
        }
        let requests = asked.finish();
        assert_eq!((requests.len(), &requests[0].arguments), (REQUESTS_MAX, &json!("{")));
        let mut asked = Asked::default();
        for _ in 0..100 {
            let arguments = "x".repeat(64 << 10);
            asked.push(AskedPart { index: Some(0), name: String::new(), arguments });
        }
        assert!(asked.parts[0].arguments.len() <= BYTES_MAX);
    }
}
