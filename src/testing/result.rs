//! What a run of a test leaves behind.

use super::calls::CallSeen;
use super::cassette::Drift;
use super::outcome::{Broken, Judged};
use super::replies::Charged;
use super::simulated::AttackProgress;
use crate::model::{Event, SeatId};
use crate::state::State;
use std::collections::BTreeMap;

/// What a run leaves behind.
#[derive(Debug)]
pub struct TestRun {
    /// Every event of the run, in order.
    pub events: Vec<Event>,
    /// The state after the last event.
    pub state: State,
    /// Every call, in the order in which voices were asked.
    pub asked: Vec<CallSeen>,
    /// Prompts that differ from their recording.
    pub drifts: Vec<Drift>,
    /// The expectation that an utterance broke, by its place, and how.
    pub breach: Option<(usize, Broken)>,
    /// What judges said, by the places of their expectations.
    pub judged: BTreeMap<usize, Judged>,
    /// How far attackers have come.
    pub attack: BTreeMap<SeatId, AttackProgress>,
    /// The use of models, by purpose.
    pub charged: BTreeMap<&'static str, Charged>,
}

/// Why a run has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// It could not be run, or not to its end.
    Error(String),
    /// The run was stopped from outside.
    Cancelled,
}
