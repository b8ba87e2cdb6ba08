//! What the four wire formats have in common: how a call is asked for and what a frame of its answer can say.
//!
//! Each format is one file with a function for the request and one for a frame; both are pure.

use super::frames::Framing;
use super::{Endpoint, Wire, anthropic, gemini, ollama, openai};
use crate::model::Message;
use crate::model::{ModelSpec, Secret};
use serde_json::Value;

/// What a call asks for.
pub(super) struct Call<'a> {
    /// The model's name, without its provider.
    pub model: &'a str,
    /// The chat so far.
    pub messages: &'a [Message],
    /// Temperature and the like.
    pub spec: &'a ModelSpec,
    /// The JSON Schema that the server is to hold the model to.
    pub schema: Option<&'a Value>,
    /// Context window of the model in tokens.
    pub window: Option<u32>,
    /// The provider's name, where one of them wants it another way.
    pub provider: &'a str,
}

/// A request as a wire format spells it: what follows the base URL, and the body.
pub(super) struct Spelled {
    pub path: String,
    pub body: Value,
}

/// What one frame of an answer says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct FrameContent {
    /// Words.
    pub say: String,
    /// Reasoning in a field of its own.
    pub think: String,
    /// How the model finished, in the words of OpenAI's format.
    pub finish: Option<String>,
    /// Tokens read so far.
    pub input: Option<u64>,
    /// Tokens written so far.
    pub output: Option<u64>,
    /// Whether nothing follows.
    pub over: bool,
    /// What the model failed with, as the server tells it.
    pub error: Option<Value>,
}

impl Call<'_> {
    /// Returns the most tokens of the answer; every format counts the reasoning that comes before the reply as well.
    pub(super) fn most_tokens(&self) -> Option<u32> {
        let reply = self.spec.max_tokens?;
        Some(reply.saturating_add(self.spec.reasoning_tokens()))
    }
}

impl Wire {
    /// Returns how the stream of an answer is framed.
    pub(super) fn framing(self) -> Framing {
        match self {
            Wire::OpenAi | Wire::Anthropic | Wire::Gemini => Framing::Events,
            Wire::Ollama => Framing::Lines,
        }
    }

    pub(super) fn spell(self, call: &Call) -> Spelled {
        match self {
            Wire::OpenAi => openai::spell(call),
            Wire::Anthropic => anthropic::spell(call),
            Wire::Gemini => gemini::spell(call),
            Wire::Ollama => ollama::spell(call),
        }
    }

    /// Returns what a frame says; what it does not know in it says nothing.
    pub(super) fn hear(self, frame: &Value) -> FrameContent {
        match self {
            Wire::OpenAi => openai::hear(frame),
            Wire::Anthropic => anthropic::hear(frame),
            Wire::Gemini => gemini::hear(frame),
            Wire::Ollama => ollama::hear(frame),
        }
    }

    /// Returns whether the list of models has every name that can be asked for.
    pub fn lists_every_name(self) -> bool {
        match self {
            Wire::OpenAi | Wire::Ollama => true,
            Wire::Anthropic | Wire::Gemini => false,
        }
    }

    /// Returns the command that fetches a model which the server lacks, if there is one.
    pub(super) fn fetch(self, model: &str) -> Option<String> {
        match self {
            Wire::Ollama => Some(format!("ollama pull {model}")),
            Wire::OpenAi | Wire::Anthropic | Wire::Gemini => None,
        }
    }

    /// Returns the path of the list of models, the key of the list, and the key of a name in it.
    pub(super) fn list(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Wire::OpenAi => ("/models", "data", "id"),
            Wire::Anthropic => ("/models?limit=1000", "data", "id"),
            Wire::Gemini => ("/models?pageSize=1000", "models", "name"),
            Wire::Ollama => ("/api/tags", "models", "name"),
        }
    }
}

impl Endpoint {
    /// Returns the headers that this format wants besides the key.
    pub(super) fn headers(&self) -> Vec<(&'static str, &'static str)> {
        match self.wire {
            Wire::Anthropic => vec![("anthropic-version", anthropic::VERSION)],
            Wire::OpenAi | Wire::Gemini | Wire::Ollama => vec![],
        }
    }

    /// Returns the header that holds the key.
    pub(super) fn key_header(&self) -> Option<(&'static str, Secret)> {
        let key = self.key.as_ref()?;
        Some(match self.wire {
            Wire::Anthropic => ("x-api-key", key.clone()),
            Wire::Gemini => ("x-goog-api-key", key.clone()),
            Wire::OpenAi | Wire::Ollama => ("authorization", key.after("Bearer ")),
        })
    }
}

/// Returns the text at a place of a frame, or nothing.
pub(super) fn text_at(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
