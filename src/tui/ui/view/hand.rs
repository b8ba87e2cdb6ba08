//! The hand of a person who writes: how long it stays raised, and since when.

use crate::model::Ms;

/// Milliseconds from the last key for which the floor waits, by default.
pub const PATIENCE_MS: u64 = 15_000;

/// The raised hand of the person.
#[derive(Debug)]
pub struct Hand {
    /// Milliseconds from the last key for which the floor waits; 0 never raises the hand.
    pub patience: u64,
    /// Time of the last change of the draft.
    pub typed: Option<Ms>,
    /// Time of the last hold in force.
    pub(super) held: Option<Ms>,
}

impl Default for Hand {
    fn default() -> Hand {
        Hand { patience: PATIENCE_MS, typed: None, held: None }
    }
}

impl Hand {
    /// Returns the milliseconds left until the floor goes on.
    pub(super) fn left(&self, now: Ms) -> u64 {
        self.typed.map_or(0, |at| self.patience.saturating_sub(now.since(at)))
    }
}
