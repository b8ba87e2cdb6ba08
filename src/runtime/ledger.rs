//! Money and tokens: the default limits of all commands, and the one account that conversations and calls share.
//!
//! Amounts are reserved before they are used; the unused rest is given back, so that all together stay below the limit. Models without a known price and agents cannot be counted in dollars: by default, tokens limit
//! them.

use crate::model::{Limits, Participant, Usd, VoiceSpec};
use crate::state::State;
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::Notify;

/// A conversation of `talk`.
pub const TALK: Usd = Usd(1_000_000_000);
/// Turns of a conversation of `talk` in which a program speaks, since its login may pay by a quota.
pub const PROGRAM_CALLS: u32 = 40;
/// All conversations of an editor.
pub const ACP: Usd = Usd(1_000_000_000);
/// All conversations of an MCP server.
pub const MCP: Usd = Usd(1_000_000_000);
/// One conversation of an MCP server.
pub const MCP_EACH: Usd = Usd(250_000_000);
/// All model calls of a run of tests.
pub const TESTS: Usd = Usd(1_000_000_000);
/// Tokens in place of a default limit in dollars, for models without a known price.
pub const UNPRICED_TOKENS: u64 = 200_000;

/// Billionths of a dollar that a token without a known price counts as: [`MCP_EACH`] is then [`UNPRICED_TOKENS`].
const UNPRICED_TOKEN: u64 = MCP_EACH.0 / UNPRICED_TOKENS;

/// An amount of money, and tokens of models without a known price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Money {
    /// Dollars.
    pub usd: Usd,
    pub tokens: u64,
}

impl Money {
    fn plus(self, more: Money) -> Money {
        Money { usd: self.usd + more.usd, tokens: self.tokens.saturating_add(more.tokens) }
    }

    fn minus(self, less: Money) -> Money {
        Money {
            usd: Usd(self.usd.0.saturating_sub(less.usd.0)),
            tokens: self.tokens.saturating_sub(less.tokens),
        }
    }

    fn is_within(self, most: Money) -> bool {
        self.usd <= most.usd && self.tokens <= most.tokens
    }
}

/// A limit that is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted(pub Money);

/// The limit of all conversations or calls of a run of the program, and its use so far.
#[derive(Debug)]
pub struct Ledger {
    most: Money,
    /// True if the user set it; then models must have a price.
    is_set: bool,
    used: Mutex<Used>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Used {
    spent: Money,
    reserved: Money,
    /// True if something was refused.
    is_reached: bool,
}

/// A conversation that asks for its limits.
#[derive(Clone, Copy, Debug)]
pub struct AskedLimits<'a> {
    pub seats: &'a [&'a Participant],
    pub own: &'a Limits,
    /// Its state so far; an earlier run of it may have used some of its limits.
    pub past: &'a State,
    /// Dollars that it may use without a limit of its own; `None` is all that is left.
    pub each: Option<Usd>,
}

impl Ledger {
    /// Returns an unused account with the user's limit in dollars, or with a default one.
    pub fn new(usd: Option<Usd>, default: Usd) -> Arc<Ledger> {
        let most = Money { usd: usd.unwrap_or(default), tokens: UNPRICED_TOKENS };
        let is_set = usd.is_some();
        Arc::new(Ledger { most, is_set, used: Mutex::default(), freed: Notify::new() })
    }

    /// Returns whether the user set the limit.
    pub fn is_set(&self) -> bool {
        self.is_set
    }

    /// Returns the dollars that nobody used or reserved.
    pub fn left(&self) -> Usd {
        let used = self.used.lock();
        self.most.minus(used.spent.plus(used.reserved)).usd
    }

    /// Returns true if something was refused.
    pub fn is_reached(&self) -> bool {
        self.used.lock().is_reached
    }

