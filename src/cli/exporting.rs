//! Exports of sessions, for the command and for the screen.

use crate::cli::appearance::AppearanceSettings;
use crate::cli::context::Context;
use crate::cli::document::{Keyless, create};
use crate::cli::error::{Exit, Failure};
use crate::export::{Document, FORMATS, Seen, Spell};
use crate::model::Reveal;
use crate::session::ReadProgress;
use crate::ui::film::film;
use crate::ui::request::ServiceFault;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Default size of a recorded screen, and of a picture, in columns and rows.
const SCREEN_SIZE: (u16, u16) = (100, 30);
const PICTURE_SIZE: (u16, u16) = (120, 31);

/// Returns the default size of a format, in columns and rows.
pub fn usual_size(format: &str) -> (u16, u16) {
    let format = FORMATS.iter().find(|known| known.name == format);
    let is_picture = format.is_some_and(|format| matches!(format.spell, Spell::Poster(_)));
    if is_picture { PICTURE_SIZE } else { SCREEN_SIZE }
}

/// Function that writes a document.
pub type ExportWriter<'a> = Box<dyn FnOnce(&Document, &mut dyn Write) -> io::Result<()> + 'a>;

/// Returns the writer for the named format; `columns` and `rows` are the size of a recorded screen.
pub fn writer(
    document: &Document,
    format: &str,
    columns: u16,
    rows: u16,
    context: &Context,
) -> Result<ExportWriter<'static>, Failure> {
    let known = FORMATS.iter().find(|f| f.name == format);
    let unknown = || Failure::new(Exit::Usage, format!("no format `{format}`"));
    match known.ok_or_else(unknown)?.spell {
        Spell::Document(spell) => Ok(Box::new(spell)),
        Spell::Poster(spell) => {
            Ok(Box::new(move |document, out| spell(document, columns, rows, out)))
        }
        Spell::Screen(spell) => {
            let recording = document.recording()?;
            let appearance = AppearanceSettings::from_context(context)?;
            let theme = appearance.theme(None)?;
            let glyphs = appearance.glyphs;
            Ok(Box::new(move |document, out| {
                let mut frames = film(&recording, columns, rows, theme, glyphs);
                spell(document, columns, rows, &mut frames, out)
            }))
        }
    }
}

/// Returns an unused file name in the current folder.
pub fn unused_file(name: &str, format: &str) -> PathBuf {
    let numbered = |n: u32| match n {
        1 => format!("{name}.{format}"),
        n => format!("{name}-{n}.{format}"),
    };
    let mut names = (1..).map(numbered).map(PathBuf::from);
    // some name is free
    names.find(|path| path.symlink_metadata().is_err()).unwrap_or_default()
}

/// Exports the saved part of a session to a new file in the current folder. Returns the path of the file.
pub fn export_to_new_file(
    log: &Path,
    format: &str,
    context: &Context,
) -> Result<String, ServiceFault> {
    let seen = Seen::read(log, Reveal::default(), &ReadProgress::default());
    let document = Document::from(seen.map_err(|e| e.to_string())?);
    let (columns, rows) = usual_size(format);
    let write =
        writer(&document, format, columns, rows, context).map_err(|failure| failure.message)?;
    let path = unused_file(&document.id, format);
    let spell = |out: &mut dyn Write| {
        let mut keyless = Keyless::before(out);
        write(&document, &mut keyless)?;
        keyless.finish()
    };
    create(&path, spell).map_err(|failure| failure.message)?;
    if let Some(why) = document.survey.archive.as_ref().and_then(|archive| archive.fault()) {
        return Err(format!(
            "{} is incomplete, the session could not be read: {why}",
            path.display()
        )
        .into());
    }
    Ok(path.canonicalize().unwrap_or(path).display().to_string())
}
