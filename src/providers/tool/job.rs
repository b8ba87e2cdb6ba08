//! A tool request, its result, and the trait that runs tools.

use crate::model::tool::{Tool, ToolOutcome};
use crate::model::{SeatId, Seq, Text, TurnId};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

/// Maximum bytes of a result shown to a model.
pub const SHOWN_MAX: usize = 16 << 10;
/// Maximum bytes kept of a result.
pub const KEPT_MAX: usize = 512 << 10;

/// One run of a tool, with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolJob {
    /// `seq` of the `tool.called` that ordered it.
    pub called: Seq,
    /// Turn whose call requested it.
    pub turn: TurnId,
    /// Participant that requested it.
    pub participant: SeatId,
    /// Tool as configured for its participant.
    pub tool: Tool,
    /// Arguments, validated against the tool's schema.
    pub arguments: Value,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// Outcome: done, failed, refused or interrupted.
    pub is: ToolOutcome,
    /// Text for the model.
    pub result: Text,
    /// Complete text, if it is longer than the text for the model.
    pub whole: Option<Text>,
    /// Duration in milliseconds, by the caller's clock.
    pub took_ms: u64,
}

impl ToolResult {
    /// Creates a successful result. A long text is shortened for the model.
    pub fn done(text: impl Into<String>) -> ToolResult {
        ToolResult::new(ToolOutcome::Done, text.into())
    }

    /// Creates a failure with its reason.
    pub fn failed(why: impl Into<String>) -> ToolResult {
        ToolResult::new(ToolOutcome::Failed, why.into())
    }

    fn new(is: ToolOutcome, mut text: String) -> ToolResult {
        text.truncate(text.floor_char_boundary(KEPT_MAX));
        if text.len() <= SHOWN_MAX {
            return ToolResult { is, result: text.into(), ..ToolResult::default() };
        }
        let shown = text.get(..text.floor_char_boundary(SHOWN_MAX)).unwrap_or_default();
        let result = format!("{shown}\n[cut here: {} bytes of {}]", shown.len(), text.len());
        ToolResult { is, result: result.into(), whole: Some(text.into()), took_ms: 0 }
    }
}

/// A running tool. Dropping it stops the tool.
pub type RunningTool = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// Runs the tools of participants.
pub trait Tools: Send + Sync {
    /// Runs one tool to its end.
    fn run(&self, job: ToolJob) -> RunningTool;
}

/// Tools of a conversation without any; every request fails.
pub struct NoTools;

impl Tools for NoTools {
    fn run(&self, _: ToolJob) -> RunningTool {
        Box::pin(async { ToolResult::failed("this run has no tools") })
    }
}
