//! A poster as SVG: one text for each run, as wide as its cells.

use super::super::markup::{COLOURS, escaped};
use super::canvas::Poster;
use super::signs::{CELL, PosterInk};
use std::fmt::Write as _;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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
            let (mut drawn, mut words) = (String::new(), vec![]);
            let mut x = run.x;
            for c in run.text.chars() {
                let is_drawn = shape(poster, c, x, y, &mut drawn);
                match words.last_mut() {
                    _ if is_drawn => words.push((x + 1, String::new())),
                    Some((_, text)) => text.push(c),
                    None => words.push((x, c.into())),
                }
                x += c.width().unwrap_or(0);
            }
            if !drawn.is_empty() {
                let _ = writeln!(out, "<path class=\"{class}\" d=\"{drawn}\"/>");
            }
            for (x, words) in words.iter().filter(|(_, words)| !words.trim().is_empty()) {
                let blanks = words.len() - words.trim_start().len();
                let words = words.trim();
                let _ = writeln!(
                    out,
                    "<text class=\"{class}{bold}\" x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"{weight}>{}</text>",
                    (x + blanks) * CELL.0,
                    y * CELL.1 + BASELINE,
                    words.width() * CELL.0,
                    escaped(words),
                );
            }
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Adds the shapes of a line or a mark to a path, clockwise, so that shapes that overlap are filled; returns whether the
/// character is one. Fonts of browsers leave gaps between two of them.
fn shape(poster: &Poster, c: char, x: usize, y: usize, path: &mut String) -> bool {
    let strokes = poster.strokes(x, y);
    let (left, top) = (x * CELL.0, y * CELL.1);
    for [dx, dy, width, height] in &strokes {
        // overlapping shapes hide the seams
        let width = width + usize::from(dx + width == CELL.0);
        let height = height + usize::from(dy + height == CELL.1);
        let _ = write!(path, "M{} {}h{width}v{height}h-{width}z", left + dx, top + dy);
    }
    let (mx, my) = (left + CELL.0 / 2, top + CELL.1 / 2);
    let _ = match c {
        '◆' => write!(path, "M{mx} {}l5 5-5 5-5-5z", my - 5),
        '◇' => write!(path, "M{mx} {}l5 5-5 5-5-5zm0 3l-2 2 2 2 2-2z", my - 5),
        '●' => write!(path, "M{}.4 {my}a4.6 4.6 0 1 1 9.2 0a4.6 4.6 0 1 1-9.2 0z", left),
        _ => return !strokes.is_empty(),
    };
    true
}
