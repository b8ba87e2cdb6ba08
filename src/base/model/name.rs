//! Distinguishable names: visible, and unlike the names of other participants, of the program and of the operator.

use super::{Participant, SeatId, Text};
use crate::text::{self, NameShape};
use std::fmt;
use std::sync::LazyLock;

/// Reserved names: those of parties that are not participants in headings, prompts and chat formats.
const RESERVED: [&str; 6] = ["You", "Human", "System", "operator", "engine", "host"];
/// Their shapes.
static RESERVED_SHAPES: LazyLock<[NameShape; 6]> = LazyLock::new(|| RESERVED.map(NameShape::new));
/// Reserved names that a person's seat may have.
const PERSONS: [&str; 2] = ["You", "Human"];

/// Reason why a name is not distinguishable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameFault {
    /// It has no visible character.
    Invisible,
    /// It looks like a reserved name.
    Reserved(&'static str),
    /// It looks like the name of another participant, given with its id.
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

/// Characters that may follow a name besides blanks, in the scripts that write a line without them too.
const AFTER_NAME: [char; 8] = [',', ':', ';', '.', '，', '：', '；', '、'];

/// Returns whether a character may follow the name of somebody who is addressed.
pub fn ends_name(c: char) -> bool {
    c.is_whitespace() || AFTER_NAME.contains(&c)
}

/// Returns the text after a name, whatever its case; `None` if the text begins with another word.
pub fn after_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for c in name.chars() {
        let other = rest.next()?;
        if !c.to_lowercase().eq(other.to_lowercase()) {
            return None;
        }
    }
    let rest = rest.as_str();
    (!name.is_empty() && rest.chars().next().is_none_or(ends_name)).then_some(rest)
}

impl Participant {
    /// Returns all by which it is addressed: id, name, aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&*self.id.0, &*self.name].into_iter().chain(self.aliases.iter().map(|alias| &**alias))
    }

    /// Returns the fault of its name, if it has one.
    pub fn name_fault<'a>(
        &self,
        others: impl IntoIterator<Item = &'a Participant>,
    ) -> Option<NameFault> {
        if text::is_invisible(&self.name) {
            return Some(NameFault::Invisible);
        }
        let own = NameShape::new(&self.name);
        let allowed = |name: &str| self.voice.is_human() && PERSONS.contains(&name);
        let mut reserved = RESERVED.iter().zip(RESERVED_SHAPES.iter());
        if let Some((name, _)) =
            reserved.find(|(name, shape)| own.looks_like(shape) && !allowed(name))
        {
            return Some(NameFault::Reserved(name));
        }
        let mut others = others.into_iter().filter(|p| p.id != self.id);
        let same = others.find(|p| own.looks_like(&NameShape::new(&p.name)))?;
        Some(NameFault::LooksLike(same.id.clone(), same.name.clone()))
    }

    /// Appends the id to a name that is not distinguishable.
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
