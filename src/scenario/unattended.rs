//! Changes to a loaded scenario before it is played: rehearsed cast, stand-ins; and causes of waiting for a person.

use super::{Loaded, PolicyRow, Tie};
use crate::model::{Participant, SeatId, Text, Then, VoiceSpec};
use std::fmt;

/// A cause of waiting for an operator; a run without a screen and without steering is then refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// A human seat without a stand-in.
    Human(SeatId),
    /// A participant who pauses the conversation when it fails.
    Pause(SeatId),
    /// A policy that asks the operator.
    Policy(Text),
    /// A stop rule that asks, by its number from 1.
    Stop(usize),
    /// A verdict that leaves a tie to a person.
    Tie,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wait::Human(seat) => write!(f, "`{seat}` is a human participant without a stand_in"),
            Wait::Pause(seat) => write!(f, "`{seat}` has on_failure.then = \"pause\""),
            Wait::Stop(place) => write!(f, "stop[{place}] has then = \"ask\""),
            Wait::Tie => write!(f, "a verdict or a policy has tie = \"human\""),
            Wait::Policy(name) => write!(f, "the policy {name} waits for you"),
        }
    }
}

/// Id of the seat for the person at the start.
const PERSON: &str = "guest";
/// Its name.
const NAME: &str = "Guest";

impl Loaded {
    /// Adds a seat for the person at the keyboard, who speaks in turn with the others, in each phase with several
    /// speakers.
    pub fn seat_person(&mut self) {
        let free = |id: &String| self.participants.iter().all(|p| p.id != id.as_str());
        let numbered = (2..).map(|n: u32| format!("{PERSON}{n}"));
        let id = std::iter::once(PERSON.to_owned()).chain(numbered).find(free).unwrap_or_default();
        let voice = VoiceSpec::Human { seconds: None, pass: false };
        let mut person = Participant::new(id.as_str(), voice);
        person.name = NAME.into();
        person.tell_apart(&self.participants);
        for phase in self.scenario.phases.iter_mut().filter(|phase| phase.who.len() > 1) {
            phase.who.push(id.as_str().into());
        }
        self.participants.push(person);
    }

    /// Replaces the voices of the rehearsed cast by their lines; they need no stand-ins then.
    pub fn rehearse(&mut self) {
        for seat in &mut self.participants {
            if let Some(voice) = self.rehearsed.get(&seat.id) {
                seat.voice = voice.clone();
                seat.stand_in = None;
            }
        }
    }

    /// Replaces voices by their stand-ins.
    pub fn unattended(&mut self) {
        for seat in &mut self.participants {
            if let Some(voice) = seat.stand_in.take() {
                seat.voice = voice;
                seat.stands_in = true;
            }
        }
    }

    /// Returns all causes of waiting for an operator, with the present voices.
    pub fn waits(&self, rows: &[PolicyRow]) -> Vec<Wait> {
        let seat = |p: &Participant| {
            let human = p.voice.is_human().then(|| Wait::Human(p.id.clone()));
            let pause = (p.on_failure.then == Then::Pause).then(|| Wait::Pause(p.id.clone()));
            human.into_iter().chain(pause)
        };
        let phases = self.scenario.phases.iter().map(|p| &p.policy);
        let policies = std::iter::once(&self.scenario.policy)
            .chain(phases)
            .filter(|p| rows.iter().any(|r| r.name == &*p.name && r.needs_operator))
            .map(|p| Wait::Policy(p.name.clone()));
        let stops = self.scenario.stops.iter().enumerate().filter(|(_, stop)| stop.ask);
        let stops = stops.map(|(i, _)| Wait::Stop(i + 1));
        let judges = self.scenario.phases.iter().filter_map(|p| p.judge.as_ref());
        let mut verdicts = judges.chain(&self.scenario.verdict);
        let tie = verdicts.any(|v| v.tie == Tie::Human).then_some(Wait::Tie);
        let phases = self.scenario.phases.iter().map(|p| &p.policy);
        let mut orders = std::iter::once(&self.scenario.policy).chain(phases);
        let by_hand = orders.any(|p| p.options.get("tie").is_some_and(|tie| tie == "human"));
        let tie = tie.or(by_hand.then_some(Wait::Tie));
        self.participants.iter().flat_map(seat).chain(policies).chain(stops).chain(tie).collect()
    }

    /// Returns whether the words come from rehearsed lines and from people who take part: no model is called.
    pub fn is_rehearsed(&self) -> bool {
        let mut seats = self.participants.iter().filter(|p| !p.voice.is_human()).peekable();
        seats.peek().is_some() && seats.all(|p| p.voice.is_rehearsed())
    }

    /// Returns whether every seat speaks rehearsed lines, so that nothing in it is written by a model.
    pub fn all_rehearsed(&self) -> bool {
        self.participants.iter().all(|p| p.voice.is_rehearsed())
    }
}
