//! Exports a conversation to a file: several formats of the same narration.
//!
//! [`Narrator`] turns events into narration (messages with a head, one-line notes), both live and from a file; a format
//! only renders it. The output is append-only, one block per finished utterance, without anything that acts on a
//! terminal. It deliberately leaves out pieces and calls, which are in the log.
//!
//! Files are rendered from a [`Document`], which holds a [`Seen`]: private content is already removed.

pub mod beside;
pub mod branches;
pub mod cast;
pub mod figures;
pub mod md;
pub mod poster;
pub mod text;

mod agents;
mod chart;
mod commands;
mod conclusion;
mod contest;
mod document;
mod failing;
mod fields;
mod html;
mod interchange;
mod markup;
mod narrate;
mod narrated;
mod plan;
mod player;
mod profile;
mod telling;
mod tools;
mod visible;
mod words;

pub use beside::Beside;
pub use conclusion::{
    Hearer, broken, conclusion, ended, ending, how_it_ended, listed, losses, reason,
};
pub use document::Document;
pub use fields::fields;
pub use html::PAGE_CSS;
pub use markup::escaped;
pub use narrate::{Narrator, end, spent};
pub use narrated::{Narrated, REHEARSED, Spelling, cost, nearing, utterances};
pub use profile::{fact, field};
pub use telling::{Telling, whole};
pub use visible::Seen;

use std::io::{self, Write};

/// An export format.
pub struct Format {
    /// Name of the format, and extension of its files.
    pub name: &'static str,
    /// Description for users.
    pub title: &'static str,
    /// Writer of the format.
    pub spell: Spell,
}

/// Writes a document with the recorded frames of its screen; the size is in columns and rows.
pub type ScreenSpelling = fn(
    &Document,
    u16,
    u16,
    &mut dyn Iterator<Item = io::Result<cast::CastFrame>>,
    &mut dyn Write,
) -> io::Result<()>;

/// Writes the poster of a document in a size in columns and rows.
pub type PosterSpelling = fn(&Document, u16, u16, &mut dyn Write) -> io::Result<()>;

/// Writer of a format, by the input that it needs.
pub enum Spell {
    /// Needs only the document.
    Document(fn(&Document, &mut dyn Write) -> io::Result<()>),
    /// Needs the document and a recording of its screen, with the size in columns and rows.
    Screen(ScreenSpelling),
    /// Needs the document and a size in columns and rows.
    Poster(PosterSpelling),
}

const fn row(name: &'static str, title: &'static str, spell: Spell) -> Format {
    Format { name, title, spell }
}

/// All formats, in the order of the help text.
pub const FORMATS: &[Format] = &[
    row("md", "Markdown", Spell::Document(|d, out| d.write_narration(out, md::spell))),
    row("html", "a web page with the analysis", Spell::Document(html::spell)),
    row("json", "one JSON object with the analysis", Spell::Document(document::json)),
    row("jsonl", "the session's lines", Spell::Document(document::jsonl)),
    row("txt", "plain text", Spell::Document(|d, out| d.write_narration(out, text::spell))),
    row("csv", "a table of turns", Spell::Document(document::csv)),
    row("cast", "a screen recording", Spell::Screen(cast::spell)),
    row("png", "a picture", Spell::Poster(poster::png_file)),
    row("svg", "a picture of lines", Spell::Poster(poster::svg_file)),
    row("ans", "a picture for terminals", Spell::Poster(poster::ansi_file)),
    row("atif", "a trajectory of agents (ATIF, JSON)", Spell::Document(interchange::atif)),
    row("otlp", "OpenTelemetry spans (OTLP, JSON)", Spell::Document(interchange::otlp)),
];
