//! Parts of a request and of an answer frame, shared by all wire formats.

use super::adaptation::{Adaptations, Cure, put};
use super::frames::Framing;
use super::known::{FieldRow, LIMIT};
use crate::model::{Message, ModelSpec, Role, Tool, ToolRound, Wire};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The code of a wire format.
pub(super) struct WireCode {
    /// Framing of an answer's stream.
    pub framing: Framing,
    /// Serialises a request.
    pub spell: fn(&Call) -> Spelled,
    /// Returns the text of a frame that contains nothing else; `None` if the whole frame has to be parsed to know.
    pub words: fn(&str) -> Option<Cow<'_, str>>,
    /// Returns the content of a frame; unknown fields are ignored.
    pub parse_frame: fn(&Value) -> FrameContent,
    /// Path of the model list.
    pub list: &'static str,
    /// Usual version in the path of an API.
    pub version: &'static str,
    /// Command that downloads a missing model; empty without one.
    pub fetch: &'static str,
    /// Header with the key; empty for a bearer token.
    pub key: &'static str,
    /// Headers that the format requires besides the key.
    pub headers: &'static [(&'static str, &'static str)],
}

/// Parameters of a request.
pub(super) struct Call<'a> {
    /// Name of the model, without its provider.
    pub model: &'a str,
    /// Whole prompt as chat messages.
    pub messages: &'a [Message],
    /// Sampling parameters, such as the temperature.
    pub spec: &'a ModelSpec,
    /// JSON Schema to which the server constrains the model.
    pub schema: Option<&'a Value>,
    /// Context window of the model in tokens.
    pub window: Option<u32>,
    /// Tools that the model may call.
    pub tools: &'a [Tool],
    /// Tool requests of this turn, with their results.
    pub rounds: &'a [ToolRound],
    /// The model with its provider, as in `openai:gpt-5`.
    pub identity: &'a str,
    /// Changes that the server needs.
    pub adapted: &'a Adaptations,
}

/// A serialised request: the path after the base URL, and the body as JSON.
pub(super) struct Spelled {
    pub path: String,
    pub body: String,
    /// The body without its messages.
    pub rest: Value,
    /// Changes that lost a setting of the author.
    pub lost: Vec<Cure>,
}

impl Spelled {
    /// Serialises a request with its messages under the `key` of the format. They are written once, without an
    /// intermediate copy of a long conversation. Keys with null are left out.
    pub(super) fn new(
        call: &Call,
        path: impl Into<String>,
        key: &'static str,
        messages: impl Serialize,
        mut rest: Value,
    ) -> Spelled {
        if let Some(keys) = rest.as_object_mut() {
            keys.retain(|_, value| !value.is_null());
        }
        let lost = call.adapted.apply(&mut rest);
        let body = serde_json::to_string(&Body { messages: (key, messages), rest: &rest });
        let body = body.expect("texts and JSON can always be spelled");
        Spelled { path: path.into(), body, rest, lost }
    }
}

struct Body<'a, M> {
    messages: (&'static str, M),
    rest: &'a Value,
}

impl<M: Serialize> Serialize for Body<'_, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(self.messages.0, &self.messages.1)?;
        for (key, value) in self.rest.as_object().into_iter().flatten() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// A chat message.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ChatMessage<'a> {
    /// A text message.
    Said { role: &'static str, content: &'a str },
    /// A tool request, or its result.
    Other(Value),
}

/// Part of a tool request, from one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AskedPart {
    /// True if it is a complete request, so that nothing else belongs to it.
    pub is_whole: bool,
    /// Id of the request; empty in later parts of most servers, and in all parts of some.
    pub id: String,
    /// Index of the request; `None` from servers that do not count.
    pub index: Option<u64>,
    /// Name of the tool; empty in later parts.
    pub name: String,
    /// Next part of the arguments as JSON.
    pub arguments: String,
    /// Unknown keys of the request, as an object; null without any.
    pub state: Value,
}

