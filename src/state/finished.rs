//! Pieces that nobody needs any more: the end of their turn repeats all its words.

use crate::model::{Event, Kind, TurnId};
use std::collections::HashSet;

/// The turns of a log whose pieces change nothing in a fold of the whole of it.
#[derive(Clone, Debug, Default)]
pub struct Finished(HashSet<TurnId>);

impl Finished {
    /// Collects the turns that ended. One that was asked again is left out: what the answer before cost is estimated from
    /// its pieces.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Finished {
        let (mut ended, mut retried) = (HashSet::new(), HashSet::new());
        for event in events {
            if let Kind::TurnEnded(e) = &event.kind {
                ended.insert(e.turn);
            } else if let Kind::CallRetried(r) = &event.kind {
                retried.insert(r.turn);
            } else if let Kind::ToolAsked(a) = &event.kind {
                // what was said before a tool was asked stands in no end
                retried.insert(a.turn);
            }
        }
        ended.retain(|turn| !retried.contains(turn));
        Finished(ended)
    }

    /// Returns whether a fold of the whole log comes to the same without an event.
    pub fn repeats(&self, event: &Event) -> bool {
        let Kind::Delta(delta) = &event.kind else { return false };
        delta.pieces.iter().all(|run| self.0.contains(&run.0))
    }
}
