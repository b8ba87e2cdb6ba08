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
    /// Command that downloads a missing model; empty if there is none.
    pub fetch: &'static str,
    /// Header with the key; empty for a bearer token.
    pub key: &'static str,
    /// Headers that the format requires besides the key.
    pub headers: &'static [(&'static str, &'static str)],
}

/// Returns the code of a wire format.
pub(super) fn code(wire: Wire) -> &'static WireCode {
    match wire {
        Wire::OpenAi => &openai::CODE,
        Wire::Anthropic => &anthropic::CODE,
        Wire::Gemini => &gemini::CODE,
        Wire::Ollama => &ollama::CODE,
        Wire::Responses => &responses::CODE,
    }
}

impl Endpoint {
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
        Some(match code(self.wire).key {
            "" if self.is_azure() => ("api-key".into(), key.clone()),
            "" => ("authorization".into(), key.after("Bearer ")),
            header => (header.into(), key.clone()),
        })
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
