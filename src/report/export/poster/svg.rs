//! A poster as SVG: one text for each run, as wide as its cells.

use super::super::document::Document;
use super::super::markup::{COLOURS, escaped};
use super::canvas::{Poster, PosterInk};
use super::png::{BACKGROUND, SEATS, colour};
use super::{PosterSource, UNICODE, draw};
use crate::analysis::Standing;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Size of a cell, in units.
pub(super) const CELL: (usize, usize) = (10, 20);
/// Baseline of a text in its cell, and the height of its letters, in units.
const BASELINE: usize = 15;
const LETTERS: f64 = 16.6;

/// Returns the picture; its colours are those of the page that it is in.
pub fn svg(poster: &Poster) -> String {
    let used =
        (0..poster.height()).rev().find(|y| !poster.runs(*y).is_empty()).map_or(0, |y| y + 1);
    let (width, height) = (poster.width * CELL.0, used * CELL.1);
    let mut out = format!(
        "<svg class=\"poster\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\" \
         xmlns=\"http://www.w3.org/2000/svg\" font-family=\"'DejaVu Sans Mono',monospace\" font-size=\"{LETTERS}\" \
         xml:space=\"preserve\">\n",
        escaped(&poster.runs(0).first().map_or(String::new(), |run| run.text.clone())),
    );
    for y in 0..used {
        for run in poster.runs(y) {
            let class = match run.ink {
                PosterInk::Muted => "soft".into(),
                PosterInk::Plain => "w".into(),
                PosterInk::Seat(place) => format!("f s{}", place % COLOURS + 1),
            };
            let (bold, weight) = if run.bold { (" b", " font-weight=\"700\"") } else { ("", "") };
            let _ = writeln!(
                out,
                "<text class=\"{class}{bold}\" x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"{weight}>{}</text>",
                run.x * CELL.0,
                y * CELL.1 + BASELINE,
                run.width() * CELL.0,
                escaped(&run.text),
            );
        }
    }
    out.push_str("</svg>\n");
    out
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

/// Draws the poster of a document.
pub(super) fn document_poster(document: &Document, columns: u16, rows: u16) -> Poster {
    let standing = Standing::new(&document.state);
    let source = PosterSource {
        state: &document.state,
        standing: standing.as_ref(),
        lasted: document.turn_log.lasted(),
        host: "the host",
    };
    draw(&source, (columns.into(), rows.into()), &UNICODE)
}
