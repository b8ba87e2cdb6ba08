//! Limits of conversations in money: all conversations of a client share one budget.
//!
//! A conversation takes its limit out of the budget while it runs, and what it used afterwards. Models without a known
//! price and agents cannot be counted in dollars; unless the user set the budget, a limit in tokens replaces it.

use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::gate::Gate;
use crate::model::{Limits, Participant, Usd, VoiceSpec};
use crate::state::State;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The budget in dollars, if the user sets none.
pub const DEFAULT_USD: f64 = 1.0;
/// Billionths of a dollar that a token of a model without a known price counts as: a dollar is 800,000 tokens.
const UNPRICED_TOKEN: u64 = 1_250;

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
        if seats.iter().all(|seat| is_free(seat)) {
            return Ok(Limits { usd: own.usd, tokens: own.tokens, ..Limits::default() });
        }
        let SharedBudget { total, is_set, .. } = *self.budget;
        let worth = if is_set || own.usd.is_some() { None } else { worth(seats) };
        let before = used(past, worth);
        let mut accounts = self.accounts();
        let taken: Usd = accounts.values().flat_map(|a| [a.paid, a.reserved]).sum();
        let left = total.0.saturating_sub(taken.0);
        if left == 0 {
            let dollars = f64::from(total);
            let message = format!("the budget of ${dollars} for all conversations is used up");
            return Err(Failure::new(Exit::Budget, message)
                .hint("start `colloquium acp` with a higher --max-usd"));
        }
        let most = before.0.saturating_add(left);
        let (limits, most) = match worth {
            Some(worth) => {
                let tokens = (most / worth).min(own.tokens.unwrap_or(u64::MAX)).max(1);
                let limits = Limits { tokens: Some(tokens), ..Limits::default() };
                (limits, tokens.saturating_mul(worth))
            }
            None => {
                let usd = own.usd.map_or(most, |own| own.0.min(most));
                let limits =
                    Limits { usd: Some(Usd(usd)), tokens: own.tokens, ..Limits::default() };
                (limits, usd)
            }
        };
        let account = accounts.entry(self.session.clone()).or_default();
        let reserved = Usd(most.saturating_sub(before.0));
        *account = Account { paid: account.paid, reserved, before, worth };
        Ok(limits)
    }

    /// Replaces what was reserved by what the conversation used until its end.
    pub fn settle(&self, end: &State) {
        if let Some(account) = self.accounts().get_mut(&self.session) {
            let used = used(end, account.worth).0.saturating_sub(account.before.0);
            account.paid.0 = account.paid.0.saturating_add(used);
            account.reserved = Usd(0);
        }
    }

    /// Gives back what was reserved for a conversation that did not start.
    pub fn release(&self) {
        if let Some(account) = self.accounts().get_mut(&self.session) {
            account.reserved = Usd(0);
        }
    }

    fn accounts(&self) -> MutexGuard<'_, BTreeMap<String, Account>> {
        self.budget.accounts.lock().unwrap_or_else(PoisonError::into_inner)
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
        VoiceSpec::Model(model) => seat.local || model.recording().is_some(),
        VoiceSpec::Agent(_) | VoiceSpec::Http(_) => false,
        // its members are seats of their own
        VoiceSpec::Team(_) => true,
    })
}

/// Returns the billionths of a dollar that a token counts as if a voice lacks a known price: the highest price at the
/// table. `None` if every voice has a price or is free.
fn worth(seats: &[&Participant]) -> Option<u64> {
    seats.iter().find_map(|seat| seat.uncountable())?;
    let all = seats.iter().flat_map(|seat| seat.everyone());
    let dearest = all.filter_map(|seat| seat.price).map(|price| price.most_per_token().0).max();
    Some(dearest.unwrap_or_default().max(UNPRICED_TOKEN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelSpec, Price};

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
        assert_eq!(limits(None, &local), (None, None), "costs nothing");
    }
}
