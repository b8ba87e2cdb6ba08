//! The transcript of a recording at points along it, so that a jump folds only a stretch of it.
//!
//! They are made while the recording is read, and only save time: a transcript continued from one equals the transcript
//! made from the first event. What two of them say alike is in memory once, and there are never many.

use crate::model::Event;
use crate::session::tail::Past;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Events from one waypoint to the next, at least.
const STRETCH: usize = 1_000;
/// The most waypoints; of more, every other one is let go.
const MOST: usize = 128;

/// A state made from events, one after the other; a copy of it costs little.
pub trait Fold: Clone + Default {
    /// Applies an event.
    fn apply(&mut self, event: &Event);
}

/// States after the first events, by the number of these events; copies share them.
#[derive(Clone)]
pub struct Waypoints<T>(Arc<Mutex<BTreeMap<usize, Arc<T>>>>);

impl<T> Default for Waypoints<T> {
    fn default() -> Waypoints<T> {
        Waypoints(Arc::default())
    }
}

/// Waypoints in the making.
pub struct WaypointMaking<T> {
    into: Waypoints<T>,
    folded: T,
    events: usize,
    stretch: usize,
}

impl<T: Fold> Waypoints<T> {
    fn made(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<T>>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Begins to make them, for the events of a recording from the first one on.
    pub fn making(&self) -> WaypointMaking<T> {
        let into = self.clone();
        WaypointMaking { into, folded: T::default(), events: 0, stretch: STRETCH }
    }

    /// Returns the transcript after some events: the first ones of the recording that these are made for.
    pub(in crate::ui) fn after(&self, past: &Past) -> T {
        let near = self.made().range(..=past.len()).next_back().map(|(at, s)| (*at, s.clone()));
        let (told, near) = near.unwrap_or_default();
        let mut folded = Arc::unwrap_or_clone(near);
        past.from(told).for_each(|record| folded.apply(&record.event));
        folded
    }
}

impl<T: Fold> WaypointMaking<T> {
    /// Takes the next event in.
    pub fn take(&mut self, event: &Event) {
        self.folded.apply(event);
        self.events += 1;
        if !self.events.is_multiple_of(self.stretch) {
            return;
        }
        let mut made = self.into.made();
        made.insert(self.events, Arc::new(self.folded.clone()));
        if made.len() > MOST {
            self.stretch *= 2;
            made.retain(|events, _| events.is_multiple_of(self.stretch));
        }
    }

    /// Returns what came of all events.
    pub fn done(self) -> T {
        self.folded
    }
}
