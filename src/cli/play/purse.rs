//! The clients' budget, of which each of their conversations gets a [`Purse`].

use crate::model::{Limits, Participant, Usd};

/// Billionths of a dollar that a token of a model without a known price counts as: the default limit of 0.25 dollars is
/// then 200,000 tokens.
const UNPRICED_TOKEN: u64 = 1_250;

/// The part of the clients' budget that a conversation may use.
#[derive(Clone, Copy, Debug)]
pub struct Purse {
    /// Dollars left in the budget.
    pub left: Usd,
    /// Dollars of a conversation whose client names no limit.
    pub default: Usd,
    /// True if the user set the budget. A budget that is only the default becomes tokens for models without a price.
    pub is_set: bool,
}

impl Purse {
    /// Returns the limit in dollars. It is never `None`: once the budget is used up, free conversations go on and paid
    /// ones do not begin.
    fn usd(self, asked: Option<Usd>) -> Usd {
        asked.unwrap_or(self.default).min(self.left).max(Usd(1))
    }

    /// Returns the dollars that a conversation with these limits takes out of the budget while it runs.
    pub fn kept(self, limits: &Limits) -> Usd {
        limits.usd.unwrap_or(self.default).min(self.left)
    }

    /// Returns limits in money and tokens that hold for these participants, within those asked for.
    pub fn limits(self, seats: &[&Participant], asked: &Limits) -> Limits {
        let usd = self.usd(asked.usd);
        let known = Limits { usd: Some(usd), tokens: asked.tokens, ..Limits::default() };
        let fixed = asked.usd.is_some() || self.is_set;
        if fixed {
            return known;
        }
        let Some(worth) = token_worth(seats) else { return known };
        let tokens = (usd.0 / worth).max(1);
        let tokens = asked.tokens.map_or(tokens, |asked| asked.min(tokens));
        Limits { tokens: Some(tokens), ..Limits::default() }
    }
}

/// Returns the billionths of a dollar that a token counts as if a model lacks a known price: the highest price at the
/// table. `None` if every model has a price or runs on this machine.
pub fn token_worth(seats: &[&Participant]) -> Option<u64> {
    seats.iter().find_map(|seat| seat.uncountable())?;
    let all = seats.iter().flat_map(|seat| seat.everyone());
    let prices = all.flat_map(|seat| {
        let others = seat.voice.as_model().into_iter().flat_map(|model| &model.fallbacks);
        seat.price.into_iter().chain(others.filter_map(|f| f.price))
    });
    let dearest = prices.map(|price| price.most_per_token().0).max().unwrap_or_default();
    Some(dearest.max(UNPRICED_TOKEN))
}
