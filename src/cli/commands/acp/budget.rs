//! Limits of conversations in money: all conversations of a client share one account.

use crate::cli::error::{Exit, Failure};
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::gate::Gate;
use crate::ledger::{AskedLimits, Exhausted, Ledger, RunBudget};
use crate::model::{Limits, Participant};
use crate::state::State;
use std::sync::Arc;

/// The gate of a client: its conversations pay from one account.
#[derive(Clone)]
pub struct EditorGate(pub Arc<Ledger>);

impl EditorGate {
    /// Reserves the limits of a conversation with its own limits `own`, which continues after the state `past`.
    ///
    /// # Errors
    /// If nothing is left.
    pub fn reserve(
        &self,
        seats: &[&Participant],
        own: &Limits,
        past: &State,
    ) -> Result<RunBudget, Failure> {
        let ask = AskedLimits { seats, own, past, each: None };
        self.0.reserve(&ask).map_err(|Exhausted(most)| {
            let message = format!("the budget of {} for all conversations is used up", most.usd);
            Failure::new(Exit::Budget, message)
                .hint("start `colloquium acp` with a higher --max-usd")
        })
    }
}

impl Gate for EditorGate {
    fn admit(
        &self,
        seats: &[Participant],
        limits: &mut Limits,
        models: &ModelSource,
    ) -> Result<Option<RunBudget>, Failure> {
        let all: Vec<&Participant> = seats.iter().collect();
        let budget = self.reserve(&all, limits, &State::default())?;
        let Limits { usd, tokens, .. } = budget.limits;
        *limits = Limits { usd, tokens, ..limits.clone() };
        models.count(seats, limits)?;
        Ok(Some(budget))
    }
}
