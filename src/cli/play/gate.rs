//! The last check before a conversation begins: on the participants and limits that it will really have.

use crate::cli::error::Failure;
use crate::cli::models::resolve::ModelSource;
use crate::model::{Limits, Participant};

/// Decides whether a conversation may begin. Called after rehearsed lines, stand-ins and models are resolved, and before
/// any program or server is started or asked.
pub trait Gate {
    /// Checks the participants, and lowers the limits where it has to.
    ///
    /// # Errors
    /// The reason for a refusal.
    fn admit(
        &self,
        seats: &[Participant],
        limits: &mut Limits,
        models: &ModelSource,
    ) -> Result<(), Failure>;
}

/// The gate of somebody who starts the program: refuses only a limit that could not hold.
pub struct OperatorGate;

impl Gate for OperatorGate {
    fn admit(
        &self,
        seats: &[Participant],
        limits: &mut Limits,
        models: &ModelSource,
    ) -> Result<(), Failure> {
        models.count(seats, limits)
    }
}
