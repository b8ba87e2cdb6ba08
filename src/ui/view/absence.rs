//! An absence of the person, as far as the terminal reports its focus.

use crate::model::{Ms, Seq};

/// An absence.
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
