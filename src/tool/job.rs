//! A request to a tool, its result, and the trait of what runs tools.

use crate::model::tool::{Tool, ToolOutcome};
use crate::model::{SeatId, Seq, Text, TurnId};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

/// Bytes of a result that a model is shown.
pub const SHOWN_MAX: usize = 16 << 10;
/// Bytes of a result that are kept.
pub const KEPT_MAX: usize = 512 << 10;

/// One run of a tool, with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolJob {
    /// The `tool.called` that ordered it.
    pub called: Seq,
    /// The turn whose call asked for it.
    pub turn: TurnId,
    /// The participant that asked.
    pub participant: SeatId,
    /// The tool as its participant has it.
    pub tool: Tool,
    /// The arguments, which fit its schema.
    pub arguments: Value,
}

/// The result of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// Done, failed, refused or interrupted.
    pub is: ToolOutcome,
    /// The text for the model.
    pub result: Text,
    /// All of it, where that is more.
    pub whole: Option<Text>,
    /// Milliseconds that it took, as the caller's clock says.
    pub took_ms: u64,
}

impl ToolResult {
    /// Returns a result; a long one is cut for the model.
    pub fn done(text: impl Into<String>) -> ToolResult {
        ToolResult::of(ToolOutcome::Done, text.into())
    }

    /// Returns a failure with its reason.
    pub fn failed(why: impl Into<String>) -> ToolResult {
        ToolResult::of(ToolOutcome::Failed, why.into())
    }

    fn of(is: ToolOutcome, mut text: String) -> ToolResult {
        text.truncate(text.floor_char_boundary(KEPT_MAX));
        if text.len() <= SHOWN_MAX {
            return ToolResult { is, result: text.into(), ..ToolResult::default() };
        }
        let shown = text.get(..text.floor_char_boundary(SHOWN_MAX)).unwrap_or_default();
        let result = format!("{shown}\n[cut here: {} bytes of {}]", shown.len(), text.len());
        ToolResult { is, result: result.into(), whole: Some(text.into()), took_ms: 0 }
    }
}

/// A tool at work; dropping it ends it.
pub type RunningTool = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// Carries out requests to tools.
pub trait Tools: Send + Sync {
    /// Runs one tool to its end.
    fn run(&self, job: ToolJob) -> RunningTool;
}

/// No tools: for conversations whose participants have none.
pub struct NoTools;

impl Tools for NoTools {
    fn run(&self, _: ToolJob) -> RunningTool {
        Box::pin(async { ToolResult::failed("this run has no tools") })
    }
}
