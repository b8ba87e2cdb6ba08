//! A conversation as a text that people keep: one format a file, each a spelling of the same telling.
//!
//! [`Narrator`] turns events into what is worth telling (words with a head, one-line notes), live or from a file alike;
//! a format only spells that. Everything is append-only, one block per finished utterance, with nothing left of what
//! acts on a terminal. It deliberately tells no pieces and no calls: the log has those.
//!
//! What is kept as a file is spelled from a [`Document`], which has lost beforehand what was not meant for everybody.

pub mod beside;
pub mod cast;
pub mod figures;
pub mod md;
pub mod text;

mod chart;
mod commands;
mod contest;
mod discretion;
mod document;
mod html;
mod narrate;
mod words;

pub use beside::Beside;
pub use discretion::{Reveal, discreet};
pub use document::Document;
pub use narrate::{Narrator, cost, nearing, reason, spent, utterances};

use crate::model::Event;
use crate::state::State;

/// The sentence that stands over every conversation in which no model spoke.
pub const REHEARSED: &str = "rehearsed voices: nothing here was thought up by a model";

/// One thing worth telling; every text in it is safe to show, and heads and notes are single lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Narrated {
    /// What the conversation is.
    Opening {
        /// Its title.
        title: String,
        /// What is talked about, where the title does not say it.
        topic: Option<String>,
        /// Whether no model speaks.
        rehearsed: bool,
        /// Which models speak for whom.
        voices: Option<String>,
    },
    /// Words of somebody.
    Words {
        /// Where in the talk: `3`, or `after 3` for words without a number.
        place: String,
        /// Whose, and in which way.
        who: String,
        /// What was said; may be empty.
        body: String,
    },
    /// What happened besides.
    Note(String),
}

/// A format that tells a conversation: how one thing worth telling is spelled.
pub type Spelling = fn(&Narrated) -> String;

/// A format in which a conversation is kept as a file.
pub struct Format {
    /// Its name, and the ending of its files.
    pub name: &'static str,
    /// What it is, in words.
    pub title: &'static str,
    /// How a conversation is spelled in it.
    pub spell: Spell,
}

/// What a format is made of.
pub enum Spell {
    /// Of the document alone.
    Document(fn(&Document) -> String),
    /// Of what a screen of so many columns and rows showed as well.
    Screen(fn(&Document, (u16, u16), &[cast::Frame]) -> String),
}

/// Every format.
pub const FORMATS: &[Format] = &[
    Format { name: "md", title: "Markdown", spell: Spell::Document(|d| d.told(md::spell)) },
    Format { name: "html", title: "a page with the figures", spell: Spell::Document(html::spell) },
    Format {
        name: "json",
        title: "one object, with the figures",
        spell: Spell::Document(document::json),
    },
    Format { name: "jsonl", title: "the session's lines", spell: Spell::Document(document::jsonl) },
    Format { name: "txt", title: "plain text", spell: Spell::Document(|d| d.told(text::spell)) },
    Format {
        name: "csv",
        title: "a table of what was said",
        spell: Spell::Document(document::csv),
    },
    Format { name: "cast", title: "a recording of the screen", spell: Spell::Screen(cast::spell) },
];

/// Returns how a whole conversation reads in a format; what was hidden in the end is left out everywhere.
pub fn whole<'a>(events: impl IntoIterator<Item = &'a Event> + Clone, spell: Spelling) -> String {
    let whole = State::fold(events.clone());
    let mut narrator = Narrator::leaving_out(&whole);
    narrator.title = Some(whole.shown_title());
    told(events, narrator, spell)
}

fn told<'a>(
    events: impl IntoIterator<Item = &'a Event>,
    mut narrator: Narrator,
    spell: Spelling,
) -> String {
    let mut state = State::default();
    let mut out = String::new();
    for event in events {
        state.apply(event);
        narrator.narrate(&state, event).iter().for_each(|told| out.push_str(&spell(told)));
    }
    out
}
