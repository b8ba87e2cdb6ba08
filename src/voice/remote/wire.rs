//! The functions of each wire format that spell a request and read a frame of its answer.
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

    /// Returns the words of a frame that has nothing else in it; none if the whole frame has to be read to know.
    pub(super) fn words(self, frame: &str) -> Option<Cow<'_, str>> {
        match self {
            Wire::OpenAi => openai::words(frame),
            Wire::Anthropic | Wire::Gemini | Wire::Ollama => None,
        }
    }

    /// Returns the content of a frame; unknown fields are ignored.
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

    /// Returns the settings of a model that this format has no word for, by their keys.
    pub fn lacks(self, spec: &ModelSpec, local: bool) -> Vec<&'static str> {
        let set = [
            ("seed", spec.seed.is_some()),
            ("frequency_penalty", spec.frequency_penalty.is_some()),
            ("presence_penalty", spec.presence_penalty.is_some()),
            ("repeat_penalty", spec.repeat_penalty.is_some()),
        ];
        let lacks = |key: &str| match self {
            Wire::Ollama => false,
            // vendors refuse what they do not know; llama.cpp and its like know it
            Wire::OpenAi => key == "repeat_penalty" && !local,
            Wire::Gemini => key == "repeat_penalty",
            Wire::Anthropic => true,
        };
        set.into_iter().filter(|(key, set)| *set && lacks(key)).map(|(key, _)| key).collect()
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
    /// Returns the headers that this format requires besides the key.
    pub(super) fn headers(&self) -> Vec<(&'static str, &'static str)> {
        match self.wire {
            Wire::Anthropic => vec![("anthropic-version", anthropic::VERSION)],
            Wire::OpenAi | Wire::Gemini | Wire::Ollama => vec![],
        }
    }

    /// Returns the header with the key; none without a key.
    pub(super) fn key_header(&self) -> Option<(&'static str, Secret)> {
        let key = self.key.as_ref()?;
        Some(match self.wire {
            Wire::Anthropic => ("x-api-key", key.clone()),
            Wire::Gemini => ("x-goog-api-key", key.clone()),
            Wire::OpenAi | Wire::Ollama => ("authorization", key.after("Bearer ")),
        })
    }
}