/// Content of one frame of an answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FrameContent {
    /// Text of the reply.
    pub say: String,
    /// Reasoning from a separate field.
    pub think: String,
    /// Finish reason, in OpenAI's terms.
    pub finish: Option<String>,
    /// Input tokens so far; `None` without a count in the frame.
    pub input: Option<u64>,
    /// Output tokens so far; `None` without a count in the frame.
    pub output: Option<u64>,
    /// Input tokens read from the server's cache and written to it.
    pub cache: Option<(u64, u64)>,
    /// True if the frame ends the reply.
    pub over: bool,
    /// Part of the data that has to come back with the results of tools; null in most frames.
    pub state: Value,
    /// Parts of tool requests, in the order of the frame.
    pub asked: Vec<AskedPart>,
    /// Failure of the model, as reported by the server.
    pub error: Option<Value>,
}

impl Call<'_> {
    /// Returns the maximum tokens of the answer. Every format counts reasoning tokens too.
    pub(super) fn most_tokens(&self) -> Option<u32> {
        let reply = self.spec.max_tokens?;
        Some(reply.saturating_add(self.spec.reasoning_tokens()))
    }

    /// Returns the instructions.
    pub(super) fn system(&self) -> Option<String> {
        let system = self.messages.iter().filter(|m| m.role == Role::System);
        let system: Vec<&str> = system.map(|m| &*m.text).collect();
        (!system.is_empty()).then(|| system.join("\n\n"))
    }

    /// Returns the messages without the instructions, with their roles.
    pub(super) fn said(
        &self,
        assistant: &'static str,
    ) -> impl Iterator<Item = (&'static str, &Message)> {
        self.messages.iter().filter_map(move |m| match m.role {
            Role::System => None,
            Role::User => Some(("user", m)),
            Role::Assistant => Some((assistant, m)),
        })
    }

    /// Returns the messages as `role` and `content`, in OpenAI's format.
    pub(super) fn chat(&self) -> Vec<ChatMessage<'_>> {
        let system = self.messages.iter().filter(|m| m.role == Role::System);
        let all = system.map(|m| ("system", m)).chain(self.said("assistant"));
        all.map(|(role, m)| ChatMessage::Said { role, content: &m.text }).collect()
    }

    /// Writes the settings of the seat at their places in a request, as far as the wire format has them. The effort is
    /// in the words of the format.
    pub(super) fn settings(&self, wire: Wire, effort: Option<Value>, body: &mut Value) {
        let spec = self.spec;
        let stop = (!spec.stop.is_empty()).then(|| json!(spec.stop));
        for (name, value) in [
            ("temperature", spec.temperature.map(Value::from)),
            ("top_p", spec.top_p.map(Value::from)),
            ("frequency_penalty", spec.frequency_penalty.map(Value::from)),
            ("presence_penalty", spec.presence_penalty.map(Value::from)),
            ("repeat_penalty", spec.repeat_penalty.map(Value::from)),
            ("seed", spec.seed.map(Value::from)),
            ("stop", stop),
            (LIMIT, self.most_tokens().map(Value::from)),
            ("effort", effort),
        ] {
            let path = FieldRow::by_name(name).and_then(|field| field.path(wire));
            if let (Some(path), Some(value)) = (path, value) {
                put(body, path, value);
            }
        }
    }
}

/// Returns the keys of an object that pass a test, with their values; null without any.
pub(super) fn keys(object: &Value, is_kept: impl Fn(&str, &Value) -> bool) -> Value {
    let all = object.as_object().into_iter().flatten().filter(|(key, value)| is_kept(key, value));
    let kept: Map<String, Value> = all.map(|(key, value)| (key.clone(), value.clone())).collect();
    if kept.is_empty() { Value::Null } else { kept.into() }
}

/// Returns a text value, or an empty text.
pub(super) fn text_at(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
