//! Call rates of providers, and the time of the next possible call.

use super::{Conversation, Turn};
use crate::model::{CallRate, Ms, Text, VoiceSpec};
use std::collections::{BTreeMap, VecDeque};

/// Rates of providers, and the calls that count against them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    rates: BTreeMap<Text, CallRate>,
    /// Start times of the last calls by provider, oldest first; at most the number of calls in the rate.
    calls: BTreeMap<Text, VecDeque<Ms>>,
}

impl Rates {
    /// Creates the state from the rates that a conversation is opened with.
    pub(super) fn new(rates: &BTreeMap<Text, CallRate>) -> Rates {
        Rates { rates: rates.clone(), calls: BTreeMap::new() }
    }

    /// Returns whether no provider has a rate.
    pub fn is_empty(&self) -> bool {
        self.rates.is_empty()
    }

    /// Counts a call of a model.
    pub(super) fn count(&mut self, model: &str, at: Ms) {
        let Some((provider, rate)) =
            model.split_once(':').and_then(|(p, _)| self.rates.get_key_value(p))
        else {
            return;
        };
        let calls = self.calls.entry(provider.clone()).or_default();
        calls.push_back(at);
        while calls.len() > rate.calls as usize {
            calls.pop_front();
        }
    }

    /// Returns the time from which a provider takes another call, with its rate; `None` if it takes one at any time.
    pub(super) fn next(&self, provider: &str) -> Option<(Ms, CallRate)> {
        let rate = *self.rates.get(provider)?;
        let calls = self.calls.get(provider).filter(|calls| calls.len() >= rate.calls as usize)?;
        Some((calls.front()?.plus(rate.within_ms), rate))
    }
}

impl Conversation {
    /// Returns the time until which a turn waits for its provider's rate limit, with the provider and its rate; `None`
    /// if it does not wait now.
    pub fn held_by_rate<'s>(&'s self, turn: &Turn, now: Ms) -> Option<(Ms, &'s str, CallRate)> {
        if turn.call.is_some() || turn.waits_for_tools() {
            return None;
        }
        let VoiceSpec::Model(model) = &self.seat(&turn.seat)?.spec.voice else { return None };
        let (provider, _) = model.name.split_once(':')?;
        let (at, rate) = self.rates.next(provider)?;
        (at > now).then_some((at, provider, rate))
    }
}
