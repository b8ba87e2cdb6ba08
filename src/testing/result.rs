//! What a run of a test leaves behind.

use super::calls::CallSeen;
use super::cassette::Drift;
use crate::model::Event;
use crate::state::State;

/// What a run leaves behind.
#[derive(Debug)]
pub struct TestRun {
    /// Everything that happened.
    pub events: Vec<Event>,
    /// What it came to.
    pub state: State,
    /// Every call, in the order in which voices were asked.
    pub asked: Vec<CallSeen>,
    /// Prompts that are not those of a recording.
    pub drifts: Vec<Drift>,
    /// The expectation that was broken by an utterance, by its place, with the utterance's number.
    pub breach: Option<(usize, u32)>,
}

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// It could not be run, or not to its end.
    Error(String),
    /// Somebody wanted it to stop.
    Cancelled,
}
