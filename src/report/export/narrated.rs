//! The narration of a conversation, independent of the format.

use crate::model::payload::LimitAt;
use crate::model::{Limit, Usd};
use crate::state::{Spent, State};
use crate::text::{self, plural};

/// Notice above every conversation without a model.
pub const REHEARSED: &str = "rehearsed demo: no model was called";

/// One item of the narration. Every text in it is safe to show; heads and notes are single lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Narrated {
    /// Head of the conversation.
    Opening {
        /// Title of the conversation.
        title: String,
        /// The topic, if it differs from the title.
        topic: Option<String>,
        /// True if the whole cast is rehearsed.
        rehearsed: bool,
        /// Names and models of the participants that use one.
        voices: Option<String>,
    },
    /// A message.
    Words {
        /// Position: `3`, or `after 3` for a message without a number.
        place: String,
        /// Author, with remarks on the kind of message.
        who: String,
        /// The text; may be empty.
        body: String,
    },
    /// A note on an event.
    Note(String),
}

/// Renders one item of the narration in a format.
pub type Spelling = fn(&Narrated) -> String;

/// Returns the position of a message without a number.
pub(super) fn place(state: &State) -> String {
    match state.last.as_ref().and_then(|l| l.number) {
        Some(number) => format!("after {number}"),
        None => "before 1".to_owned(),
    }
}

/// Returns a note on one line.
pub(super) fn note(told: impl AsRef<str>) -> Vec<Narrated> {
    vec![Narrated::Note(text::label(told.as_ref()).into_owned())]
}

/// Returns a number of turns as text.
pub fn utterances(n: u32) -> String {
    plural(n, "turn")
}

/// Returns the value of a limit at its warning threshold as text: `close to the limit: $0.40 of $0.50`.
pub fn nearing(at: &LimitAt) -> String {
    format!("close to the limit: {}", of_limit(at))
}

fn of_limit(at: &LimitAt) -> String {
    let is_usd = at.what == Limit::Usd;
    let value = if is_usd { Usd(at.value).to_string() } else { at.value.to_string() };
    format!("{value} of {}", at.what.words(at.limit))
}

/// Returns a limit that was reached as text: `limit reached: $0.50`, or
/// `the next turn does not fit: $0.40 of $0.50 used` if something is left.
pub(super) fn reached(at: &LimitAt) -> String {
    match at.next {
        Some(_) if at.value < at.limit => {
            format!("the next turn does not fit: {} used", of_limit(at))
        }
        Some(_) | None => format!("limit reached: {}", at.what.words(at.limit)),
    }
}

/// Returns a cost as text. A sum that omits unknown prices ends in `+`; an unknown price is never shown as `$0`.
pub fn cost(spent: &Spent) -> String {
    let about = if spent.usage.estimated { "~" } else { "" };
    match (spent.cost(), spent.unpriced) {
        (None, _) => "no price".to_owned(),
        (Some(usd), true) => format!("{about}{usd}+"),
        (Some(usd), false) => format!("{about}{usd}"),
    }
}
