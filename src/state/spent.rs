//! The use of a conversation's calls: tokens, and money where a price is known.

use crate::model::payload::CallParameters;
use crate::model::*;

/// Tokens and money, added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// Tokens read and written by all calls.
    pub usage: Usage,
    /// The cost of calls that have a price.
    pub usd: Usd,
    /// Whether any of it has a price.
    pub priced: bool,
    /// Whether some of it has none, so that the sum of money leaves something out.
    pub unpriced: bool,
}

impl Spent {
    /// Adds what one turn or call used.
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

    /// Returns the money; none where no call had a price.
    pub fn cost(&self) -> Option<Usd> {
        self.priced.then_some(self.usd)
    }

    /// Returns the usage; none where no call reported any.
    pub fn used(&self) -> Option<Usage> {
        (self.priced || self.unpriced).then(|| self.usage.clone())
    }
}

/// What a running call may use at most; it is kept for its turn until that is over, so that a call after a failure has
/// its share as well.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reserve {
    /// Tokens of the prompt, as estimated.
    pub prompt: u64,
    /// The most tokens that the prompt may have; as estimated, where no limit holds.
    pub most: u64,
    /// Tokens of the reply, reasoning included.
    pub reply: u64,
    /// The price of the model; none is unknown.
    pub price: Option<Price>,
}

impl Reserve {
    /// Returns what a call of a seat may use, by the parameters that it was started with.
    pub fn of(parameters: &CallParameters, seat: &Participant) -> Reserve {
        let thought = match &seat.voice {
            VoiceSpec::Model(model) => model.reasoning_tokens(),
            VoiceSpec::Script(_)
            | VoiceSpec::Agent(_)
            | VoiceSpec::Team(_)
            | VoiceSpec::Human { .. }
            | VoiceSpec::Lines { .. } => 0,
        };
        let prompt = parameters.prompt_tokens.unwrap_or(0);
        let most = parameters.prompt_most.unwrap_or(prompt);
        // an estimate must not cost more than was set aside for it
        let prompt = prompt.min(most);
        let reply = parameters.max_tokens.map(|reply| reply + u64::from(thought));
        Reserve { prompt, most, reply: reply.unwrap_or(0), price: seat.price }
    }

    /// Returns it as if it had been used.
    pub fn usage(&self) -> Usage {
        Usage { input: self.most, output: self.reply, estimated: true, ..Usage::default() }
    }

    /// Returns what a call would cost that uses all of it; 0 without a price.
    pub fn usd(&self) -> Usd {
        self.price.map(|price| price.of(&self.usage())).unwrap_or_default()
    }
}
