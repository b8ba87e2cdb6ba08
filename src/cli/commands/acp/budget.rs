//! Limits of conversations in money: all conversations of a client share one budget.
//!
//! A conversation takes its limit out of the budget while it runs, and what it used afterwards. Models without a known
//! price and agents cannot be counted in dollars; unless the user set the budget, a limit in tokens replaces it.

use crate::cli::error::{Exit, Failure};
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::gate::Gate;
use crate::cli::play::purse::{Purse, token_worth};
use crate::model::{Limits, Participant, Usd, VoiceSpec};
use crate::state::State;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The budget in dollars, if the user sets none.
pub const DEFAULT_USD: f64 = 1.0;
/// The budget of all conversations of a client.
pub struct SharedBudget {
    total: Usd,
    /// True if the user set it; then models must have a price.
    is_set: bool,
    accounts: Mutex<BTreeMap<String, Account>>,
}

/// The part of the budget that one conversation uses.
#[derive(Clone, Copy, Default)]
struct Account {
    /// Dollars of its ended runs.
    paid: Usd,
    /// Dollars that its present run may use.
    reserved: Usd,
    /// Dollars that it had used before this run, under earlier programs too.
    before: Usd,
    /// Billionths of a dollar that a token counts as, if its limit is in tokens.
    worth: Option<u64>,
}

/// The account of one conversation.
#[derive(Clone)]
pub struct BudgetShare {
    budget: Arc<SharedBudget>,
    session: String,
}

impl SharedBudget {
    /// Returns a budget; `None` is [`DEFAULT_USD`].
    pub fn new(usd: Option<Usd>) -> SharedBudget {
        let total = usd.or(Usd::try_from(DEFAULT_USD).ok()).unwrap_or_default();
        SharedBudget { total, is_set: usd.is_some(), accounts: Mutex::default() }
    }
}

impl BudgetShare {
    /// Returns the account of a session.
    pub fn new(budget: &Arc<SharedBudget>, session: &str) -> BudgetShare {
        BudgetShare { budget: budget.clone(), session: session.to_owned() }
    }

    /// Returns the limits in money and tokens of a conversation with the limits `own` that continues after `past`, and
    /// reserves what they allow.
    ///
    /// # Errors
    /// If the budget is used up.
    pub fn reserve(
        &self,
        seats: &[&Participant],
        own: &Limits,
        past: &State,
    ) -> Result<Limits, Failure> {
        let SharedBudget { total, is_set, .. } = *self.budget;
        let is_free = seats.iter().all(|seat| is_free(seat));
        let mut accounts = self.budget.accounts.lock();
        let taken: Usd = accounts.values().flat_map(|a| [a.paid, a.reserved]).sum();
        let left = total.0.saturating_sub(taken.0);
        if left == 0 && !is_free {
            let dollars = f64::from(total);
            let message = format!("the budget of ${dollars} for all conversations is used up");
            return Err(Failure::new(Exit::Budget, message)
                .hint("start `colloquium acp` with a higher --max-usd"));
        }
        let is_fixed = is_set || own.usd.is_some();
        let worth = if is_fixed { None } else { token_worth(seats) };
        let before = used(past, worth);
        let most = Usd(before.0.saturating_add(left));
        let limits = Purse { left: most, default: most, is_set }.limits(seats, own);
        if is_free {
            return Ok(limits);
        }
        let most = match (worth, limits.tokens, limits.usd) {
            (Some(worth), Some(tokens), _) => tokens.saturating_mul(worth),
            (_, _, usd) => usd.unwrap_or(most).0,
        };
        let account = accounts.entry(self.session.clone()).or_default();
        let reserved = Usd(most.saturating_sub(before.0));
        *account = Account { paid: account.paid, reserved, before, worth };
        Ok(limits)
    }

    /// Replaces what was reserved by what the conversation used until its end.
    pub fn settle(&self, end: &State) {
        if let Some(account) = self.budget.accounts.lock().get_mut(&self.session) {
            let used = used(end, account.worth).0.saturating_sub(account.before.0);
            account.paid.0 = account.paid.0.saturating_add(used);
            account.reserved = Usd(0);
        }
    }

    /// Gives back what was reserved for a conversation that did not start.
    pub fn release(&self) {
        if let Some(account) = self.budget.accounts.lock().get_mut(&self.session) {
            account.reserved = Usd(0);
        }
    }
}

