//! Acts: the small task of a turn that has no other.

use super::ids::SeatId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The act of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnAct {
    /// The task.
    pub kind: ActKind,
    /// The participant to whom a question is put.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<SeatId>,
}

impl ActKind {
    /// Returns true for acts that put a price on agreeing.
    pub fn is_doubt(self) -> bool {
        matches!(self, ActKind::Doubt | ActKind::Premortem)
    }
}

/// Kind of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActKind {
    /// Puts a question whose answer could prove the speaker wrong.
    Question,
    /// Tells a case that nobody has told.
    Case,
    /// Says the cost of the own proposal.
    Cost,
    /// Says what could be given up, and for what.
    Concession,
    /// Speaks against an agreement, for those who pay for it.
    Doubt,
    /// Says how the own proposal could fail.
    Premortem,
}
