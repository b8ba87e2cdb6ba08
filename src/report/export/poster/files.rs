//! Files of pictures: the poster of a document as PNG, SVG and text with colours.

use super::super::document::Document;
use super::canvas::Poster;
use super::png::png;
use super::signs::{BACKGROUND, PosterInk, SEATS, colour};
use super::svg::svg;
use super::{PosterSource, UNICODE, draw};
use crate::analysis::Standing;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes the poster of a document as PNG.
pub fn png_file(
    document: &Document,
    columns: u16,
    rows: u16,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (file, missing) = png(&document_poster(document, columns, rows))?;
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(char::to_string).collect();
        let missing = missing.join(" ");
        let why = format!("the font of PNG pictures lacks {missing}; use --format svg or ans");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    out.write_all(&file)
}

/// Writes the poster of a document as text with colours for terminals.
pub fn ansi_file(
    document: &Document,
    columns: u16,
    rows: u16,
    out: &mut dyn Write,
) -> io::Result<()> {
    let poster = document_poster(document, columns, rows);
    for y in 0..poster.height() {
        let mut x = 0;
        for run in poster.runs(y) {
            let [r, g, b] = colour(run.ink);
            let weight = if run.bold { "1;" } else { "" };
            write!(
                out,
                "{}\x1b[{weight}38;2;{r};{g};{b}m{}\x1b[0m",
                " ".repeat(run.x - x),
                run.text
            )?;
            x = run.x + run.width();
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the poster of a document as a file with its own colours.
pub fn svg_file(
    document: &Document,
    columns: u16,
    rows: u16,
    out: &mut dyn Write,
) -> io::Result<()> {
    let poster = document_poster(document, columns, rows);
    let hex = |ink| {
        let [r, g, b] = colour(ink);
        format!("#{r:02x}{g:02x}{b:02x}")
    };
    let mut style =
        format!(".soft{{fill:{}}}.w{{fill:{}}}", hex(PosterInk::Muted), hex(PosterInk::Plain));
    for place in 0..SEATS.len() {
        let _ = write!(style, ".s{}{{fill:{}}}", place + 1, hex(PosterInk::Seat(place)));
    }
    let [r, g, b] = BACKGROUND;
    let ground = format!(
        "<style>{style}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#{r:02x}{g:02x}{b:02x}\"/>\n"
    );
    let picture = svg(&poster);
    let begin = picture.find('\n').map_or(0, |at| at + 1);
    out.write_all(&picture.as_bytes()[..begin])?;
    out.write_all(ground.as_bytes())?;
    out.write_all(&picture.as_bytes()[begin..])
}

/// Returns what the poster of a document shows.
pub fn source<'a>(document: &'a Document, standing: Option<&'a Standing>) -> PosterSource<'a> {
    let lasted = document.turn_log.lasted();
    PosterSource { state: &document.state, standing, lasted, host: "the host" }
}

/// Draws the poster of a document.
fn document_poster(document: &Document, columns: u16, rows: u16) -> Poster {
    let standing = Standing::new(&document.state);
    draw(&source(document, standing.as_ref()), columns.into(), rows.into(), &UNICODE).centred()
}
