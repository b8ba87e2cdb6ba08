//! `export`: writes a session in a format for other readers.

use crate::cli::args::{OptionalSession, SessionName, Target};
use crate::cli::context::Context;
use crate::cli::document::{self, know_keys};
use crate::cli::error::{Exit, Failure};
use crate::cli::exporting::{ExportWriter, unused_file, usual_size, writer};
use crate::cli::output::{self, watched};
use crate::cli::session_file::{self, report_faults};
use crate::export::{Document, FORMATS, Seen, branches};
use crate::model::Reveal;
use crate::session::{ReadProgress, Survey};
use crate::text;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::ffi::OsStr;
use std::fs;
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;

/// Valid widths and heights of a screen, in cells.
const CELLS: std::ops::RangeInclusive<u16> = 10..=500;

/// Export as a page, text, data, a picture, an asciinema cast, ATIF or OTLP
#[derive(Debug, Args)]
pub struct ExportArgs {
    #[command(flatten)]
    which: OptionalSession,
    /// Second session, shown beside the first after their shared turns (html)
    #[arg(value_name = "OTHER")]
    other: Option<String>,
    /// Output format; without it that of the output file's name, or a page
    #[arg(long = "format", value_parser = PossibleValuesParser::new(formats()))]
    chosen: Option<String>,
    #[arg(skip)]
    format: String,
    #[command(flatten)]
    target: Target,
    /// Include whispers, yours and those between participants, and your notes to some participants
    #[arg(long)]
    whispers: bool,
    /// Leave out the steering log: the outcome first, then what was said (md, txt, html)
    #[arg(long)]
    clean: bool,
    /// Leave out the player and its script (html)
    #[arg(long)]
    plain: bool,
    /// Include hidden turns
    #[arg(long)]
    hidden: bool,
    /// Address at which the page will be: links to it then show its picture, written beside it (html)
    #[arg(long, value_name = "ADDRESS", requires = "output")]
    url: Option<String>,
    /// Size of a recorded screen or of a picture, as COLUMNSxROWS [default: 100x30, and 120x31 for pictures]
    #[arg(long, value_name = "COLUMNSxROWS", value_parser = size)]
    size: Option<(u16, u16)>,
}

/// Maximum length of a file's name without its ending, in bytes.
const NAME_MAX: usize = 80;
/// Formats with the narrated conversation.
const NARRATED: [&str; 3] = ["md", "txt", PAGE];
/// Format with a player.
const PAGE: &str = "html";
/// Format of the picture beside a page.
const PICTURE: &str = "png";
/// Formats that become files at a terminal.
const FILES: [&str; 2] = [PAGE, PICTURE];
/// Format of session files.
const LINES: &str = "jsonl";

fn formats() -> impl Iterator<Item = PossibleValue> {
    FORMATS.iter().map(|format| match format.name {
        // the name of the same format in other commands
        "txt" => PossibleValue::new("txt").alias("text"),
        name => PossibleValue::new(name),
    })
}

