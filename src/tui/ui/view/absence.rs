//! An absence of the person, as far as the terminal reports its focus, and a rest from the keys.

use crate::model::{Ms, Seq};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absence {
    /// Time at which the terminal lost its focus.
    pub left: Ms,
    /// Time at which it got it back; `None` before that.
    pub back: Option<Ms>,
    /// Number of turns at the beginning.
    pub turns: u32,
    /// First event of the absence.
    pub since: Seq,
}

/// Wait for the poster.
#[derive(Debug, Default)]
pub struct Rest {
    /// Milliseconds without a key or a click after which it opens; `None` never opens it.
    pub after: Option<u64>,
    /// Time of the last key or click, or of the first frame.
    pub since: Option<Ms>,
    /// True if the poster that is shown opened by itself while the conversation ran.
    pub opened: bool,
    /// Number of turns at the end at which the poster was shown by itself or not wanted.
    pub ended_at: Option<u32>,
    /// True for a recording, and if an ended conversation was opened, whose last turn was read before.
    pub is_reopened: bool,
}

/// Times of the last keys that change the meaning of the next one.
#[derive(Debug, Default)]
pub struct KeyTimes {
    /// Time of the last key.
    pub last: Option<Ms>,
    /// Time of the last message.
    pub sent: Option<Ms>,
    /// Time at which the sign of the keys page was typed on the empty line.
    pub help: Option<Ms>,
    /// Time of a blank on the empty line, until it is certain that no text follows.
    pub blank: Option<Ms>,
    /// Short line as it was typed last, and the time of its last key.
    pub line: Option<(String, Ms)>,
}

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
