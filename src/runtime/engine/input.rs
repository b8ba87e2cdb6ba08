//! Inputs of the engine, its refusals, the reader of its events, and the reason for its stop.

use crate::model::sentence::sentence_error;
use crate::model::{CallId, Event, Key, Seq, SteerLine, Text};
use crate::state::State;
use crate::steer;
use crate::tool::ToolResult;
use crate::voice::Chunk;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

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

sentence_error! {
    /// Reason for refusing a command, with an alternative.
    pub(super) struct Refusal;
}

/// Reason for the end of a run whose session could be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The conversation ended, and all events are written and synced.
    Ended,
    /// Another process takes the conversation over; nothing is in flight.
    HandedOver,
    /// It was left before its end.
    Left,
}

/// An observer that the engine waits for: it sees the state at each event, before later events change it.
pub trait Witness: Send {
    /// Observes an event and the state right after it.
    fn see(&mut self, state: &State, event: &Event);

    /// Resolves when the conversation may continue. Until then no call starts and no virtual time passes.
    fn permit<'a>(&'a mut self, state: &'a State) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}
