//! Snapshots of the conversation's state, so that rebuilding an old prompt folds only a part of the log.
//!
//! Snapshots only save time: folding on from one gives the same state as folding from the first event. They share
//! unchanged data. Their number is bounded: the longer the log, the larger their distance.

use crate::model::Seq;
use crate::state::State;
use std::sync::Arc;

/// Minimum number of events between two snapshots.
const STRETCH: usize = 256;
/// Maximum number of snapshots; beyond that, every other one is dropped.
const MOST: usize = 48;

/// Snapshots in order, each taken after the event of its `seq`; clones share them.
#[derive(Clone, Debug, Default)]
pub struct PastStates {
    states: Vec<(Seq, Arc<State>)>,
    /// Number of events since the last snapshot.
    since: usize,
    /// Number of times that the distance was doubled.
    doubled: u32,
}

impl PastStates {
    /// Takes a snapshot after an event if the last one is far enough back.
    pub fn pass(&mut self, seq: Seq, state: &State) {
        self.since += 1;
        if self.since < STRETCH << self.doubled {
            return;
        }
        self.since = 0;
        self.states.push((seq, Arc::new(state.clone())));
        if self.states.len() > MOST {
            self.doubled += 1;
            let mut at = 0;
            self.states.retain(|_| {
                at += 1;
                at % 2 == 0
            });
        }
    }

    /// Returns the last snapshot at or before an event, and its `seq`.
    pub fn near(&self, seq: Seq) -> Option<(Seq, &State)> {
        let behind = self.states.partition_point(|(at, _)| *at <= seq);
        self.states.get(behind.checked_sub(1)?).map(|(at, state)| (*at, &**state))
    }
}
