//! Serialises requests and parses answer frames in each wire format.
//!
//! Each format is one file with a function for the request and one for a frame; both are pure.

mod anthropic;
mod gemini;
mod ollama;
mod openai;

use super::content::{Call, FrameContent, Spelled};
use super::frames::Framing;
use super::{Endpoint, Wire};
use crate::model::{ModelSpec, Secret};
use serde_json::Value;
use std::borrow::Cow;

impl Wire {
    /// Returns the framing of an answer's stream.
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

    /// Returns the text of a frame that contains nothing else; `None` if the whole frame has to be parsed to know.
    pub(super) fn words(self, frame: &str) -> Option<Cow<'_, str>> {
        match self {
            Wire::OpenAi => openai::words(frame),
            Wire::Anthropic | Wire::Gemini | Wire::Ollama => None,
        }
    }

    /// Returns the content of a frame; unknown fields are ignored.
    pub(super) fn parse_frame(self, frame: &Value) -> FrameContent {
        match self {
            Wire::OpenAi => openai::parse_frame(frame),
            Wire::Anthropic => anthropic::parse_frame(frame),
            Wire::Gemini => gemini::parse_frame(frame),
            Wire::Ollama => ollama::parse_frame(frame),
        }
    }

    /// Returns whether the model list is complete, so that a missing name is an unknown model.
    pub fn lists_every_name(self) -> bool {
        match self {
            Wire::OpenAi | Wire::Ollama => true,
            Wire::Anthropic | Wire::Gemini => false,
        }
    }

    /// Returns the command that downloads a missing model, if there is one.
    pub(super) fn fetch(self, model: &str) -> Option<String> {
        match self {
            Wire::Ollama => Some(format!("ollama pull {model}")),
            Wire::OpenAi | Wire::Anthropic | Wire::Gemini => None,
        }
    }

    /// Returns the keys of the model settings that this format does not support.
    pub fn lacks(self, spec: &ModelSpec, local: bool) -> Vec<&'static str> {
        let set = [
            ("seed", spec.seed.is_some()),
            ("frequency_penalty", spec.frequency_penalty.is_some()),
            ("presence_penalty", spec.presence_penalty.is_some()),
            ("repeat_penalty", spec.repeat_penalty.is_some()),
        ];
        let lacks = |key: &str| match self {
            Wire::Ollama => false,
            // vendors reject unknown keys; llama.cpp and similar servers know this one
            Wire::OpenAi => key == "repeat_penalty" && !local,
            Wire::Gemini => key == "repeat_penalty",
            Wire::Anthropic => true,
        };
        set.into_iter().filter(|(key, set)| *set && lacks(key)).map(|(key, _)| key).collect()
    }

    /// Returns the path of the model list, the key of the list, and the key of a name in it.
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
    /// Returns the headers that this format requires besides the key.
    pub(super) fn headers(&self) -> Vec<(&'static str, &'static str)> {
        match self.wire {
            Wire::Anthropic => vec![("anthropic-version", anthropic::VERSION)],
            Wire::OpenAi | Wire::Gemini | Wire::Ollama => vec![],
        }
    }

    /// Returns the header with the key; `None` without a key.
    pub(super) fn key_header(&self) -> Option<(&'static str, Secret)> {
        let key = self.key.as_ref()?;
        Some(match self.wire {
            Wire::Anthropic => ("x-api-key", key.clone()),
            Wire::Gemini => ("x-goog-api-key", key.clone()),
            Wire::OpenAi | Wire::Ollama => ("authorization", key.after("Bearer ")),
        })
    }
}
