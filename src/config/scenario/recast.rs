//! Gives a loaded scenario another topic, with participants who have something to lose by it.

use super::Loaded;
use crate::model::Text;

/// Poles of a question, and of any other topic.
const POLES: [[&str; 2]; 2] = [["yes", "no"], ["for", "against"]];

impl Loaded {
    /// Sets another topic. Participants keep personas that a person has given them.
    pub fn set_topic(&mut self, topic: &str, keeps_personas: bool) {
        let is_other = self.scenario.topic.as_deref() != Some(topic);
        // the topic as the title makes the conversation easy to find again
        let words: Vec<&str> = topic.split_whitespace().collect();
        self.scenario.title = words.join(" ").into();
        self.scenario.topic = Some(topic.into());
        if !is_other {
            return;
        }
        if self.scenario.stance.is_some() {
            let [question, other] = POLES;
            let poles = if topic.trim_end().ends_with('?') { question } else { other };
            self.scenario.stance = Some(poles.map(Text::from));
        }
        if let Some(poll) = &mut self.scenario.poll {
            poll.question = topic.into();
        }
        if keeps_personas {
            return;
        }
        for seat in &mut self.participants {
            let Some(any) = self.any_topic.get(&seat.id) else { continue };
            let role = if any.side.is_some() { None } else { seat.role.take() };
            seat.role = any.role.clone().or(role);
            seat.side = any.side.clone().or(seat.side.take());
            seat.description = None;
            seat.persona = any.persona.clone().or(seat.persona.take());
        }
    }
}
