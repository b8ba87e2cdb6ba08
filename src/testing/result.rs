//! Result of one run of a test.

use super::calls::CallSeen;
use super::cassette::Drift;
use super::fault::TestFault;
use super::outcome::{Broken, Judged};
use super::replies::Charged;
use super::simulated::AttackProgress;
use crate::model::{Event, SeatId};
use crate::state::State;
use std::collections::BTreeMap;

/// Result of one run.
#[derive(Debug)]
pub struct TestRun {
    /// Every event of the run, in order.
    pub events: Vec<Event>,
    /// The state after the last event.
    pub state: State,
    /// Every call, in order.
    pub asked: Vec<CallSeen>,
    /// Prompts that differ from their recording.
    pub drifts: Vec<Drift>,
    /// Index of the expectation that an utterance broke, with the details.
    pub breach: Option<(usize, Broken)>,
    /// Judgements, by index of their expectation.
    pub judged: BTreeMap<usize, Judged>,
    /// Progress of the attackers.
    pub attack: BTreeMap<SeatId, AttackProgress>,
    /// Usage of models, by purpose.
    pub charged: BTreeMap<&'static str, Charged>,
}

/// The reason why a run is without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// The run could not start or not finish.
    Error(TestFault),
    /// The run was stopped from outside.
    Cancelled,
}
