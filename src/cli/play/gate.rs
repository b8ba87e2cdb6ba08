//! The last check before a conversation starts: on its final participants and limits.

use crate::cli::error::Failure;
use crate::cli::models::resolve::ModelSource;
use crate::ledger::RunBudget;
use crate::model::{Limits, Participant};

/// Decides if a conversation may start. Called after rehearsed lines, substitute voices and models are resolved, and
/// before any program is started or server contacted.
pub trait Gate {
    /// Checks the participants, and lowers the limits if necessary. Returns the part of an account that they use, if
    /// several conversations share one.
    fn admit(
        &self,
        seats: &[Participant],
        limits: &mut Limits,
        models: &ModelSource,
    ) -> Result<Option<RunBudget>, Failure>;
}

/// Gate for a user of the program: rejects limits that cannot be enforced, and a server that nobody uses.
pub struct OperatorGate;

impl Gate for OperatorGate {
    fn admit(
        &self,
        seats: &[Participant],
        limits: &mut Limits,
        models: &ModelSource,
    ) -> Result<Option<RunBudget>, Failure> {
        models.check(seats, limits).map(|()| None)
    }
}
