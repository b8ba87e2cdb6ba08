//! What the calls of a conversation have used: tokens, and money where a price is known.

use super::{Conversation, Seat, Turn};
use crate::model::payload::CallParameters;
use crate::model::*;

/// By how much a prompt may have more tokens than a token for four bytes, in thousandths, where its model has reported none.
const MARGIN_UNKNOWN: u32 = 2_000;
/// The margin at which a byte is a token.
const MARGIN_MOST: u32 = 4_000;
/// What the highest margin that was seen is raised by, in hundredths: the next prompt may be in another writing.
const MARGIN_RAISED: u32 = 125;

/// Bytes that are taken for one token where nobody counted.
const BYTES_PER_TOKEN: usize = 4;

/// Tokens and money, added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    /// Tokens read and written.
    pub usage: Usage,
    /// What was paid for those that have a price.
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

    /// Returns both together.
    #[must_use]
    pub fn with(&self, more: &Spent) -> Spent {
        Spent {
            usage: self.usage.with(&more.usage),
            usd: self.usd + more.usd,
            priced: self.priced || more.priced,
            unpriced: self.unpriced || more.unpriced,
        }
    }

    /// Returns the money, unless nothing has a price.
    pub fn cost(&self) -> Option<Usd> {
        self.priced.then_some(self.usd)
    }

    /// Returns the usage, unless there is none.
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
    /// Tokens that the prompt has at most; as estimated, where no limit holds.
    pub most: u64,
    /// Tokens of the reply, reasoning included.
    pub reply: u64,
    /// The price of the model.
    pub price: Option<Price>,
}

impl Reserve {
    /// Returns what a call of a seat may use, by the parameters that it was started with.
    pub fn of(parameters: &CallParameters, seat: &Participant) -> Reserve {
        let thought = match &seat.voice {
            VoiceSpec::Model(model) => model.reasoning_tokens(),
            VoiceSpec::Script(_) | VoiceSpec::Human { .. } | VoiceSpec::Lines { .. } => 0,
        };
        let prompt = parameters.prompt_tokens.unwrap_or(0);
        let most = parameters.prompt_most.unwrap_or(prompt);
        // what nobody counts must not cost more than what was set aside for it
        let prompt = prompt.min(most);
        let reply = parameters.max_tokens.map(|reply| reply + u64::from(thought));
        Reserve { prompt, most, reply: reply.unwrap_or(0), price: seat.price }
    }

    /// Returns it as if it had been used.
    pub fn usage(&self) -> Usage {
        Usage { input: self.most, output: self.reply, estimated: true }
    }

    /// Returns what it would cost.
    pub fn usd(&self) -> Usd {
        self.price.map(|price| price.of(&self.usage())).unwrap_or_default()
    }
}

impl Turn {
    /// Returns what the call that runs has used, as far as anybody can tell from the bytes that came of it.
    pub fn guess(&self, bytes: usize) -> Usage {
        let output = bytes.div_ceil(BYTES_PER_TOKEN) as u64;
        let most = if self.reserve.reply > 0 { self.reserve.reply } else { u64::MAX };
        Usage { input: self.reserve.prompt, output: output.min(most), estimated: true }
    }
}

impl Conversation {
    /// Returns by how much a prompt of a seat may have more tokens than a token for four bytes, in thousandths: what its
    /// model has reported so far, and a bit.
    pub fn margin_of(&self, seat: &str) -> u32 {
        let model = self.seat(seat).map(|s| s.spec.voice.label());
        match model.and_then(|model| self.margins.get(&*model)) {
            Some(seen) => {
                (seen.saturating_mul(MARGIN_RAISED) / 100).clamp(MARGIN_RAISED, MARGIN_MOST)
            }
            None => MARGIN_UNKNOWN,
        }
    }

    /// Learns from what a model reports of the prompt of a turn that took one call.
    pub(super) fn learn_margin(&mut self, turn: &Turn, usage: &Usage) {
        let margin = turn.parameters.prompt_margin.filter(|_| turn.calls == 1).map(u64::from);
        let (Some(margin), false) = (margin, usage.estimated) else { return };
        let most = turn.reserve.most.max(1);
        let seen = usage.input.saturating_mul(margin) / most;
        let seen = u32::try_from(seen).unwrap_or(MARGIN_MOST).min(MARGIN_MOST);
        let known = self.margins.entry(turn.model.clone()).or_default();
        *known = seen.max(*known);
    }

    /// Returns what was used so far, by turns that are over and by earlier calls of those that run.
    pub fn spent(&self) -> Spent {
        self.turns.values().fold(self.over.clone(), |all, turn| all.with(&turn.spent))
    }

    /// Returns what one seat has cost so far.
    pub fn cost_of(&self, seat: &Seat) -> Usd {
        let running = self.turns.values().filter(|t| t.seat == seat.spec.id);
        seat.spent.usd + running.map(|t| t.spent.usd).sum()
    }
}
