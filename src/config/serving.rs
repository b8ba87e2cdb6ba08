//! The bounds of `colloquium mcp`: what other programs may spend and use, and which variables agents may know.

use serde::Deserialize;
use std::num::{NonZeroU32, NonZeroUsize};

/// The permissions of clients of the MCP server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Serving {
    /// Dollars that all conversations of one run of the server may cost together.
    pub max_usd: f64,
    /// Models that may be used, as `provider:name`; `*` at the end matches any rest. Empty is all.
    pub models: Vec<String>,
    /// Conversations that may run at once.
    pub max_running: NonZeroUsize,
    /// Seconds that a conversation may run.
    pub max_seconds: NonZeroU32,
}

impl Default for Serving {
    fn default() -> Self {
        let (running, seconds) = (NonZeroUsize::new(4), NonZeroU32::new(1_800));
        Serving {
            max_usd: 1.0,
            models: vec![],
            max_running: running.unwrap_or(NonZeroUsize::MIN),
            max_seconds: seconds.unwrap_or(NonZeroU32::MIN),
        }
    }
}

impl Serving {
    /// Returns whether a model may be used.
    pub fn allows(&self, model: &str) -> bool {
        let fits = |pattern: &String| match pattern.strip_suffix('*') {
            Some(beginning) => model.starts_with(beginning),
            None => model == pattern,
        };
        self.models.is_empty() || self.models.iter().any(fits)
    }
}

/// What agents can see of the user's environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSettings {
    /// Variables of the environment that agents may see besides the paths and the language.
    pub environment: Vec<String>,
}