impl ExportArgs {
    /// Writes the export to its target.
    pub fn run(mut self, context: &Context) -> Result<Exit, Failure> {
        know_keys(context)?;
        self.format = self.format_name();
        // a terminal shows neither pages nor pictures: they become files in this folder
        let is_bare = FILES.contains(&&*self.format) && stdout().is_terminal();
        if self.clean && !NARRATED.contains(&&*self.format) {
            let message = format!("--clean has no effect on {}", self.format);
            return Err(Failure::usage(message, format!("use --format {}", NARRATED.join(" or "))));
        }
        if self.plain && self.format != PAGE {
            let message = format!("--plain has no effect on {}", self.format);
            return Err(Failure::usage(message, format!("use --format {PAGE}")));
        }
        if self.other.is_some() && self.format != PAGE {
            let message = format!("{} is an export of one session", self.format);
            return Err(Failure::usage(message, format!("use --format {PAGE}")));
        }
        let picture = self.url.as_deref().map(|url| self.picture(url)).transpose()?;
        let mut document = self.document(&self.which.name(), context)?;
        document.addresses = picture.as_ref().map(|(_, addresses)| addresses.clone());
        let is_free = self.target.output.is_none() || self.format == PICTURE;
        let new = is_bare && is_free && self.target.file().is_none();
        let new = new.then(|| new_file(&document, &self.format));
        self.target.output = new.clone().or(self.target.output);
        let (columns, rows) = self.size.unwrap_or_else(|| usual_size(&self.format));
        let other = SessionName::from_option(self.other.as_ref());
        let other = self.other.is_some().then(|| self.document(&other, context)).transpose()?;
        let spelling: ExportWriter<'_> = match &other {
            None => writer(&document, &self.format, columns, rows, context)?,
            Some(other) => Box::new(|document, out| branches::spell(document, other, out)),
        };
        let write = |progress: &ReadProgress| {
            document.progress = progress.clone();
            document::stream(&self.target, context, |out| spelling(&document, out))
        };
        // output on a terminal shows the progress by itself
        if self.target.file().is_none() && stdout().is_terminal() {
            write(&ReadProgress::default())
        } else {
            watched("writing the file", write)
        }?;
        if let Some((path, _)) = picture {
            let (columns, rows) = usual_size(PICTURE);
            let spelling = writer(&document, PICTURE, columns, rows, context)?;
            let target = Target { output: Some(path), ..self.target.clone() };
            document::stream(&target, context, |out| spelling(&document, out))?;
        }
        let reports = std::iter::once(&document).chain(&other).map(|document| {
            self.mention_blobs(&document.survey, context);
            report_faults(&document.survey, context)
        });
        reports.fold(Ok(Exit::Done), Result::and)?;
        if let Some(file) = new {
            let title = text::label(&document.state.shown_title()).into_owned();
            let last = if self.which.is_unnamed() { "the last conversation, " } else { "" };
            let end = if last.is_empty() { "" } else { "," };
            let kind = if self.format == PAGE { "page" } else { "picture" };
            context.say(&format!("exported {last}{title}{end} as a {kind}:"));
            output::data(format!("{}\n", file.display()).as_bytes())?;
        }
        Ok(Exit::Done)
    }

    /// Reads a session for the export.
    fn document(&self, name: &SessionName, context: &Context) -> Result<Document, Failure> {
        let path = session_file::find(name, context)?;
        let reveal = Reveal { whispers: self.whispers, hidden: self.hidden };
        let seen = watched("reading the session", |progress| Seen::read(&path, reveal, progress))?;
        let mut document = Document::from(seen);
        document.is_clean = self.clean;
        document.has_player = !self.plain;
        Ok(document)
    }

    /// Returns the file of the picture beside the page, and the addresses of both.
    fn picture(&self, url: &str) -> Result<(PathBuf, (String, String)), Failure> {
        let page = if self.format == PAGE { self.target.file() } else { None };
        let path = page.map(|page| page.with_extension(PICTURE));
        let name = path.as_deref().and_then(|path| path.file_name()?.to_str());
        let is_whole = url.starts_with("https://") || url.starts_with("http://");
        let (Some(path), Some(name), true) = (&path, name, is_whole) else {
            return Err(Failure::usage(
                format!("--url `{url}` needs a whole address and a page"),
                "as in --output talk.html --url https://example.org/talk.html",
            ));
        };
        let folder = url.rsplit_once('/').map_or(url, |(folder, _)| folder);
        Ok((path.clone(), (url.to_owned(), format!("{folder}/{name}"))))
    }

    /// Returns the format: the chosen one, that of the output file's name, or a page.
    fn format_name(&self) -> String {
        let file = self.target.file().and_then(|path| path.extension()).and_then(OsStr::to_str);
        let of_file = file.filter(|ending| FORMATS.iter().any(|format| format.name == *ending));
        let chosen = self.chosen.as_deref().map(|name| if name == "text" { "txt" } else { name });
        chosen.or(of_file).unwrap_or(PAGE).to_owned()
    }

    /// Mentions the folder of long texts if the format does not contain them.
    fn mention_blobs(&self, survey: &Survey, context: &Context) {
        let blobs = survey.files.blobs();
        if self.format == LINES
            && fs::read_dir(&blobs).is_ok_and(|mut texts| texts.next().is_some())
        {
            context.say(&format!(
                "texts over 64 KiB are stored beside the session: copy {} along with it, under the name of the copy",
                blobs.display()
            ));
        }
    }
}

/// Returns an unused file name in the current folder, by the topic of a conversation.
fn new_file(document: &Document, format: &str) -> PathBuf {
    let topic = document.state.scenario.topic.as_deref();
    let words: Vec<String> = topic
        .unwrap_or(&document.state.shown_title())
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let mut name = words.join("-");
    name.truncate(name.floor_char_boundary(NAME_MAX));
    let name = name.trim_end_matches('-');
    unused_file(if name.is_empty() { &document.id } else { name }, format)
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let read = |part: &str| part.parse().ok().filter(|n| CELLS.contains(n));
    let size = text.split_once('x').and_then(|(w, h)| Some((read(w)?, read(h)?)));
    size.ok_or_else(|| {
        format!("a size must be COLUMNSxROWS, each from {} to {}", CELLS.start(), CELLS.end())
    })
}
