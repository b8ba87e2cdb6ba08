//! Permissions of other programs: clients of `colloquium mcp`, agents, tools.

use crate::model::Usd;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};

/// Permissions of clients of the MCP server.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Serving {
    /// Dollars that all conversations of one run of the server may cost together; `None` is the default.
    pub max_usd: Option<Usd>,
    /// Models that may be used, as `provider:name`; `*` at the end matches any rest. Empty is all.
    pub models: Vec<String>,
    /// Programs that may speak with the person's login, in print mode without tools.
    pub programs: Vec<String>,
    /// Maximum parallel conversations.
    pub max_running: NonZeroUsize,
    /// Maximum seconds of a conversation.
    pub max_seconds: NonZeroU32,
}

impl Default for Serving {
    fn default() -> Self {
        let running = NonZeroUsize::new(4);
        let seconds = NonZeroU32::new(1_800);
        Serving {
            max_usd: None,
            models: vec![],
            programs: vec![],
            max_running: running.unwrap_or(NonZeroUsize::MIN),
            max_seconds: seconds.unwrap_or(NonZeroU32::MIN),
        }
    }
}

impl Serving {
    /// Returns whether some model of a provider may be used.
    pub fn may_use(&self, provider: &str) -> bool {
        let fits = |pattern: &String| match pattern.split_once(':') {
            Some((own, _)) => own == provider,
            None => pattern.strip_suffix('*').is_some_and(|own| provider.starts_with(own)),
        };
        self.models.is_empty() || self.models.iter().any(fits)
    }

    /// Returns whether a model may be used.
    pub fn allows(&self, model: &str) -> bool {
        let fits = |pattern: &String| match pattern.strip_suffix('*') {
            Some(beginning) => model.starts_with(beginning),
            None => model == pattern,
        };
        self.models.is_empty() || self.models.iter().any(fits)
    }
}

/// Environment of agents.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSettings {
    /// Variables for agents besides paths and language; `PROGRAM:NAME` is for the agent of that program alone.
    pub environment: Vec<String>,
    /// True if agents get the user's home folder, with its settings, hooks, instructions and logins.
    pub user_home: bool,
}

impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings { environment: vec![], user_home: true }
    }
}

impl AgentSettings {
    pub fn variables<'a>(&'a self, program: &'a str) -> impl Iterator<Item = &'a str> {
        self.environment.iter().filter_map(move |entry| match entry.split_once(':') {
            Some((of, name)) => (of == program).then_some(name),
            None => Some(&**entry),
        })
    }
}

/// The user's permissions for tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolSettings {
    /// Tools that change something and need no further permission.
    pub allow: Vec<String>,
    /// Variables with the keys of tool servers, by the server's whole address.
    pub keys: BTreeMap<String, String>,
}
