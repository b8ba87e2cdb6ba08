//! Amount of advice in the prompt of a turn.

use super::{Conversation, Turn, policies};
use crate::model::Participant;
use crate::scenario::{Advice, asks_for_data};

impl Conversation {
    /// Returns the advice of a turn. Only free words in a discussion get more than their task.
    pub fn advice(&self, turn: &Turn) -> Advice {
        let Some(seat) = self.seat(&turn.seat) else { return Advice::Work };
        let thread = self.threads.get(&turn.thread);
        let discusses = thread.is_none_or(|thread| thread.traits().debates);
        let task = self.shows(turn).and_then(|shows| shows.task.as_ref());
        if !turn.speaks()
            || !discusses
            || !self.contract_of(turn).form.is_words()
            || task.is_some_and(|task| asks_for_data(task))
        {
            return Advice::Work;
        }
        self.advice_for(&seat.spec)
    }

    /// Returns the advice of a seat, whatever its turn. Nobody debates alone.
    pub fn advice_for(&self, seat: &Participant) -> Advice {
        let traits = policies::traits(&self.scenario.policy.name);
        let present = || self.seats.iter().filter(|s| !s.gone).map(|s| &*s.spec);
        match Advice::new(&self.scenario, traits, seat) {
            Advice::Debate
                if seat.speaks && !Advice::is_debate(&self.scenario, traits, present()) =>
            {
                Advice::Talk
            }
            advice => advice,
        }
    }
}
