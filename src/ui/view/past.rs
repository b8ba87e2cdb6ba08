//! The conversation at points of its past, so that a prompt of long ago folds only a stretch of the log again.
//!
//! They only save time: what is folded on from one equals what is folded from the first event. What two of them say alike
//! is in memory once, and there are never many: the longer the log, the further apart they are.

use crate::model::Seq;
use crate::state::State;
use std::sync::Arc;

/// Events from one state to the next, at least.
const STRETCH: usize = 256;
/// The most states; of more, every other one is let go.
const MOST: usize = 48;

/// States of a conversation, each just behind an event, in order; copies share them.
#[derive(Clone, Debug, Default)]
pub struct PastStates {
    states: Vec<(Seq, Arc<State>)>,
    /// Events since the last one.
    since: usize,
    /// How often their distance was doubled.
    doubled: u32,
}

impl PastStates {
    /// Notes how the conversation stands behind an event, if the last such note is far enough away.
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

    /// Returns the last state at or before an event, and the event it stands behind.
    pub fn near(&self, seq: Seq) -> Option<(Seq, &State)> {
        let behind = self.states.partition_point(|(at, _)| *at <= seq);
        self.states.get(behind.checked_sub(1)?).map(|(at, state)| (*at, &**state))
    }
}
