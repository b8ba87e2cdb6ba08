//! A poster as SVG: one text for each run, as wide as its cells.

use super::super::markup::{COLOURS, escaped};
use super::canvas::{Poster, PosterInk};
use super::signs::CELL;
use std::fmt::Write as _;

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
