//! Amount of advice in the prompts of a seat: the rules of a debate fit only seats that debate in free words.

use super::{PolicyTraits, Scenario};
use crate::model::{Debate, Participant, VoiceSpec};

/// Role of a seat that sides with nobody.
const SCRIBE: &str = "scribe";
/// Word by which a persona or task asks for data.
const DATA: &str = "JSON";

/// Amount of advice in prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Advice on debating, tasks and positions, in addition to those of a talk.
    Debate,
    /// Messages of the host, questions, the place of a turn and its length.
    Talk,
    /// The task and the form of the reply alone.
    Work,
}

/// Returns whether a persona or a task asks for data.
pub fn asks_for_data(task: &str) -> bool {
    task.contains(DATA)
}

impl Advice {
    /// Returns the advice of a seat in turns without a form or a thread of their own, under a policy with these traits.
    pub fn new(scenario: &Scenario, traits: PolicyTraits, seat: &Participant) -> Advice {
        let works = scenario.debate == Debate::Work
            || !traits.debates
            || !seat.reply.form.is_words()
            || !seat.tools.is_empty()
            || matches!(seat.voice, VoiceSpec::Script(_))
            || seat.role.as_deref() == Some(SCRIBE)
            || seat.persona.as_deref().is_some_and(asks_for_data);
        match scenario.debate {
            _ if works => Advice::Work,
            Debate::Guided => Advice::Debate,
            Debate::Plain | Debate::Work => Advice::Talk,
        }
    }

    /// Returns whether the participants debate: two of them, or the only one that speaks.
    pub fn is_debate<'a>(
        scenario: &Scenario,
        traits: PolicyTraits,
        participants: impl IntoIterator<Item = &'a Participant>,
    ) -> bool {
        let speakers = participants.into_iter().filter(|seat| seat.speaks);
        let all: Vec<Advice> = speakers.map(|s| Advice::new(scenario, traits, s)).collect();
        let debaters = all.iter().filter(|advice| **advice == Advice::Debate).count();
        debaters > 1 || debaters == 1 && all.len() == 1
    }
}
