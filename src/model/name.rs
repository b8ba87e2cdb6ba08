//! Which names tell participants apart: a name must be visible, unlike every other participant's, and unlike the names
//! that the program gives to itself and to the operator.

use super::{Participant, SeatId, Text};
use crate::text;
use std::fmt;

/// Names that heads, prompts and chat formats give to parties that are not participants.
const RESERVED: [&str; 6] = ["You", "Human", "System", "operator", "engine", "host"];
/// Those of them that a person's seat may have.
const PERSONS: [&str; 2] = ["You", "Human"];

/// Why a name does not tell its participant apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameFault {
    /// It has no visible character.
    Invisible,
    /// It looks like a name that is no participant's.
    Reserved(&'static str),
    /// It looks like another participant's: that one's id and name.
    LooksLike(SeatId, Text),
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NameFault::Invisible => f.write_str("shows nothing"),
            NameFault::Reserved(name) => write!(f, "looks like {name:?}, which is reserved"),
            NameFault::LooksLike(id, name) => write!(f, "looks like {name:?}, the name of `{id}`"),
        }
    }
}

impl Participant {
    /// Returns why its name does not tell it apart from others, if it does not.
    pub fn name_fault<'a>(
        &self,
        others: impl IntoIterator<Item = &'a Participant>,
    ) -> Option<NameFault> {
        let looks = |other: &str| text::look_alike(&self.name, other);
        if text::is_invisible(&self.name) {
            return Some(NameFault::Invisible);
        }
        let allowed = |name: &str| self.voice.is_human() && PERSONS.contains(&name);
        if let Some(name) = RESERVED.into_iter().find(|name| looks(name) && !allowed(name)) {
            return Some(NameFault::Reserved(name));
        }
        let mut others = others.into_iter().filter(|p| p.id != self.id);
        let same = others.find(|p| looks(&p.name))?;
        Some(NameFault::LooksLike(same.id.clone(), same.name.clone()))
    }

    /// Adds its id to a name that does not tell it apart from others.
    pub fn tell_apart<'a>(&mut self, others: impl IntoIterator<Item = &'a Participant>) {
        match self.name_fault(others) {
            None => {}
            Some(NameFault::Invisible) => self.name = format!("(participant {})", self.id).into(),
            Some(NameFault::Reserved(_) | NameFault::LooksLike(..)) => {
                self.name = format!("{} (participant {})", self.name, self.id).into();
            }
        }
    }
}
