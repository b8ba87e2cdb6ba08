//! The choice of the turn that the draft answers.

/// The turn that the draft answers, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnsweredTurn {
    /// The turn that the person reads or has chosen.
    pub to: Option<u32>,
    /// True if the person has chosen it, or has dropped it.
    pub fixed: bool,
    /// Last turn that had begun at the first character.
    pub began: u32,
}
