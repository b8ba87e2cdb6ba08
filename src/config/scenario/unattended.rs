//! Changes of a loaded scenario before a run: rehearsed cast, `stand_in` voices, a seat for the person; and reasons to
//! wait for an operator.

use super::{Loaded, PolicyRow, Tie};
use crate::model::{Participant, SeatId, Text, Then, VoiceSpec};
use std::fmt;

/// Reason to wait for an operator. A run without a screen and without steering is then rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Human seat without a `stand_in`.
    Human(SeatId),
    /// Participant whose failure pauses the conversation.
    Pause(SeatId),
    /// Policy that asks the operator.
    Policy(Text),
    /// Stop rule that asks the operator, by its number from 1.
    Stop(usize),
    /// Verdict or policy that leaves ties to a person.
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

/// Id of the seat for the person at the keyboard.
const PERSON: &str = "guest";
/// Name of that seat.
const NAME: &str = "Guest";

impl Loaded {
    /// Adds a seat for the person at the keyboard, who takes turns with the others. It also joins each phase with
    /// several speakers.
    pub fn seat_person(&mut self) {
        let free = |id: &String| self.participants.iter().all(|p| p.id != id.as_str());
        let numbered = (2..).map(|n: u32| format!("{PERSON}{n}"));
        let id = std::iter::once(PERSON.to_owned()).chain(numbered).find(free).unwrap_or_default();
        let voice = VoiceSpec::Human { seconds: None, pass: false, link: false };
        let mut person = Participant::new(id.as_str(), voice);
        person.name = NAME.into();
        person.tell_apart(&self.participants);
        for phase in self.scenario.phases.iter_mut().filter(|phase| phase.who.len() > 1) {
            phase.who.push(id.as_str().into());
        }
        self.participants.push(person);
    }

    /// Gives the rehearsed cast its rehearsed lines as voices and their turn limit, and removes its `stand_in` voices.
    pub fn rehearse(&mut self) {
        self.limit_rehearsed();
        for seat in &mut self.participants {
            if let Some(voice) = self.rehearsed.get(&seat.id) {
                seat.voice = voice.clone();
                seat.stand_in = None;
            }
        }
    }

    /// Lowers the turn limit to that of the rehearsed lines.
    pub fn limit_rehearsed(&mut self) {
        let limit = &mut self.scenario.limits.utterances;
        *limit = limit.map(|most| self.rehearsed_utterances.map_or(most, |own| own.min(most)));
    }

    /// Replaces voices by their `stand_in`; if people with links can be `reached`, they keep their seats.
    pub fn unattended(&mut self, reached: bool) {
        for seat in &mut self.participants {
            if reached && seat.voice.has_link() {
                continue;
            }
            if let Some(voice) = seat.stand_in.take() {
                seat.voice = voice;
                seat.stands_in = true;
            }
        }
    }

    /// Returns all reasons to wait for an operator, with the current voices.
    pub fn waits(&self, rows: &[PolicyRow]) -> Vec<Wait> {
        let seat = |p: &Participant| {
            let human = p.voice.is_human().then(|| Wait::Human(p.id.clone()));
            let pause = (p.on_failure.then == Then::Pause).then(|| Wait::Pause(p.id.clone()));
            human.into_iter().chain(pause)
        };
        let phases = self.scenario.phases.iter().map(|p| &p.policy);
        let policies = std::iter::once(&self.scenario.policy)
            .chain(phases)
            .filter(|p| rows.iter().any(|r| r.name == &*p.name && r.traits.needs_operator))
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

    /// Returns whether all participants except people speak rehearsed lines, so that no model is called. Returns false
    /// if there are only people.
    pub fn is_rehearsed(&self) -> bool {
        let mut seats = self.participants.iter().filter(|p| !p.voice.is_human()).peekable();
        seats.peek().is_some() && seats.all(|p| p.voice.is_rehearsed())
    }

    /// Returns whether every participant speaks rehearsed lines, so that no message is written by a model.
    pub fn all_rehearsed(&self) -> bool {
        self.participants.iter().all(|p| p.voice.is_rehearsed())
    }
}
