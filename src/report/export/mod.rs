//! Exports a conversation to a file: several formats of the same narration.
//!
//! [`Narrator`] turns events into narration (messages with a head, one-line notes), both live and from a file; a format
//! only renders it. The output is append-only, one block per finished utterance, without anything that acts on a
//! terminal. It deliberately leaves out pieces and calls, which are in the log.
//!
//! Files are rendered from a [`Document`], from which private content is already removed.

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
mod discretion;
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
mod tracks;
mod words;

pub use beside::Beside;
pub use conclusion::{conclusion, ended, ending, how_it_ended, listed, losses, reason};
pub use discretion::{DiscreetRecords, Private, discreet};
pub use document::Document;
pub use fields::fields;
pub use html::PAGE_CSS;
pub use narrate::{Narrator, end, spent};
pub use narrated::{Narrated, REHEARSED, Spelling, cost, nearing, utterances};
pub use profile::{fact, field};
pub use telling::{Telling, whole};

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

/// All formats, in the order of the help text.
pub const FORMATS: &[Format] = &[
    Format {
        name: "md",
        title: "Markdown",
        spell: Spell::Document(|d, out| d.write_narration(out, md::spell)),
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
        spell: Spell::Document(|d, out| d.write_narration(out, text::spell)),
    },
    Format { name: "csv", title: "a table of turns", spell: Spell::Document(document::csv) },
    Format { name: "cast", title: "a screen recording", spell: Spell::Screen(cast::spell) },
    Format { name: "png", title: "a picture", spell: Spell::Poster(poster::png_file) },
    Format { name: "svg", title: "a picture of lines", spell: Spell::Poster(poster::svg_file) },
    Format {
        name: "ans",
        title: "a picture for terminals",
        spell: Spell::Poster(poster::ansi_file),
    },
    Format {
        name: "atif",
        title: "a trajectory of agents (ATIF, JSON)",
        spell: Spell::Document(interchange::atif),
    },
    Format {
        name: "otlp",
        title: "OpenTelemetry spans (OTLP, JSON)",
        spell: Spell::Document(interchange::otlp),
    },
];
