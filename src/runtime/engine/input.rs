//! Inputs of the engine.

use crate::model::{CallId, Key, Seq, SteerLine, Text};
use crate::steer;
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

/// Maximum length of a steering line, in bytes.
const LINE_MAX_BYTES: usize = 64 * 1024;

impl Input {
    /// Parses a steering line that a program sends during the conversation.
    pub fn from_line(key: Key, raw: &str) -> Input {
        let read = match raw.len() {
            ..LINE_MAX_BYTES => SteerLine::parse(raw).map_err(|e| e.0),
            _ => Err(format!("the line is longer than {} KiB", LINE_MAX_BYTES / 1024)),
        };
        let line = read.and_then(|line| {
            steer::compiles(&line)?;
            Ok(line)
        });
        match line {
            Ok(line) => Input::Command { key, line },
            Err(why) => {
                let line = serde_json::from_str(raw).unwrap_or_else(|_| Value::String(raw.into()));
                Input::BadLine { key, line, why: why.into() }
            }
        }
    }
}
