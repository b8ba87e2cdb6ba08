//! Tools on the wire: the parts of tools, requests and results for each format, and the requests of a frame.
//!
//! A server's requests are limited before they are stored, and ids chosen by the server are never sent back.

use super::content::{AskedPart, Call, keys, text_at};
use super::state;
use crate::model::tool::{ToolRequest, ToolRound, ToolRun};
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
        self.bytes += part.name.len() + part.arguments.len() + part.id.len();
        if self.bytes > BYTES_MAX {
            return;
        }
        let room = self.parts.len() < REQUESTS_MAX;
        match self.belongs_to(&part).and_then(|at| self.parts.get_mut(at)) {
            Some(known) => {
                // some servers repeat the name and the id in every part
                if known.name.is_empty() {
                    known.name = part.name;
                }
                if known.id.is_empty() {
                    known.id = part.id;
                }
                known.arguments.push_str(&part.arguments);
                state::merge(&mut known.state, &part.state);
            }
            None if room => self.parts.push(part),
            None => {}
        }
    }

    /// Returns the request that a part continues: the one with its id, else with its index, else the last.
    fn belongs_to(&self, part: &AskedPart) -> Option<usize> {
        let last = self.parts.len().checked_sub(1)?;
        if part.is_whole {
            return None;
        }
        if !part.id.is_empty() {
            // requests with the same id at different indexes are different requests
            let agrees = |known: &AskedPart| {
                known.index.is_none() || part.index.is_none() || known.index == part.index
            };
            let same = |known: &AskedPart| known.id == part.id && agrees(known);
            // an id that comes late belongs to the request with its index, as long as that has none
            let late = |known: &AskedPart| {
                known.id.is_empty() && known.index.is_some() && known.index == part.index
            };
            return self.parts.iter().rposition(same).or_else(|| self.parts.iter().rposition(late));
        }
        if part.index.is_some() {
            return self.parts.iter().rposition(|known| known.index == part.index);
        }
        // without id and index a new name begins a request
        let begins = !part.name.is_empty() && self.parts.get(last)?.is_complete();
        (!begins).then_some(last)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the requests. Arguments that are not valid JSON stay text.
    pub(super) fn finish(self) -> Vec<ToolRequest> {
        let request = |part: AskedPart| {
            let arguments = arguments(&part.arguments);
            ToolRequest { tool: part.name.into(), arguments }
        };
        self.parts.into_iter().map(request).collect()
    }

    /// Returns the data of each request that has to come back with its result.
    pub(super) fn states(&self) -> Vec<Value> {
        self.parts.iter().map(|part| part.state.clone()).collect()
    }
}

impl AskedPart {
    /// Returns whether nothing can continue the arguments.
    fn is_complete(&self) -> bool {
        !self.name.is_empty()
            && (self.arguments.trim().is_empty()
                || serde_json::from_str::<Value>(&self.arguments).is_ok())
    }
}

/// Parses arguments: nothing and null mean none. Some servers begin with an empty object and send the arguments behind
/// it, or spell the object as a text; invalid JSON stays text.
fn arguments(text: &str) -> Value {
    let behind = text.trim().strip_prefix("{}").map(str::trim).filter(|rest| !rest.is_empty());
    let behind = behind.and_then(|rest| serde_json::from_str(rest).ok()).filter(Value::is_object);
    match behind.or_else(|| serde_json::from_str(text).ok()) {
        _ if text.trim().is_empty() => json!({}),
        Some(Value::Null) => json!({}),
        Some(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(object @ Value::Object(_)) => object,
            Ok(_) | Err(_) => inner.into(),
        },
        Some(read) => read,
        None => text.into(),
    }
}

/// Keywords of a schema with alternatives, which some providers do not take at the top.
const ALTERNATIVES: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// Maximum number of references from one definition of a schema to the next.
const REFS_MAX: usize = 8;

