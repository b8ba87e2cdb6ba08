//! Seats that a scenario leaves open: copies of a participant, for more models than the file has participants.

use super::Loaded;
use super::seat::id_of;
use crate::model::{Participant, SeatId, Text};
use serde_json::json;

/// A speaker that sits as itself, without a persona.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsItself {
    /// Display name, as in "Claude 2".
    pub name: String,
    /// Sentence about itself, in place of a persona.
    pub identity: String,
}

impl Loaded {
    /// Returns the number of participants that speak by a model without a name.
    pub fn unnamed(&self) -> usize {
        self.participants.iter().filter(|seat| is_unnamed(seat)).count()
    }

    /// Adds open seats until `count` participants have a model without a name. Returns the number of participants that
    /// are possible.
    ///
    /// # Errors
    /// The maximum, if it is lower.
    pub fn open_seats(&mut self, count: usize) -> Result<(), usize> {
        let unnamed = self.unnamed();
        if count <= unnamed {
            return Ok(());
        }
        let Some((most, like)) = &self.open else { return Err(unnamed) };
        let others = self.participants.len() - unnamed;
        let like = self.participants.iter().position(|seat| seat.id == *like);
        let (Some(like), true) = (like, count + others <= *most) else {
            return Err(most.saturating_sub(others));
        };
        for number in unnamed + 1..=count {
            let Some(model) = self.participants.get(like) else { continue };
            let id: SeatId = SeatId::from(format!("{}-{number}", model.id.0));
            let name: Text = format!("{} {number}", model.name).into();
            let aliases = vec![];
            let seat =
                Participant { id, name, aliases, role: None, persona: None, ..model.clone() };
            self.participants.insert((like + number - 1).min(self.participants.len()), seat);
        }
        Ok(())
    }

    /// Removes the last participants beyond `count` that have a model without a name, if the scenario has open seats.
    pub fn close_seats(&mut self, count: usize) {
        if self.open.is_none() {
            return;
        }
        let mut left = count;
        self.participants.retain(|seat| {
            let stays = !is_unnamed(seat) || left > 0;
            left = left.saturating_sub(usize::from(is_unnamed(seat)));
            stays
        });
    }

    /// Returns true if the file gives people to the seats without a model, for the topic that the scenario has now.
    pub fn has_people(&self, is_own_topic: bool) -> bool {
        let has_person = |seat: &Participant| {
            let recast = self.any_topic.contains_key(&seat.id) && !is_own_topic;
            seat.persona.is_some() && !recast
        };
        self.participants.iter().filter(|seat| is_unnamed(seat)).any(has_person)
    }

    /// Lets the participants with a model without a name speak as themselves.
    pub fn sit_as_themselves(&mut self, speakers: &[AsItself]) {
        // an id that the rules of the scenario refer to has to stay
        let rules = json!(self.scenario).to_string();
        let mut taken: Vec<SeatId> = self.participants.iter().map(|seat| seat.id.clone()).collect();
        let open = self.participants.iter_mut().filter(|seat| is_unnamed(seat));
        for (seat, speaker) in open.zip(speakers) {
            let id = SeatId::from(id_of(&speaker.name));
            if !(rules.contains(&json!(seat.id).to_string()) || taken.contains(&id)) {
                taken.push(id.clone());
                seat.id = id;
            }
            seat.name = speaker.name.as_str().into();
            seat.aliases = vec![];
            seat.role = None;
            seat.side = None;
            seat.persona = Some(speaker.identity.as_str().into());
        }
    }
}

fn is_unnamed(seat: &Participant) -> bool {
    seat.speaks && seat.voice.as_model().is_some_and(|model| model.name.is_empty())
}
