//! The transcript of a recording at points along it, so that a jump folds only a stretch of it.
//!
//! They are made once, beside the screen, and only save time: a transcript continued from one equals the transcript
//! made from the first event. Their memory is bounded; a recording too long for that is folded from its beginning.

use crate::model::Event;
use crate::session::tail::Record;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Events from one waypoint to the next, at least.
const STRETCH: usize = 1_000;
/// Events whose transcript is held by all waypoints together, at most.
const HELD: usize = 200_000;

/// A state made from events, one after the other.
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

impl<T: Fold> Waypoints<T> {
    fn made(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<T>>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Makes them for the events of a recording. Takes as long as folding all of it.
    pub fn fill(&self, recording: &[Arc<Record>]) {
        // transcripts at every `stretch` events hold about length² / (2 * stretch) events together
        let stretch = STRETCH.max(recording.len().saturating_mul(recording.len()) / (2 * HELD));
        if stretch >= recording.len() {
            return;
        }
        let mut folded = T::default();
        for (at, events) in recording.chunks(stretch).enumerate() {
            if at > 0 {
                self.made().insert(at * stretch, Arc::new(folded.clone()));
            }
            events.iter().for_each(|record| folded.apply(&record.event));
        }
    }

    /// Returns the transcript after some events: the first ones of the recording that these are made for.
    pub(in crate::ui) fn after(&self, events: &[Arc<Record>]) -> T {
        let near = self.made().range(..=events.len()).next_back().map(|(at, s)| (*at, s.clone()));
        let (told, near) = near.unwrap_or_default();
        let mut folded = Arc::unwrap_or_clone(near);
        events.iter().skip(told).for_each(|record| folded.apply(&record.event));
        folded
    }
}
