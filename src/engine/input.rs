//! Inputs of the engine.

use crate::model::{CallId, Key, Seq, SteerLine, Text};
use crate::tool::ToolResult;
use crate::voice::Chunk;
use serde_json::Value;

/// An input of the engine. The list is complete: timers have no ids, and effects return nothing else.
#[derive(Clone, Debug)]
pub enum Input {
    /// A command of the operator.
    Command {
        /// Key of the command: a second command with the same key is ignored.
        key: Key,
        /// Steering line as parsed.
        line: SteerLine,
    },
    /// A steering line that cannot be parsed.
    BadLine {
        /// Key of the line: a second line with the same key is ignored.
        key: Key,
        /// Line as received.
        line: Value,
        /// The fault and its fix.
        why: Text,
    },
    /// A piece of a voice, or the end of a call.
    Chunk(CallId, Chunk),
    /// Result of a tool, by the `seq` of its `tool.called`.
    Tool(Seq, ToolResult),
    /// The clock has advanced: a deadline may have passed.
    Tick,
    /// Nothing runs, and no operator is present who could change that.
    Unattended,
    /// The program received a signal to stop.
    Signal,
    /// A condition that could not be evaluated, or another warning for the operator.
    Warning(Text),
}
