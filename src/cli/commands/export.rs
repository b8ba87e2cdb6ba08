//! `export`: a session as a file that other people can read.

use crate::cli::appearance::AppearanceSettings;
use crate::cli::args::session::SessionName;
use crate::cli::args::target::Target;
use crate::cli::context::Context;
use crate::cli::document::{self, create, know_keys};
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::session_file::{self, report_faults};
use crate::export::{Document, FORMATS, Reveal, Spell};
use crate::session;
use crate::session::replay::Recording;
use crate::text;
use crate::ui::film::film;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fs;
use std::path::{Path, PathBuf};

/// The default size of a recorded screen, in columns and rows.
const SIZE: (u16, u16) = (100, 30);
/// The sizes that a screen may have, in cells.
const CELLS: std::ops::RangeInclusive<u16> = 10..=500;

/// Export as HTML, Markdown, text, CSV, JSON or asciinema cast
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    which: SessionName,
    /// Output format
    #[arg(long, value_parser = PossibleValuesParser::new(names()))]
    format: String,
    #[command(flatten)]
    target: Target,
    /// Include whispers: yours, and those between participants
    #[arg(long)]
    whispers: bool,
    /// Include hidden turns
    #[arg(long)]
    hidden: bool,
    /// Size of the recorded screen, as COLUMNSxROWS
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "100x30", value_parser = size)]
    size: (u16, u16),
}

/// The format that is the session's own.
const LINES: &str = "jsonl";

fn names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|f| f.name)
}

impl ExportArgs {
    /// Writes the export to its target.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        know_keys(context)?;
        let log = session::read(&session_file::find(&self.which, context)?)?;
        let reveal = Reveal { whispers: self.whispers, hidden: self.hidden };
        let document = Document::new(&log, reveal)?;
        let out = spelled(&document, &self.format, self.size, context)?;
        document::write(&out, &self.target, context)?;
        let blobs = log.files.blobs();
        if self.format == LINES
            && fs::read_dir(&blobs).is_ok_and(|mut texts| texts.next().is_some())
        {
            context.say(&format!(
                "texts over 64 KiB are stored beside the session: copy {} along with it, under the name of the copy",
                blobs.display()
            ));
        }
        report_faults(&log, context)
    }
}

/// Spells a document in the format of a name.
fn spelled(
    document: &Document,
    format: &str,
    size: (u16, u16),
    context: &Context,
) -> Result<String, Failure> {
    let known = FORMATS.iter().find(|f| f.name == format);
    let unknown = || Failure::new(Exit::Usage, format!("no format `{format}`"));
    match known.ok_or_else(unknown)?.spell {
        Spell::Document(spell) => Ok(spell(document)),
        Spell::Screen(spell) => {
            let recording = Recording::new(document.records.clone());
            let appearance = AppearanceSettings::of(context)?;
            let frames = film(&recording, size, appearance.theme(None)?, appearance.glyphs)
                .map_err(|e| Failure::new(Exit::Failed, format!("cannot draw the screen: {e}")))?;
            Ok(spell(document, size, &frames))
        }
    }
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let read = |part: &str| part.parse().ok().filter(|n| CELLS.contains(n));
    let size = text.split_once('x').and_then(|(w, h)| Some((read(w)?, read(h)?)));
    size.ok_or_else(|| {
        format!("a size must be COLUMNSxROWS, each from {} to {}", CELLS.start(), CELLS.end())
    })
}

/// Writes a session, as far as it is saved, into the folder where the program was started; returns the file's path.
pub fn written(log: &Path, format: &str, context: &Context) -> Result<String, String> {
    let log = session::read(log).map_err(|e| e.to_string())?;
    let document = Document::new(&log, Reveal::default()).map_err(|e| e.to_string())?;
    let spelled = spelled(&document, format, SIZE, context).map_err(|failure| failure.message)?;
    let numbered = |n: u32| match n {
        1 => format!("{}.{format}", document.id),
        n => format!("{}-{n}.{format}", document.id),
    };
    let mut names = (1..).map(numbered).map(PathBuf::from);
    let path = names.find(|p| p.symlink_metadata().is_err()).ok_or("no unused file name found")?;
    create(&path, text::without_keys(&spelled).as_bytes()).map_err(|failure| failure.message)?;
    Ok(path.canonicalize().unwrap_or(path).display().to_string())
}
