//! Snapshots of the transcript along a recording, so that a jump folds only a part of it.
//!
//! Snapshots are taken while the recording is read. They only save time: continuing from one gives the same transcript
//! as starting from the first event. They share unchanged data, and their number is bounded.

use crate::model::Event;
use crate::session::tail::Past;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Minimum number of events between two waypoints.
const STRETCH: usize = 1_000;
/// Maximum number of waypoints; beyond that, every other one is dropped.
const MOST: usize = 128;

/// A state folded from events; cloning it must be cheap.
pub trait Fold: Clone + Default {
    /// Applies an event.
    fn apply(&mut self, event: &Event);
}

/// Snapshots by number of events; clones share them.
#[derive(Clone)]
pub struct Waypoints<T>(Arc<Mutex<BTreeMap<usize, Arc<T>>>>);

impl<T> Default for Waypoints<T> {
    fn default() -> Waypoints<T> {
        Waypoints(Arc::default())
    }
}

/// Builder of waypoints.
pub struct WaypointMaking<T> {
    into: Waypoints<T>,
    folded: T,
    events: usize,
    stretch: usize,
}

impl<T: Fold> Waypoints<T> {
    /// Starts to build waypoints; the builder expects all events of the recording from the first one.
    pub fn making(&self) -> WaypointMaking<T> {
        let into = self.clone();
        WaypointMaking { into, folded: T::default(), events: 0, stretch: STRETCH }
    }

    /// Returns the state after the events of `past`, which must be the first events of the same recording.
    pub(in crate::ui) fn after(&self, past: &Past) -> T {
        let near = self.0.lock().range(..=past.len()).next_back().map(|(at, s)| (*at, s.clone()));
        let (told, near) = near.unwrap_or_default();
        let mut folded = Arc::unwrap_or_clone(near);
        past.from(told).for_each(|record| folded.apply(&record.event));
        folded
    }
}

impl<T: Fold> WaypointMaking<T> {
    /// Applies the next event.
    pub fn take(&mut self, event: &Event) {
        self.folded.apply(event);
        self.events += 1;
        if !self.events.is_multiple_of(self.stretch) {
            return;
        }
        let mut made = self.into.0.lock();
        made.insert(self.events, Arc::new(self.folded.clone()));
        if made.len() > MOST {
            self.stretch *= 2;
            made.retain(|events, _| events.is_multiple_of(self.stretch));
        }
    }

    /// Returns the state after all events.
    pub fn done(self) -> T {
        self.folded
    }
}
