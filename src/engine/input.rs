//! Everything that can happen to the engine.

use crate::model::{CallId, Key, Seq, SteerLine, Text};
use crate::tool::ToolResult;
use crate::voice::Chunk;
use serde_json::Value;

/// Everything that can happen to the engine. There are no timer ids and no results of effects but these.
#[derive(Clone, Debug)]
pub enum Input {
    /// A command of the operator.
    Command {
        /// The key of the command: a second one with the same key does nothing.
        key: Key,
        /// The steering line as parsed.
        line: SteerLine,
    },
    /// A steering line that cannot be read.
    BadLine {
        /// The key of the line: a second one with the same key is ignored.
        key: Key,
        /// The line as it came.
        line: Value,
        /// What is wrong with it, and the fix.
        why: Text,
    },
    /// A voice returned a piece, or the end of a call.
    Chunk(CallId, Chunk),
    /// A tool came back, by its `tool.called`.
    Tool(Seq, ToolResult),
    /// The clock has moved: a deadline may have passed.
    Tick,
    /// Nothing runs, and there is no operator who could change that.
    Unattended,
    /// The program received a signal to stop.
    Signal,
    /// A condition could not be evaluated, or something else a person should know.
    Warning(Text),
}
