//! A conversation as a text that people keep: one format a file, each a spelling of the same telling.
//!
//! [`Narrator`] turns events into narration (words with a head, one-line notes), live or from a file alike; a format
//! only spells that. Everything is append-only, one block per finished utterance, without anything that acts on a
//! terminal. It deliberately leaves out pieces and calls: the log has those.
//!
//! Files are spelled from a [`Document`], from which private content is already removed.

pub mod beside;
pub mod cast;
pub mod figures;
pub mod md;
pub mod text;

mod agents;
mod chart;
mod commands;
mod contest;
mod discretion;
mod document;
mod failing;
mod html;
mod markup;
mod narrate;
mod narrated;
mod plan;
mod profile;
mod telling;
mod tools;
mod words;

pub use beside::Beside;
pub use discretion::{DiscreetRecords, Private, Reveal, discreet};
pub use document::Document;
pub use narrate::{Narrator, cost, ended, nearing, reason, spent};
pub use narrated::{Narrated, REHEARSED, Spelling, utterances};
pub use profile::{fact, field};
pub use telling::{Telling, whole};

use std::io::{self, Write};

/// A format in which a conversation is kept as a file.
pub struct Format {
    /// Its name, and the ending of its files.
    pub name: &'static str,
    /// A description for people.
    pub title: &'static str,
    /// How a conversation is spelled in it.
    pub spell: Spell,
}

/// Writes a document with what its screen showed, of a size in columns and rows.
pub type ScreenSpelling = fn(
    &Document,
    (u16, u16),
    &mut dyn Iterator<Item = io::Result<cast::CastFrame>>,
    &mut dyn Write,
) -> io::Result<()>;

/// What a format is spelled from, and how it is written.
pub enum Spell {
    /// From the document alone.
    Document(fn(&Document, &mut dyn Write) -> io::Result<()>),
    /// From the document and a recording of its screen, of a size in columns and rows.
    Screen(ScreenSpelling),
}

/// Every format, in the order in which help lists them.
pub const FORMATS: &[Format] = &[
    Format {
        name: "md",
        title: "Markdown",
        spell: Spell::Document(|d, out| d.tell(out, md::spell)),
    },
    Format {
        name: "html",
        title: "a web page with the analysis",
        spell: Spell::Document(html::spell),
    },
    Format {
        name: "json",
        title: "one JSON object with the analysis",
        spell: Spell::Document(document::json),
    },
    Format { name: "jsonl", title: "the session's lines", spell: Spell::Document(document::jsonl) },
    Format {
        name: "txt",
        title: "plain text",
        spell: Spell::Document(|d, out| d.tell(out, text::spell)),
    },
    Format { name: "csv", title: "a table of turns", spell: Spell::Document(document::csv) },
    Format { name: "cast", title: "a screen recording", spell: Spell::Screen(cast::spell) },
];