    /// Reserves the limits of a conversation.
    ///
    /// # Errors
    /// If nothing is left and the conversation is not free.
    pub fn reserve(self: &Arc<Ledger>, ask: &AskedLimits<'_>) -> Result<RunBudget, Exhausted> {
        let AskedLimits { seats, own, past, each } = *ask;
        let is_free = seats.iter().all(|seat| is_free(seat));
        let mut used = self.used.lock();
        let left = self.most.minus(used.spent.plus(used.reserved)).usd;
        if left == Usd(0) && !is_free {
            used.is_reached = true;
            return Err(Exhausted(self.most));
        }
        let is_fixed = self.is_set || own.usd.is_some();
        let worth = if is_fixed { None } else { token_worth(seats) };
        let before = used_by(past, worth);
        let most = before + left;
        let usd = own.usd.or(each.map(|each| before + each)).unwrap_or(most).min(most).max(Usd(1));
        let limits = match worth {
            None => Limits { usd: Some(usd), tokens: own.tokens, ..Limits::default() },
            Some(worth) => {
                let tokens = (usd.0 / worth).max(1);
                let tokens = own.tokens.map_or(tokens, |own| own.min(tokens));
                Limits { tokens: Some(tokens), ..Limits::default() }
            }
        };
        let usd = match (worth, limits.tokens) {
            (Some(worth), Some(tokens)) => Usd(tokens.saturating_mul(worth)),
            _ => usd,
        };
        let money = Money { usd: Usd(usd.0.saturating_sub(before.0)), tokens: 0 };
        let money = if is_free { Money::default() } else { money };
        used.reserved = used.reserved.plus(money);
        let reservation = Reservation { ledger: self.clone(), money };
        Ok(RunBudget { limits, reservation, before, worth })
    }

    /// Reserves the highest cost of a call; waits for running calls if their reservations leave no room.
    ///
    /// # Errors
    /// If the limit does not allow the call.
    pub async fn reserve_call(self: &Arc<Ledger>, cost: Money) -> Result<Reservation, Exhausted> {
        loop {
            let freed = self.freed.notified();
            {
                let mut used = self.used.lock();
                if used.spent.plus(used.reserved).plus(cost).is_within(self.most) {
                    used.reserved = used.reserved.plus(cost);
                    return Ok(Reservation { ledger: self.clone(), money: cost });
                }
                if !used.spent.plus(cost).is_within(self.most) {
                    used.is_reached = true;
                    return Err(Exhausted(self.most));
                }
            }
            freed.await;
        }
    }
}

/// An amount that is set aside; dropping it gives it back.
#[derive(Debug)]
pub struct Reservation {
    ledger: Arc<Ledger>,
    money: Money,
}

impl Reservation {
    /// Returns the amount.
    pub fn money(&self) -> Money {
        self.money
    }

    /// Replaces the amount by what was used.
    pub fn charge(self, used: Money) {
        let mut account = self.ledger.used.lock();
        account.spent = account.spent.plus(used);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut used = self.ledger.used.lock();
        used.reserved = used.reserved.minus(self.money);
        drop(used);
        self.ledger.freed.notify_waiters();
    }
}

/// The part of an account that a run of a conversation may use; dropping it gives it back.
#[derive(Debug)]
pub struct RunBudget {
    /// Limits in dollars or tokens.
    pub limits: Limits,
    reservation: Reservation,
    /// Use of the conversation before this run.
    before: Usd,
    /// Billionths of a dollar that a token counts as, if the limit is in tokens.
    worth: Option<u64>,
}

impl RunBudget {
    /// Charges what the conversation used until its end.
    pub fn charge(self, end: &State) {
        let usd = Usd(used_by(end, self.worth).0.saturating_sub(self.before.0));
        self.reservation.charge(Money { usd, tokens: 0 });
    }
}

fn used_by(state: &State, worth: Option<u64>) -> Usd {
    let spent = state.spent();
    match worth {
        Some(worth) => Usd(spent.usage.tokens().saturating_mul(worth)),
        None => spent.usd,
    }
}

