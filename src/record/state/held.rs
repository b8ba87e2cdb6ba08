//! Turns that wait for the rate limit of their provider.

use super::{Conversation, Turn};
use crate::model::{CallRate, Ms, VoiceSpec};

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
