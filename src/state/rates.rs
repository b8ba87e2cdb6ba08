//! How often providers are called, and when they may be called next.

use crate::model::{CallRate, Ms, Text};
use std::collections::{BTreeMap, VecDeque};

/// The rates of providers, and the calls that count against them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rates {
    rates: BTreeMap<Text, CallRate>,
    /// The start times of the last calls by provider, oldest first, as many as the rate counts.
    calls: BTreeMap<Text, VecDeque<Ms>>,
}

impl Rates {
    /// Takes over the rates that a conversation is opened with.
    pub(super) fn of(rates: &BTreeMap<Text, CallRate>) -> Rates {
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

    /// Returns when a provider takes another call, with its rate; none where it takes one at any time.
    pub(super) fn next(&self, provider: &str) -> Option<(Ms, CallRate)> {
        let rate = *self.rates.get(provider)?;
        let calls = self.calls.get(provider).filter(|calls| calls.len() >= rate.calls as usize)?;
        Some((calls.front()?.plus(rate.within_ms), rate))
    }
}
