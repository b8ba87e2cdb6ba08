//! The card of the last frame, a choice of it that waits for the second Enter, and an action that waits for a second
//! press.

use crate::model::Ms;
use crate::ui::action::Action;

/// Minimum milliseconds between the two Enters of a choice that asks once more, and without a key before the second.
const AGAIN_MS: u64 = 400;
const QUIET_MS: u64 = 250;
/// Milliseconds for which such a choice waits for the second Enter.
pub const WAITS_MS: u64 = 10_000;

/// Proof of the second Enter.
#[derive(Debug)]
pub struct Confirmed(());

/// A choice that waits for the second Enter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirming {
    /// Card of the choice.
    pub card: String,
    /// Index of the choice.
    pub at: usize,
    /// Time of the first Enter.
    pub since: Ms,
}

impl Confirming {
    /// Returns the proof of the second Enter; `None` if it comes too early, such as from a key that is held down.
    pub fn again(&self, now: Ms, last_key: Option<Ms>) -> Option<Confirmed> {
        let quiet = last_key.is_none_or(|at| now.since(at) >= QUIET_MS);
        (quiet && now.since(self.since) >= AGAIN_MS).then_some(Confirmed(()))
    }
}

/// An action that waits for a second press.
#[derive(Clone, Debug)]
pub struct SecondPress {
    pub action: Action,
    /// Notice that asks for the second press.
    pub told: String,
    /// Time at which it was first shown; `None` before that.
    pub since: Option<Ms>,
}

/// The card of the last frame.
#[derive(Clone, Debug, Default)]
pub struct ShownCard {
    /// Identity of the card.
    pub id: String,
    /// Time since which it is shown.
    pub since: Ms,
    /// Width in cells for which its rows are counted.
    pub width: u16,
    /// First row of its description that is shown.
    pub top: usize,
    /// Rows of its description that are shown at once, and all of them.
    pub window: (usize, usize),
    /// True once the last row was shown.
    pub whole: bool,
}
