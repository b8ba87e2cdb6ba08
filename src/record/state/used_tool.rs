//! A tool call that its participant still sees in later turns.

use crate::model::tool::ToolRun;
use crate::model::{SeatId, TurnId};

/// A tool call of an ended turn.
#[derive(Clone, Debug, PartialEq)]
pub struct UsedTool {
    /// The seat that asked for it.
    pub by: SeatId,
    /// The turn in which it was called.
    pub turn: TurnId,
    /// The request and its result.
    pub run: ToolRun,
}
