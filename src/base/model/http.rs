//! HTTP services as participants: where a request goes, what it holds, and where its answer has the reply.

use super::ids::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Name of the key in the templates of headers.
pub const KEY: &str = "key";
/// Name of the identifier of the conversation in templates.
pub const SESSION: &str = "session";

/// An HTTP service that replies to messages. Texts are templates, except for names and paths.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct HttpSpec {
    /// Address; scheme, host and port are fixed.
    pub url: Text,
    /// Method.
    pub method: Text,
    /// Headers besides those of the body.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<Text, Text>,
    /// Body; null for none. A text is sent as it is, any other value as JSON with templates in its texts.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Value")]
    pub body: Value,
    /// Fields of a form, in place of a body.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub form: BTreeMap<Text, Text>,
    /// Name of the variable with the key, for headers only.
    pub api_key_env: Option<Text>,
    /// Place of the reply in an answer.
    pub reply: ReplyAt,
    /// Source of the conversation's identifier; `None` for one that the program makes.
    pub session: Option<SessionFrom>,
    /// Path of the names of used tools in an answer.
    pub tools: Option<Text>,
}

/// Place of the reply in an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplyAt {
    /// The whole body, as text.
    #[default]
    Text,
    /// A path in a JSON body.
    Path(Text),
    /// A stream of server-sent events: a path in each JSON event, or `text` for the event's data.
    Sse(Text),
    /// A stream of lines: a path in each JSON line.
    Lines(Text),
}

/// Source of a conversation's identifier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SessionFrom {
    /// Path of the identifier in a JSON answer.
    pub from: Text,
    /// Address of a request that opens the conversation; `None` reads the identifier from the first reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Text>,
    /// Body of that request; null for none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schemars(with = "Value")]
    pub body: Value,
}

impl HttpSpec {
    /// Returns the fixed start of an address, as in `https://host:8080`; `None` if a template, a user name or a
    /// password is part of it, or the scheme is another one.
    pub fn origin(url: &str) -> Option<&str> {
        let at = ["http://", "https://"].iter().find_map(|scheme| {
            let rest = url.strip_prefix(scheme)?;
            let end = rest.find(['/', '?', '#']);
            Some(scheme.len() + end.unwrap_or(rest.len()))
        })?;
        let origin = url.get(..at)?;
        let is_fixed = !origin.contains(['{', '}', '@', '\\']) && !origin.ends_with('/');
        is_fixed.then_some(origin)
    }

    /// Returns the start of its address; empty if the address is invalid.
    pub fn place(&self) -> &str {
        HttpSpec::origin(&self.url).unwrap_or_default()
    }

    /// Returns the text that the operator agrees to: the address and the key.
    pub fn agreed(&self) -> Vec<Text> {
        let key = self.api_key_env.as_ref().map(|name| format!("with the key in {name}").into());
        [AGREED.into(), self.place().into()].into_iter().chain(key).collect()
    }
}

/// First word of the agreement to an HTTP service; no program can have this name.
pub const AGREED: &str = "(send the conversation to)";
