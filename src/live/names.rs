//! Names of clients in the log: short, distinguishable from each other, from participants and from the program.

use crate::state::State;
use crate::text;

/// Maximum length of a name, in characters.
const MAX: usize = 32;
/// Names of the other sources of events and messages.
const RESERVED: [&str; 6] = ["operator", "engine", "host", "system", "human", "you"];
/// Name of a client that gives none.
const USUAL: &str = "client";

/// Reason why a client cannot have a name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// It has other characters, or too many.
    #[error("a name has at most 32 letters, digits, dots, hyphens and underscores")]
    Characters,
    /// It looks like the name of a participant or of the program.
    #[error("the name looks like `{0}`, which is taken; choose another one")]
    LooksLike(String),
}

/// Returns the name for a client: the requested one, with a number if another client has it.
pub fn choose<'a>(
    wanted: Option<&str>,
    state: &State,
    taken: impl Iterator<Item = &'a str> + Clone,
) -> Result<String, BadName> {
    let wanted = wanted.unwrap_or(USUAL);
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if wanted.is_empty() || wanted.len() > MAX || !wanted.chars().all(fits) {
        return Err(BadName::Characters);
    }
    let seats = state.seats.iter().flat_map(|seat| [&*seat.spec.name, &*seat.spec.id.0]);
    let mut others = RESERVED.into_iter().chain(seats);
    if let Some(other) = others.find(|other| text::look_alike(wanted, other)) {
        return Err(BadName::LooksLike(other.to_owned()));
    }
    let is_free = |name: &String| !taken.clone().any(|other| text::look_alike(name, other));
    let numbered = (2..).map(|n: u32| format!("{wanted}-{n}"));
    let free = std::iter::once(wanted.to_owned()).chain(numbered).find(is_free);
    free.ok_or(BadName::Characters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_unlike_those_of_others() {
        let state = State::default();
        let choose = |wanted, taken: &[&str]| super::choose(wanted, &state, taken.iter().copied());
        assert_eq!(choose(None, &[]).as_deref(), Ok("client"));
        assert_eq!(choose(Some("laptop"), &["laptop", "Laptop-2"]).as_deref(), Ok("laptop-3"));
        let long = "x".repeat(33);
        for bad in ["", "a b", "a:b", "\u{430}da", &long] {
            assert_eq!(choose(Some(bad), &[]), Err(BadName::Characters), "{bad:?}");
        }
        for bad in ["operator", "Operat0r", "ENGINE", "Host"] {
            assert!(matches!(choose(Some(bad), &[]), Err(BadName::LooksLike(_))), "{bad}");
        }
    }
}
