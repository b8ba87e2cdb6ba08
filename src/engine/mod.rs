//! The engine: it grants the floor, takes words in, and decides what to append next.
//!
//! Four pure functions decide everything: [`react()`] says what an input makes true, [`advance()`] returns one event more
//! or nothing, [`effects()`] reads from an event what must be done outside, [`deadline()`] says when time alone matters.
//! Every prefix of what they return is legal, so a kill between any two lines loses no half of a decision. Only
//! `drive` does anything: it owns the loop, the clock, the calls and the writer's queue.
//!
//! It deliberately knows no screen, no files but the session it writes, and no policy by name.

mod advance;
mod drive;
mod effects;
mod execute;
mod judging;
mod loops;
mod money;
mod react;
mod resolve;
mod stops;
mod summary;
mod tally;
mod turns;
mod verdict;

pub use advance::advance;
pub use drive::{Engine, Stopped};
pub use effects::{Effect, deadline, effects};
pub use execute::NEVER_DUE;
pub use loops::{Said, circling};
use react::refused;
pub use react::{react, recover};

use crate::model::{CallId, Key, SteerLine, Text};
use crate::voice::Chunk;
use serde_json::Value;

/// Everything that can happen to the engine. There are no timer ids and no results of effects but these.
#[derive(Clone, Debug)]
pub enum Input {
    /// A command of the operator.
    Command {
        /// What makes it act once.
        key: Key,
        /// The line.
        line: SteerLine,
    },
    /// A steering line that cannot be read.
    BadLine {
        /// What makes it refused once.
        key: Key,
        /// The line as it came.
        line: Value,
        /// Why.
        why: Text,
    },
    /// A voice handed something in.
    Chunk(CallId, Chunk),
    /// A deadline may have come.
    Tick,
    /// Nothing moves, and nobody is left who could move it.
    Unattended,
    /// The program was told to stop.
    Signal,
    /// A condition could not be evaluated, or something else a person should know.
    Warning(Text),
}
