//! Cells that a poster is drawn in; screen, SVG, PNG and ANSI are written from them.

use super::signs::{CELL, PosterInk, UNICODE, strokes};
use crate::text::without_keys;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Number of empty rows from which the content is centred.
const SPARE: usize = 8;

/// Columns from which a poster is wide.
pub(super) const WIDE: usize = 100;
/// Maximum share of a name in a row, as a divisor of the width.
pub(super) const NAME_PART: usize = 4;

/// Text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PosterRun {
    /// First cell.
    pub x: usize,
    pub text: String,
    /// Colour of the text.
    pub ink: PosterInk,
    /// True if the text is bold.
    pub bold: bool,
}

impl PosterRun {
    /// Returns the number of cells of the run.
    pub fn width(&self) -> usize {
        self.text.width()
    }
}

/// Text in one style: the text, its colour, and whether it is bold.
pub(super) type PosterPiece = (String, PosterInk, bool);

/// Returns text that is not bold.
pub(super) fn piece(text: impl Into<String>, ink: PosterInk) -> PosterPiece {
    (text.into(), ink, false)
}

/// A cell; the text of a wide character is in its first cell, and the second one is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PosterCell {
    text: String,
    ink: PosterInk,
    bold: bool,
}

/// A poster: rows of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Poster {
    /// Width in cells.
    pub width: usize,
    rows: Vec<Vec<Option<PosterCell>>>,
}

impl Poster {
    /// Returns an empty poster of a size in cells.
    pub(super) fn new(width: usize, height: usize) -> Poster {
        Poster { width, rows: vec![vec![None; width]; height] }
    }

    /// Returns the poster with its content above the middle, if many rows stay empty.
    pub fn centred(mut self) -> Poster {
        let is_empty = |row: &&Vec<Option<PosterCell>>| row.iter().all(Option::is_none);
        let spare = self.rows.iter().rev().take_while(is_empty).count();
        if spare >= SPARE {
            self.rows.rotate_right(spare / 3);
        }
        self
    }

    /// Returns the number of rows.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// Writes a text from a cell on, over what is there, as far as the row has room. Returns the cell behind it.
    pub(super) fn put(
        &mut self,
        x: usize,
        y: usize,
        text: &str,
        ink: PosterInk,
        bold: bool,
    ) -> usize {
        let mut x = x;
        let width = self.width;
        let Some(row) = self.rows.get_mut(y) else { return x };
        for c in without_keys(text).chars() {
            let cells = c.width().unwrap_or(0);
            if cells == 0 {
                if let Some(Some(before)) = x.checked_sub(1).and_then(|at| row.get_mut(at)) {
                    before.text.push(c);
                }
                continue;
            }
            if x + cells > width {
                break;
            }
            row[x] = Some(PosterCell { text: c.into(), ink, bold });
            row[x + 1..x + cells].fill(Some(PosterCell { text: String::new(), ink, bold }));
            x += cells;
        }
        x
    }

    /// Empties a cell.
    pub(super) fn clear(&mut self, x: usize, y: usize) {
        if let Some(cell) = self.rows.get_mut(y).and_then(|row| row.get_mut(x)) {
            *cell = None;
        }
    }

    /// Returns the character and the colour of a cell; `None` for an empty one.
    pub(super) fn cell(&self, x: usize, y: usize) -> Option<(&str, PosterInk)> {
        let cell = self.rows.get(y)?.get(x)?.as_ref()?;
        Some((&cell.text, cell.ink))
    }

    /// Returns the rectangles of a line or a mark in its cell, in units: x, y, width and height. A mark has the ends of
    /// its own lines, so that they join.
    pub(super) fn strokes(&self, x: usize, y: usize) -> Vec<[usize; 4]> {
        let Some((sign, ink)) = self.cell(x, y) else { return vec![] };
        let mut all = strokes(sign).to_vec();
        if sign == UNICODE.place || sign == UNICODE.start {
            let leads = |x: usize, y: usize, reaches: fn(&[usize; 4]) -> bool| {
                let other = self.cell(x, y).filter(|(_, other)| *other == ink);
                other.is_some_and(|(sign, _)| strokes(sign).iter().any(reaches))
            };
            let [mx, my] = [CELL.0 / 2, CELL.1 / 2];
            if leads(x, y.wrapping_sub(1), |[_, y, _, h]| y + h == CELL.1) {
                all.push([mx - 1, 0, 2, my]);
            }
            if leads(x, y + 1, |[_, y, ..]| *y == 0) {
                all.push([mx - 1, my, 2, my]);
            }
            if leads(x.wrapping_sub(1), y, |[x, _, w, _]| x + w == CELL.0) {
                all.push([0, my - 1, mx, 2]);
            }
            if leads(x + 1, y, |[x, ..]| *x == 0) {
                all.push([mx, my - 1, mx, 2]);
            }
        }
        all
    }

    /// Returns whether cells of a row are empty.
    pub(super) fn is_free(&self, cells: std::ops::Range<usize>, y: usize) -> bool {
        cells.into_iter().all(|x| self.cell(x, y).is_none())
    }

    /// Returns the runs of a row, without blanks at its end.
    pub fn runs(&self, y: usize) -> Vec<PosterRun> {
        let mut runs: Vec<PosterRun> = vec![];
        let mut behind = 0;
        for (x, cell) in self.rows.get(y).into_iter().flatten().enumerate() {
            let Some(PosterCell { text, ink, bold }) = cell else { continue };
            match runs.last_mut() {
                // words of one style are one run
                Some(run) if (run.ink, run.bold) == (*ink, *bold) && x <= behind + 1 => {
                    run.text.push_str(&" ".repeat(x - behind));
                    run.text.push_str(text);
                }
                _ => runs.push(PosterRun { x, text: text.clone(), ink: *ink, bold: *bold }),
            }
            behind = x + 1;
        }
        runs
    }

    /// Returns the text of the poster, without blanks at the ends of rows.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for y in 0..self.height() {
            let mut x = 0;
            for run in self.runs(y) {
                text.push_str(&" ".repeat(run.x - x));
                text.push_str(&run.text);
                x = run.x + run.width();
            }
            text.push('\n');
        }
        text
    }
}

/// Returns a text in at most `room` cells, with `…` in the place of what is cut.
pub(super) fn clipped(text: &str, room: usize, ellipsis: &str) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut cut = String::new();
    let spare = room.saturating_sub(ellipsis.width());
    for c in text.chars() {
        if cut.width() + c.width().unwrap_or(0) > spare {
            break;
        }
        cut.push(c);
    }
    let cut = cut.trim_end();
    if room == 0 { String::new() } else { format!("{cut}{ellipsis}") }
}

/// Wraps a text at blanks into at most `most` lines; the last one ends in `…` if there is more.
pub(super) fn wrapped(words: &str, room: usize, most: usize, ellipsis: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in words.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if line.width() + 1 + word.width() <= room {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(rest);
    }
    lines.iter().map(|line| clipped(line, room, ellipsis)).collect()
}
