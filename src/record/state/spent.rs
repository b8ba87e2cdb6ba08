//! Usage of a conversation's calls: tokens, and money if a price is known.

use crate::model::payload::CallParameters;
use crate::model::*;

/// Total of tokens and money.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// Tokens read and written by all calls.
    pub usage: Usage,
    /// Total cost of the calls that have a price.
    pub usd: Usd,
    /// True if any of the calls has a price.
    pub priced: bool,
    /// True if any of the calls has no price, so that the cost is incomplete.
    pub unpriced: bool,
}

impl Spent {
    /// Adds the usage of one turn or call.
    pub fn add(&mut self, usage: &Usage, cost: Option<Usd>) {
        self.usage = self.usage.with(usage);
        self.usd += cost.unwrap_or_default();
        self.priced |= cost.is_some();
        self.unpriced |= cost.is_none();
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn with(&self, more: &Spent) -> Spent {
        Spent {
            usage: self.usage.with(&more.usage),
            usd: self.usd + more.usd,
            priced: self.priced || more.priced,
            unpriced: self.unpriced || more.unpriced,
        }
    }

    /// Returns the cost; `None` if no call had a price.
    pub fn cost(&self) -> Option<Usd> {
        self.priced.then_some(self.usd)
    }

    /// Returns the usage; `None` if no call reported any.
    pub fn used(&self) -> Option<Usage> {
        (self.priced || self.unpriced).then(|| self.usage.clone())
    }
}

/// Maximum usage of a running call. It is reserved for its turn until the turn is over, so that a retry after a failure
/// has its share too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reserve {
    /// Estimated tokens of the prompt.
    pub prompt: u64,
    /// Maximum tokens of the prompt; the estimate if there is no limit.
    pub most: u64,
    /// Maximum tokens of the reply, including reasoning.
    pub reply: u64,
    /// Price of the model; `None` if unknown.
    pub price: Option<Price>,
}

impl Reserve {
    /// Returns the maximum usage of a call of a seat, by the parameters that it was started with.
    pub fn new(parameters: &CallParameters, seat: &Participant) -> Reserve {
        let thought = seat.voice.as_model().map_or(0, ModelSpec::reasoning_tokens);
        let prompt = parameters.prompt_tokens.unwrap_or(0);
        let most = parameters.prompt_most.unwrap_or(prompt);
        // an estimate must not cost more than the amount reserved for it
        let prompt = prompt.min(most);
        let reply = parameters.max_tokens.map(|reply| reply + u64::from(thought));
        Reserve { prompt, most, reply: reply.unwrap_or(0), price: seat.price }
    }

    /// Returns the usage of a call that uses all of it.
    pub fn usage(&self) -> Usage {
        Usage { input: self.most, output: self.reply, estimated: true, ..Usage::default() }
    }

    /// Returns the cost of a call that uses all of it; 0 without a price.
    pub fn usd(&self) -> Usd {
        self.price.map(|price| price.cost(&self.usage())).unwrap_or_default()
    }
}
