//! Serialises requests and parses answer frames in each wire format.
//!
//! Each format is one file with a function for the request and one for a frame; both are pure.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod responses;

use super::content::{Call, FrameContent, Spelled};
use super::frames::Framing;
use super::{Endpoint, Wire};
use crate::model::{ModelSpec, Secret};
use crate::net;
use serde_json::Value;
use std::borrow::Cow;

/// Ends of the hosts of Azure's model servers.
const AZURE_HOSTS: [&str; 3] =
    [".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com"];

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
            Wire::OpenAi | Wire::Anthropic | Wire::Gemini | Wire::Responses => Framing::Events,
            Wire::Ollama => Framing::Lines,
        }
    }

    fn spell(self, call: &Call) -> Spelled {
        match self {
            Wire::OpenAi => openai::spell(call),
            Wire::Anthropic => anthropic::spell(call),
            Wire::Gemini => gemini::spell(call),
            Wire::Ollama => ollama::spell(call),
            Wire::Responses => responses::spell(call),
        }
    }

    fn words(self, frame: &str) -> Option<Cow<'_, str>> {
        match self {
            Wire::OpenAi => openai::words(frame),
            Wire::Anthropic | Wire::Gemini | Wire::Ollama | Wire::Responses => None,
        }
    }

    fn parse_frame(self, frame: &Value) -> FrameContent {
        match self {
            Wire::OpenAi => openai::parse_frame(frame),
            Wire::Anthropic => anthropic::parse_frame(frame),
            Wire::Gemini => gemini::parse_frame(frame),
            Wire::Ollama => ollama::parse_frame(frame),
            Wire::Responses => responses::parse_frame(frame),
        }
    }

    fn fetch(self, model: &str) -> Option<String> {
        match self {
            Wire::Ollama => Some(format!("ollama pull {model}")),
            Wire::OpenAi | Wire::Anthropic | Wire::Gemini | Wire::Responses => None,
        }
    }

    fn list(self) -> &'static str {
        match self {
            Wire::OpenAi | Wire::Responses => "/models",
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
            Wire::OpenAi | Wire::Gemini | Wire::Ollama | Wire::Responses => vec![],
        }
    }

    /// Returns the wire format of a call. It is the usual one if the one for tools and effort lacks a setting.
    pub(super) fn wire_of(&self, spec: &ModelSpec, has_tools: bool) -> Wire {
        let other = if has_tools || spec.effort.is_some() { self.tool_wire } else { None };
        other.filter(|wire| wire.lacks(spec, false).is_empty()).unwrap_or(self.wire)
    }

    /// Returns whether the host is one of Azure's, which takes keys under another name.
    fn is_azure(&self) -> bool {
        let host = net::host(&self.base_url).unwrap_or_default();
        let host = host.rsplit_once(':').map_or(&*host, |(name, _)| name);
        AZURE_HOSTS.iter().any(|end| host.ends_with(end))
    }

    /// Returns the header with the key; `None` without a key.
    pub(super) fn key_header(&self) -> Option<(Cow<'static, str>, Secret)> {
        let key = self.key.as_ref()?;
        if let Some(header) = &self.key_header {
            let is_usual = header.eq_ignore_ascii_case("authorization");
            let key = if is_usual { key.after("Bearer ") } else { key.clone() };
            return Some((header.to_string().into(), key));
        }
        let (header, key) = match self.wire {
            Wire::Anthropic => ("x-api-key", key.clone()),
            Wire::Gemini => ("x-goog-api-key", key.clone()),
            Wire::OpenAi | Wire::Responses if self.is_azure() => ("api-key", key.clone()),
            Wire::OpenAi | Wire::Ollama | Wire::Responses => {
                ("authorization", key.after("Bearer "))
            }
        };
        Some((header.into(), key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_in_the_header_of_its_host() {
        for (wire, url, header) in [
            (Wire::OpenAi, "https://api.openai.com/v1", "authorization"),
            (Wire::Responses, "https://mine.openai.azure.com/openai/v1", "api-key"),
            (Wire::OpenAi, "https://mine.services.ai.azure.com:443/models", "api-key"),
            (Wire::OpenAi, "https://openai.azure.com.example.org/v1", "authorization"),
        ] {
            let key = Some(Secret::new("k".into()));
            let endpoint = Endpoint { key, ..Endpoint::new("x", wire, url) };
            assert_eq!(endpoint.key_header().unwrap().0, header, "{url}");
        }
    }
}
