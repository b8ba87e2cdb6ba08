//! Parts of a request and of an answer frame, shared by all wire formats.

use super::adaptation::{Adaptations, Cure};
use crate::model::{Message, ModelSpec, Role, Tool, ToolRound};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Value, json};

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
    /// intermediate copy of a long conversation.
    pub(super) fn new(
        call: &Call,
        path: impl Into<String>,
        key: &'static str,
        messages: impl Serialize,
        mut rest: Value,
    ) -> Spelled {
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

    /// Returns the messages as `role` and `content`, in OpenAI's format.
    pub(super) fn chat(&self) -> Vec<ChatMessage<'_>> {
        let role = |role| match role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let all = self.messages.iter();
        all.map(|m| ChatMessage::Said { role: role(m.role), content: &m.text }).collect()
    }

    /// Writes the configured sampling parameters under their usual names.
    pub(super) fn sampling(&self, into: &mut Value) {
        let spec = self.spec;
        let numbers = [
            ("temperature", spec.temperature),
            ("top_p", spec.top_p),
            ("frequency_penalty", spec.frequency_penalty),
            ("presence_penalty", spec.presence_penalty),
            // not part of OpenAI's format, but supported by local servers
            ("repeat_penalty", spec.repeat_penalty),
        ];
        for (key, value) in numbers {
            if let Some(value) = value {
                into[key] = json!(value);
            }
        }
        if !spec.stop.is_empty() {
            into["stop"] = json!(spec.stop);
        }
    }
}

/// Returns a text value, or an empty text.
pub(super) fn text_at(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
