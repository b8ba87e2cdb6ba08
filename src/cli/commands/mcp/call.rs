//! A tool call with typed arguments.

use super::convened::Interest;
use super::jobs::Jobs;
use super::values::{ClientText, GivenName};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::saved_id::SavedId;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::time::Duration;

/// Seconds that one call waits by default: clients give up after 60.
pub const WAIT_SECONDS: u64 = 45;
/// Seconds that one call waits at most.
pub const WAIT_MAX: u64 = 3_600;
/// Commands that a client may give: none that raises a limit, changes a model or lets something run.
pub const COMMANDS: [&str; 17] = [
    "say",
    "note",
    "lift_note",
    "whisper",
    "pause",
    "resume",
    "step",
    "skip",
    "cut_in",
    "mute",
    "unmute",
    "floor",
    "vote",
    "verdict",
    "mark",
    "speak",
    "end",
];

/// A call of a tool.
pub struct ToolCall<'a> {
    /// The conversations that were started here.
    pub jobs: &'a Jobs,
    /// Folders and settings.
    pub context: &'a Context,
    /// The arguments, which fit the schema.
    pub arguments: &'a Map<String, Value>,
    /// True if the caller takes the conversation as a task, so that the call does not wait for its end.
    pub as_task: bool,
    /// Passes on the number of turns; returns whether the caller still waits.
    pub tell: &'a dyn Fn(u32) -> Interest,
}

impl ToolCall<'_> {
    fn value<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Failure> {
        let value = self.arguments.get(key).map(|value| serde_json::from_value(value.clone()));
        let wrong =
            |e: serde_json::Error| Failure::usage(format!("`{key}`: {e}"), "see the tool's schema");
        value.transpose().map_err(wrong)
    }

    fn needed<T: DeserializeOwned>(&self, key: &str) -> Result<T, Failure> {
        let missing = || Failure::usage(format!("`{key}` is missing"), "see the tool's schema");
        self.value(key)?.ok_or_else(missing)
    }

    /// Returns the session that the call is about.
    pub fn session(&self) -> Result<SavedId, Failure> {
        let fix = "give the id of a session, as `start` returns it and search_sessions names it";
        self.needed("session").map_err(|failure| failure.hint(fix))
    }

    /// Returns a text that the call needs.
    pub fn text(&self, key: &str) -> Result<ClientText, Failure> {
        self.needed(key)
    }

    /// Returns a name, if the call has one.
    pub fn name(&self, key: &str) -> Result<Option<GivenName>, Failure> {
        self.value(key)
    }

    /// Returns a number, or 0.
    pub fn number(&self, key: &str) -> u64 {
        self.arguments.get(key).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Returns how long the call may wait.
    pub fn within(&self, key: &str) -> Duration {
        let seconds = self.arguments.get(key).and_then(Value::as_u64);
        Duration::from_secs(seconds.unwrap_or(WAIT_SECONDS).clamp(1, WAIT_MAX))
    }
}
