//! The narration of a conversation, before any format spells it.

use crate::state::State;

/// The notice above every conversation without a model.
pub const REHEARSED: &str = "rehearsed demo: no model was called";

/// One thing worth telling; every text in it is safe to show, and heads and notes are single lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Narrated {
    /// The head of a conversation.
    Opening {
        /// The conversation's title.
        title: String,
        /// The topic, where the title does not say it.
        topic: Option<String>,
        /// Whether the whole cast is rehearsed.
        rehearsed: bool,
        /// The models of the participants, by name.
        voices: Option<String>,
    },
    /// Something that was said.
    Words {
        /// Its place: `3`, or `after 3` for words without a number.
        place: String,
        /// Whose, and in which way.
        who: String,
        /// The text; may be empty.
        body: String,
    },
    /// An event, in words.
    Note(String),
}

/// How a format spells one part of the narration.
pub type Spelling = fn(&Narrated) -> String;

/// Returns the place of words without a number.
pub(super) fn place(state: &State) -> String {
    match state.last.as_ref().and_then(|l| l.number) {
        Some(number) => format!("after {number}"),
        None => "before 1".to_owned(),
    }
}

/// Returns a number of turns in words.
pub fn utterances(n: u32) -> String {
    if n == 1 { "1 turn".into() } else { format!("{n} turns") }
}