/// Returns a part of a schema, or the definition in it that the part refers to.
fn resolved<'s>(part: &'s Value, schema: &'s Value) -> &'s Value {
    let next = |at: &&Value| schema.pointer(at["$ref"].as_str()?.strip_prefix('#')?);
    std::iter::successors(Some(part), next).take(REFS_MAX).last().unwrap_or(part)
}

/// Completes the schema of a tool's arguments: an object with `type` and `properties` at the top. Alternatives at the
/// top become one object with the properties of all, and a reference becomes its definition.
pub(super) fn completed(schema: &Value) -> Value {
    let mut whole = resolved(schema, schema).as_object().cloned().unwrap_or_default();
    for (key, value) in schema.as_object().into_iter().flatten() {
        // the definitions may refer to each other
        whole.entry(key).or_insert_with(|| value.clone());
    }
    whole.shift_remove("$ref");
    let others = ALTERNATIVES.into_iter().filter_map(|key| whole.shift_remove(key));
    let others: Vec<Value> =
        others.filter_map(|all| Some(all.as_array()?.clone())).flatten().collect();
    let others = others.iter().map(|other| resolved(other, schema));
    let own = whole.get("properties").and_then(Value::as_object);
    let mut properties = own.cloned().unwrap_or_default();
    for part in std::iter::once(schema).chain(others) {
        for (name, property) in part["properties"].as_object().into_iter().flatten() {
            properties.entry(name.clone()).or_insert_with(|| property.clone());
        }
    }
    if whole.get("type").is_none_or(|kind| kind != "object") {
        whole.insert("type".into(), "object".into());
    }
    whole.insert("properties".into(), properties.into());
    whole.into()
}

/// Returns the tools of a call, with their schemas under the key of the format; `None` without any.
pub(super) fn offered(call: &Call, key: &str) -> Option<Vec<Value>> {
    let tools = call.tools.iter();
    let offered = tools.map(|tool| json!({"name": tool.name, "description": tool.description, key: completed(&tool.parameters)}));
    (!call.tools.is_empty()).then(|| offered.collect())
}

/// Returns the tools of a call as functions, in the format of OpenAI and Ollama.
pub(super) fn functions(call: &Call) -> Option<Value> {
    let function = |function| json!({"type": "function", "function": function});
    Some(offered(call, "parameters")?.into_iter().map(function).collect())
}

/// A request of an earlier answer, with its result.
pub(super) struct PastRequest<'a> {
    /// Id in this call; a model never chooses it.
    pub id: String,
    /// Name of the tool.
    pub tool: &'a str,
    /// Arguments as an object, as most formats require. Others have been rejected before.
    pub arguments: Value,
    /// Arguments as text, as they came.
    pub text: String,
    /// Result for the model.
    pub result: String,
    /// True unless the tool succeeded.
    pub failed: bool,
    /// Data of the server that goes back with the request.
    pub state: &'a Value,
}