/// Returns the billionths of a dollar that a token counts as if a model lacks a known price: the highest price at the
/// table. `None` if every model has a price or runs on this machine.
fn token_worth(seats: &[&Participant]) -> Option<u64> {
    seats.iter().find_map(|seat| seat.uncountable())?;
    let all = seats.iter().flat_map(|seat| seat.everyone());
    let prices = all.flat_map(|seat| {
        let others = seat.voice.as_model().into_iter().flat_map(|model| &model.fallbacks);
        seat.price.into_iter().chain(others.filter_map(|f| f.price))
    });
    let dearest = prices.map(|price| price.most_per_token().0).max().unwrap_or_default();
    Some(dearest.max(UNPRICED_TOKEN))
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

    fn reserve(
        ledger: &Arc<Ledger>,
        seats: &[&Participant],
        own: &Limits,
        each: Option<Usd>,
    ) -> Result<RunBudget, Exhausted> {
        ledger.reserve(&AskedLimits { seats, own, past: &State::default(), each })
    }

    fn amounts(budget: &RunBudget) -> (Option<f64>, Option<u64>) {
        (budget.limits.usd.map(f64::from), budget.limits.tokens)
    }

    #[test]
    fn conversations_share_a_limit_and_give_back_what_they_did_not_use() {
        let ledger = Ledger::new(Some(Usd(500_000_000)), ACP);
        let seat = seat(Some(Price(2.0, 10.0)));
        let take = |own: Option<u64>| {
            let own = Limits { usd: own.map(Usd), ..Limits::default() };
            reserve(&ledger, &[&seat], &own, None)
        };
        let first = take(Some(200_000_000)).unwrap();
        let second = take(None).unwrap();
        assert_eq!(amounts(&first).0, Some(0.2));
        assert_eq!(amounts(&second).0, Some(0.3));
        assert_eq!(take(None).unwrap_err(), Exhausted(ledger.most));
        let local = Participant { local: true, price: None, ..seat.clone() };
        let free = |seat: &Participant| reserve(&ledger, &[seat], &Limits::default(), None);
        free(&local).unwrap();
        let spec = ModelSpec {
            name: "near:model".into(),
            fallbacks: vec![Fallback { name: "far:model".into(), ..Fallback::default() }],
            ..ModelSpec::default()
        };
        let falls_back = Participant { voice: VoiceSpec::Model(spec), ..local };
        free(&falls_back).expect_err("its fallback is paid");
        // nothing was used
        first.charge(&State::default());
        assert_eq!(amounts(&take(Some(9_000_000_000)).unwrap()).0, Some(0.2));
        drop(second);
        assert_eq!(ledger.left(), Usd(500_000_000));
    }

    #[test]
    fn a_default_limit_becomes_tokens_for_models_without_a_price() {
        let (priced, unpriced) = (seat(Some(Price(2.0, 10.0))), seat(None));
        let limits = |set: Option<u64>, seats: &[&Participant], own: Limits, each| {
            let ledger = Ledger::new(set.map(Usd), MCP);
            amounts(&reserve(&ledger, seats, &own, each).unwrap())
        };
        let none = Limits::default;
        let each = Some(MCP_EACH);
        assert_eq!(limits(None, &[&priced], none(), each), (Some(0.25), None));
        assert_eq!(limits(None, &[&unpriced], none(), each), (None, Some(UNPRICED_TOKENS)));
        let both = limits(None, &[&unpriced, &priced], none(), each);
        assert_eq!(both, (None, Some(25_000)), "at the dearest price");
        let tokens = Limits { tokens: Some(900), ..none() };
        assert_eq!(limits(None, &[&unpriced], tokens, each), (None, Some(900)));
        let usd = Limits { usd: Some(Usd(500_000_000)), ..none() };
        let own = limits(None, &[&unpriced], usd, each);
        assert_eq!(own, (Some(0.5), None), "a limit of its own is kept");
        assert_eq!(limits(None, &[&unpriced], none(), None), (None, Some(800_000)));
        let set = limits(Some(500_000_000), &[&unpriced], none(), None);
        assert_eq!(set, (Some(0.5), None), "refused later, by its model");
        let local = Participant { local: true, ..seat(None) };
        let free = limits(None, &[&local], none(), None);
        assert_eq!(free, (Some(1.0), None), "costs nothing, and has a limit");
    }
}
