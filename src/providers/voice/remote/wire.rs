//! Serialises requests and parses answer frames in each wire format.
//!
//! Each format is one file with a function for the request and one for a frame; both are pure.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod responses;

use super::content::WireCode;
use super::{Endpoint, Wire};
use crate::model::{ModelSpec, Secret};
use crate::net;
use std::borrow::Cow;

/// Ends of the hosts of Azure's model servers.
const AZURE_HOSTS: [&str; 3] =
    [".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com"];

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

    /// Returns the header with a key.
    pub(super) fn key_header(&self, key: &Secret) -> (Cow<'static, str>, Secret) {
        if let Some(header) = &self.key_header {
            let is_usual = header.eq_ignore_ascii_case("authorization");
            let key = if is_usual { key.after("Bearer ") } else { key.clone() };
            return (header.to_string().into(), key);
        }
        match code(self.wire).key {
            "" if self.is_azure() => ("api-key".into(), key.clone()),
            "" => ("authorization".into(), key.after("Bearer ")),
            header => (header.into(), key.clone()),
        }
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
            let key = Secret::new("k".into());
            assert_eq!(Endpoint::new("x", wire, url).key_header(&key).0, header, "{url}");
        }
    }
}