impl Gate for BudgetShare {
    fn admit(
        &self,
        seats: &[Participant],
        limits: &mut Limits,
        models: &ModelSource,
    ) -> Result<(), Failure> {
        let all: Vec<&Participant> = seats.iter().collect();
        let Limits { usd, tokens, .. } = self.reserve(&all, limits, &State::default())?;
        *limits = Limits { usd, tokens, ..limits.clone() };
        models.count(seats, limits)
    }
}

/// Returns what a conversation has used so far.
fn used(state: &State, worth: Option<u64>) -> Usd {
    let spent = state.spent();
    match worth {
        Some(worth) => Usd(spent.usage.tokens().saturating_mul(worth)),
        None => spent.usd,
    }
}

/// Returns whether nobody pays for a seat: it asks no model but one of this machine, no agent and no service.
fn is_free(seat: &Participant) -> bool {
    seat.everyone().into_iter().all(|seat| match &seat.voice {
        VoiceSpec::Lines { .. } | VoiceSpec::Human { .. } | VoiceSpec::Script(_) => true,
        VoiceSpec::Model(model) => {
            let is_own = seat.local || model.recording().is_some();
            is_own && model.fallbacks.iter().all(|fallback| fallback.local)
        }
        VoiceSpec::Agent(_) | VoiceSpec::Http(_) => false,
        // its members are seats of their own
        VoiceSpec::Team(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Fallback, ModelSpec, Price};

    fn seat(price: Option<Price>) -> Participant {
        let spec = ModelSpec { name: "far:model".into(), ..ModelSpec::default() };
        Participant { price, ..Participant::new("ada", VoiceSpec::Model(spec)) }
    }

    #[test]
    fn conversations_share_the_budget_and_give_back_what_they_did_not_use() {
        let budget = Arc::new(SharedBudget::new(Usd::try_from(0.5).ok()));
        let seat = seat(Some(Price(2.0, 10.0)));
        let take = |session: &str, own: Option<f64>| {
            let own =
                Limits { usd: own.and_then(|usd| Usd::try_from(usd).ok()), ..Limits::default() };
            BudgetShare::new(&budget, session).reserve(&[&seat], &own, &State::default())
        };
        assert_eq!(take("a", Some(0.2)).unwrap().usd.map(f64::from), Some(0.2));
        assert_eq!(take("b", None).unwrap().usd.map(f64::from), Some(0.3));
        assert_eq!(take("c", None).unwrap_err().code, Exit::Budget);
        let local = Participant { local: true, price: None, ..seat.clone() };
        let free = |seat: &Participant| {
            let own = Limits::default();
            BudgetShare::new(&budget, "d").reserve(&[seat], &own, &State::default())
        };
        free(&local).unwrap();
        let spec = ModelSpec {
            name: "near:model".into(),
            fallbacks: vec![Fallback { name: "far:model".into(), ..Fallback::default() }],
            ..ModelSpec::default()
        };
        let falls_back = Participant { voice: VoiceSpec::Model(spec), ..local };
        assert_eq!(free(&falls_back).unwrap_err().code, Exit::Budget, "its fallback is paid");
        // nothing was used
        BudgetShare::new(&budget, "a").settle(&State::default());
        assert_eq!(take("c", Some(9.0)).unwrap().usd.map(f64::from), Some(0.2));
        BudgetShare::new(&budget, "b").release();
        assert_eq!(take("a", None).unwrap().usd.map(f64::from), Some(0.3));
    }

    #[test]
    fn a_default_budget_is_in_tokens_for_models_without_a_price() {
        let limits = |usd, seat: &Participant| {
            let budget = Arc::new(SharedBudget::new(usd));
            let share = BudgetShare::new(&budget, "a");
            let limits = share.reserve(&[seat], &Limits::default(), &State::default()).unwrap();
            (limits.usd.map(f64::from), limits.tokens)
        };
        assert_eq!(limits(None, &seat(None)), (None, Some(800_000)));
        let set = Usd::try_from(0.5).ok();
        assert_eq!(limits(set, &seat(None)), (Some(0.5), None), "refused later, by its model");
        let local = Participant { local: true, ..seat(None) };
        assert_eq!(limits(None, &local), (Some(1.0), None), "costs nothing, and has a limit");
    }
}
