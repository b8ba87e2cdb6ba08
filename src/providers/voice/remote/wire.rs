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
use crate::model::Secret;
use serde_json::Value;
use std::borrow::Cow;

/// The code of each wire format.
pub(super) trait WireFormat {
    /// Returns the framing of an answer's stream.
    fn framing(self) -> Framing;
    /// Serialises a request.
    fn spell(self, call: &Call) -> Spelled;
    /// Returns the text of a frame that contains nothing else; `None` if the whole frame has to be parsed to know.
    fn words(self, frame: &str) -> Option<Cow<'_, str>>;
    /// Returns the content of a frame; unknown fields are ignored.
    fn parse_frame(self, frame: &Value) -> FrameContent;
    /// Returns the command that downloads a missing model, if there is one.
    fn fetch(self, model: &str) -> Option<String>;
    /// Returns the path of the model list.
    fn list(self) -> &'static str;
}

impl WireFormat for Wire {
    fn framing(self) -> Framing {
        match self {
            Wire::OpenAi | Wire::Anthropic | Wire::Gemini => Framing::Events,
            Wire::Ollama => Framing::Lines,
        }
    }

    fn spell(self, call: &Call) -> Spelled {
        match self {
            Wire::OpenAi => openai::spell(call),
            Wire::Anthropic => anthropic::spell(call),
            Wire::Gemini => gemini::spell(call),
            Wire::Ollama => ollama::spell(call),
        }
    }

    fn words(self, frame: &str) -> Option<Cow<'_, str>> {
        match self {
            Wire::OpenAi => openai::words(frame),
            Wire::Anthropic | Wire::Gemini | Wire::Ollama => None,
        }
    }

    fn parse_frame(self, frame: &Value) -> FrameContent {
        match self {
            Wire::OpenAi => openai::parse_frame(frame),
            Wire::Anthropic => anthropic::parse_frame(frame),
            Wire::Gemini => gemini::parse_frame(frame),
            Wire::Ollama => ollama::parse_frame(frame),
        }
    }

    fn fetch(self, model: &str) -> Option<String> {
        match self {
            Wire::Ollama => Some(format!("ollama pull {model}")),
            Wire::OpenAi | Wire::Anthropic | Wire::Gemini => None,
        }
    }

    fn list(self) -> &'static str {
        match self {
            Wire::OpenAi => "/models",
            Wire::Anthropic => "/models?limit=1000",
            Wire::Gemini => "/models?pageSize=1000",
            Wire::Ollama => "/api/tags",
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
