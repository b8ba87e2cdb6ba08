//! Pieces that are no longer needed: the end of their turn repeats all its words.

use crate::model::{Event, Kind, TurnId};
use std::collections::{HashMap, HashSet, VecDeque};

/// The turns of a log whose pieces make no difference to a fold of the whole log.
#[derive(Clone, Debug, Default)]
pub struct Finished(HashSet<TurnId>);

impl Finished {
    /// Collects the turns that ended. Retried turns are left out: the cost of the earlier reply is estimated from its
    /// pieces.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Finished {
        let (mut ended, mut retried) = (HashSet::new(), HashSet::new());
        for event in events {
            if let Kind::TurnEnded(e) = &event.kind {
                ended.insert(e.turn);
            } else if let Kind::CallRetried(r) = &event.kind {
                retried.insert(r.turn);
            } else if let Kind::ToolAsked(a) = &event.kind {
                // the words before a tool request are in no end of a turn
                retried.insert(a.turn);
            }
        }
        ended.retain(|turn| !retried.contains(turn));
        Finished(ended)
    }

    /// Returns whether a fold of the whole log is the same without an event.
    pub fn repeats(&self, event: &Event) -> bool {
        let Kind::Delta(delta) = &event.kind else { return false };
        delta.pieces.iter().all(|run| self.0.contains(&run.0))
    }
}

/// Passes on the events of a log as they are read, but for the pieces that a fold of the whole of it does not need: the same
/// ones as [`Finished`] names, without a second reading.
///
/// Pieces of a turn that has not ended wait, and so does what follows them.
#[derive(Clone, Debug, Default)]
pub struct Sieve {
    waiting: VecDeque<Event>,
    /// The turns of which it is known by what waits whether their pieces are needed.
    needed: HashMap<TurnId, bool>,
}

impl Sieve {
    /// Takes the next event, and hands out all that need not wait.
    pub fn take(&mut self, event: Event, each: &mut dyn FnMut(Event)) {
        match &event.kind {
            Kind::TurnEnded(e) => _ = self.needed.entry(e.turn).or_insert(false),
            Kind::CallRetried(r) => _ = self.needed.insert(r.turn, true),
            Kind::ToolAsked(a) => _ = self.needed.insert(a.turn, true),
            _ => {}
        }
        self.waiting.push_back(event);
        while let Some(passes) = self.waiting.front().and_then(|event| self.passes(event)) {
            let Some(event) = self.waiting.pop_front() else { return };
            if let Kind::TurnEnded(e) = &event.kind {
                self.needed.remove(&e.turn);
            }
            if passes {
                each(event);
            }
        }
    }

    /// Passes on the rest, at the end of the log: turns still in progress need their pieces.
    pub fn finish(mut self, each: &mut dyn FnMut(Event)) {
        while let Some(event) = self.waiting.pop_front() {
            if self.passes(&event).unwrap_or(true) {
                each(event);
            }
        }
    }

    /// Returns whether an event is needed, as far as that is known.
    fn passes(&self, event: &Event) -> Option<bool> {
        let Kind::Delta(delta) = &event.kind else { return Some(true) };
        let mut known = Some(false);
        for run in &delta.pieces {
            match self.needed.get(&run.0) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => known = None,
            }
        }
        known
    }
}