pub(super) fn past<'a>(round: &'a ToolRound, call: &Call) -> Vec<PastRequest<'a>> {
    let state = &state::own(round, call)["calls"];
    let past = round.runs.iter().enumerate().map(|(at, run)| {
        let given = &run.request.arguments;
        PastRequest {
            id: round.id(at),
            tool: &run.request.tool,
            arguments: if given.is_object() { given.clone() } else { json!({}) },
            text: given.to_string(),
            result: result_text(run),
            failed: run.returned.as_ref().is_none_or(|(is, _)| *is != Default::default()),
            state: &state[at],
        }
    });
    past.collect()
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
        let known = ["index", "id", "type", "function"];
        AskedPart {
            is_whole: false,
            id: text_at(&call["id"]),
            index: call["index"].as_u64(),
            name: text_at(&function["name"]),
            arguments,
            state: keys(call, |key, _| !known.contains(&key)),
        }
    };
    calls.as_array().into_iter().flatten().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Message, ModelSpec, Role, Seq, Tool, ToolOutcome, Wire};
    use crate::voice::remote::adaptation::Adaptations;
    use crate::voice::remote::wire::code;

    /// Serialises a call that offers a tool and contains one finished request.
    fn spelled(wire: Wire) -> Value {
        let messages = [Message::new(Role::User, "Look.")];
        let request = ToolRequest { tool: "list_dir".into(), arguments: json!({"path": "a"}) };
        let returned = Some((ToolOutcome::Failed, "gone".into()));
        let runs = vec![ToolRun { request, called: Some(Seq(8)), returned }];
        let rounds = [ToolRound { asked: Seq(7), said: "Well.".into(), state: Value::Null, runs }];
        let tools = [Tool::built_in("list_dir").unwrap()];
        let spec = ModelSpec::default();
        let schema = None;
        let window = None;
        let adapted = &Adaptations::default();
        let identity = "x:m";
        let model = "m";
        let messages = &messages;
        let spec = &spec;
        let tools = &tools;
        let rounds = &rounds;
        let call = Call { model, messages, spec, schema, window, tools, rounds, identity, adapted };
        serde_json::from_str(&(code(wire).spell)(&call).body).unwrap()
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
                (code(wire).parse_frame)(frame).asked.into_iter().for_each(|part| asked.push(part));
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

    /// Returns the requests in parts of OpenAI's format.
    fn joined(calls: &[Value]) -> Vec<(String, Value)> {
        let mut asked = Asked::default();
        for call in calls {
            of_calls(&json!([call])).into_iter().for_each(|part| asked.push(part));
        }
        asked.finish().into_iter().map(|r| (r.tool.to_string(), r.arguments)).collect()
    }

    #[test]
    fn fragments_belong_together_by_id_index_or_order() {
        let part = |keys: Value, name: &str, arguments: Value| {
            let mut call = keys;
            call["function"] = json!({"arguments": arguments});
            if !name.is_empty() {
                call["function"]["name"] = name.into();
            }
            call
        };
        let one = [("a".to_owned(), json!({"x": 1}))];
        let two = [("a".to_owned(), json!({"x": 1})), ("b".to_owned(), json!({"y": 2}))];
        // only the first part has an id, and none has an index
        let parts =
            [part(json!({"id": "c"}), "a", "".into()), part(json!({}), "", "{\"x\":".into())];
        assert_eq!(joined(&[&parts[..], &[part(json!({}), "", "1}".into())]].concat()), one);
        // every part repeats its id and its name
        let again = |id: &str, name: &str, text: &str| part(json!({"id": id}), name, text.into());
        let parts = [
            again("c", "a", "{\"x\":"),
            again("d", "b", "{\"y\":2"),
            again("c", "a", "1}"),
            again("d", "b", "}"),
        ];
        assert_eq!(joined(&parts), two);
        // new ids at one index are new requests
        let at = |id: &str, name: &str, text: &str| {
            part(json!({"id": id, "index": 0}), name, text.into())
        };
        assert_eq!(joined(&[at("c", "a", "{\"x\":1}"), at("d", "b", "{\"y\":2}")]), two);
        // whole requests without id and index
        let whole = |name: &str, value: Value| part(json!({}), name, value);
        assert_eq!(joined(&[whole("a", json!({"x": 1})), whole("b", json!({"y": 2}))]), two);
    }

    #[test]
    fn arguments_may_be_nothing_null_an_object_or_behind_an_empty_one() {
        for (arguments, expected) in [
            (json!("null"), json!({})),
            (Value::Null, json!({})),
            (json!(" "), json!({})),
            (json!("{}"), json!({})),
            (json!({"x": 1}), json!({"x": 1})),
            (json!("{}{\"x\": 1}"), json!({"x": 1})),
            (json!("{}{"), json!("{}{")),
            (json!("\"{\\\"x\\\": 1}\""), json!({"x": 1})),
            (json!("\"so\""), json!("so")),
            (json!("[1]"), json!([1])),
        ] {
            let call = json!({"index": 0, "function": {"name": "a", "arguments": arguments}});
            assert_eq!(joined(&[call])[0].1, expected, "{arguments}");
        }
    }

    #[test]
    fn schemas_are_objects_with_properties_when_they_leave() {
        let empty = json!({"type": "object", "properties": {}});
        for (schema, expected) in [
            (json!({}), empty.clone()),
            (Value::Null, empty.clone()),
            (json!({"type": "object"}), empty.clone()),
            (json!({"type": ["object", "null"], "properties": {}}), empty.clone()),
            (json!({"anyOf": [{"type": "object"}, {"type": "object"}]}), empty),
            (
                json!({"oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {}}}]}),
                json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}}),
            ),
            (
                json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}),
                json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}),
            ),
            (json!({"$ref": "#"}), json!({"type": "object", "properties": {}})),
            (json!({"$ref": "https://x.test/y"}), json!({"type": "object", "properties": {}})),
            (
                json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"},
                    "B": {"type": "object", "properties": {"a": {"$ref": "#/$defs/C"}}, "required": ["a"]},
                    "C": {"type": "string"}}}),
                json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/C"}}, "required": ["a"],
                    "$defs": {"A": {"$ref": "#/$defs/B"},
                    "B": {"type": "object", "properties": {"a": {"$ref": "#/$defs/C"}}, "required": ["a"]},
                    "C": {"type": "string"}}}),
            ),
            (
                json!({"$ref": "#/$defs/A", "properties": {"b": {}}, "$defs": {"A": {"properties": {"a": {}}}}}),
                json!({"properties": {"a": {}, "b": {}}, "$defs": {"A": {"properties": {"a": {}}}}, "type": "object"}),
            ),
            (
                json!({"anyOf": [{"$ref": "#/definitions/A"}], "definitions": {"A": {"properties": {"a": {}}}}}),
                json!({"definitions": {"A": {"properties": {"a": {}}}}, "type": "object", "properties": {"a": {}}}),
            ),
        ] {
            assert_eq!(completed(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn data_of_a_server_goes_back_to_its_own_model_only() {
        let run = |name: &str| ToolRun {
            request: ToolRequest { tool: name.into(), arguments: json!({}) },
            called: Some(Seq(8)),
            returned: Some((ToolOutcome::Done, "ok".into())),
        };
        let calls = vec![json!({"thoughtSignature": "c2ln"})];
        let state = state::logged("x:m", json!({"reasoning_content": "Hm."}), calls);
        let rounds = [ToolRound { asked: Seq(7), said: "".into(), state, runs: vec![run("a")] }];
        let spelled = |wire: Wire, identity: &str| {
            let call = Call {
                model: "m",
                messages: &[],
                spec: &ModelSpec::default(),
                schema: None,
                window: None,
                tools: &[],
                rounds: &rounds,
                identity,
                adapted: &Adaptations::default(),
            };
            (code(wire).spell)(&call).body
        };
        for (wire, text) in
            [(Wire::OpenAi, "\"reasoning_content\":\"Hm.\""), (Wire::Gemini, "c2ln")]
        {
            assert!(spelled(wire, "x:m").contains(text), "{wire:?}");
            assert!(!spelled(wire, "x:other").contains(text), "{wire:?}");
        }
        let large = state::logged("x:m", "x".repeat(state::STATE_MAX).into(), vec![]);
        assert_eq!(large, Value::Null);
    }

    #[test]
    fn a_flood_of_requests_is_bounded_and_broken_arguments_stay_text() {
        let mut asked = Asked::default();
        for index in 0..100_000 {
            let name = "a".to_owned();
            let arguments = "{".to_owned();
            asked.push(AskedPart {
                index: Some(index << 40),
                name,
                arguments,
                ..AskedPart::default()
            });
        }
        let requests = asked.finish();
        assert_eq!((requests.len(), &requests[0].arguments), (REQUESTS_MAX, &json!("{")));
        let mut asked = Asked::default();
        for _ in 0..100 {
            let arguments = "x".repeat(64 << 10);
            asked.push(AskedPart { index: Some(0), arguments, ..AskedPart::default() });
        }
        assert!(asked.parts[0].arguments.len() <= BYTES_MAX);
    }
}
