//! Positions over the turns as SVG: a line per participant that bends where it moves.

use super::chart::{self, WIDTH, clipped};
use super::markup::{COLOURS, escaped};
use crate::analysis::{Standing, Track};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Width of the labels at the left and at the right, in units.
const LEFT: f64 = 130.0;
const RIGHT: f64 = 190.0;
/// Height of a row, and of the first line of text, in units.
const ROW: f64 = 30.0;
const TOP: f64 = 22.0;
/// Distance between the lines of two participants in a row, in units.
const APART: f64 = 4.0;
/// Radius of a bend, in units.
const BEND: f64 = 6.0;
/// Maximum characters of a label and of a caption.
const LABEL_CHARS: usize = 26;
const CAPTION_CHARS: usize = 20;
/// Minimum distance between two numbers of turns, in units.
const NUMBERS: f64 = 30.0;
/// Height of a row of captions, and the width of a character, in units.
const CAPTION: f64 = 15.0;
const CHAR: f64 = 7.5;

/// Returns the place of the first turn on the axis and the distance between two turns, in units of the drawing.
pub(super) fn axis(standing: &Standing) -> (f64, f64) {
    let drawing = Drawing { standing };
    (drawing.x(1), drawing.width() / standing.numbers.len().max(1) as f64)
}

/// Returns the drawing. `data-n` of a mark is the turn that it belongs to.
pub(super) fn svg(standing: &Standing) -> String {
    let drawing = Drawing { standing };
    let rows = standing.rows.len() as f64;
    let base = TOP + rows * ROW;
    let mut marks = String::new();
    for (row, label) in standing.rows.iter().enumerate() {
        let y = TOP + row as f64 * ROW;
        let _ = writeln!(
            marks,
            "<text class=\"soft\" x=\"0\" y=\"{:.0}\">{}</text>",
            y + 4.0,
            short(label, LABEL_CHARS)
        );
    }
    for track in &standing.tracks {
        drawing.track(&mut marks, track);
    }
    marks.push_str("<g class=\"ends\">\n");
    for row in 0..standing.rows.len() {
        drawing.label(&mut marks, row);
    }
    marks.push_str("</g>\n");
    drawing.numbers(&mut marks, base);
    let captions = drawing.captions(&mut marks, base + 18.0);
    chart::svg(base + 11.0 + captions as f64 * CAPTION, "Where they stand", &marks)
}

struct Drawing<'a> {
    standing: &'a Standing,
}

impl Drawing<'_> {
    /// Returns the place of a turn on the axis.
    fn x(&self, number: u32) -> f64 {
        let turns = self.standing.numbers.len().max(1);
        LEFT + 10.0 + self.standing.nth(number) as f64 / turns as f64 * self.width()
    }

    fn width(&self) -> f64 {
        WIDTH - LEFT - RIGHT - 20.0
    }

    /// Returns the height of a participant's line in a row.
    fn y(&self, row: usize, place: usize) -> f64 {
        let tracks = &self.standing.tracks;
        let nth = tracks.iter().position(|track| track.place == place).unwrap_or(0) as f64;
        let spread = (tracks.len() as f64 - 1.0) / 2.0;
        let apart = APART.min(ROW / (tracks.len() as f64 + 1.0));
        TOP + row as f64 * ROW + (nth - spread) * apart
    }

    /// Draws the line of a participant, its first position and its name.
    fn track(&self, marks: &mut String, track: &Track) {
        let Some(first) = track.positions.first() else { return };
        let class = class(track.place);
        let mut row = first.row;
        let (x, y) = (self.x(first.number), self.y(row, track.place));
        let mut path = format!("M{x:.1} {y:.1}");
        for position in track.positions.iter().filter(|position| position.number > first.number) {
            if position.row == row {
                continue;
            }
            let [from, to] = [row, position.row].map(|row| self.y(row, track.place));
            let x = self.x(position.number);
            let down = if to > from { BEND } else { -BEND };
            path.push_str(&format!(
                "H{:.1}Q{x:.1} {from:.1} {x:.1} {:.1}V{:.1}Q{x:.1} {to:.1} {:.1} {to:.1}",
                x - BEND,
                from + down,
                to - down,
                x + BEND
            ));
            row = position.row;
        }
        path.push_str(&format!("H{:.1}", LEFT + 10.0 + self.width()));
        let _ = writeln!(
            marks,
            "<g class=\"{class}\" data-n=\"{}\"><path class=\"l\" stroke-width=\"2.5\" d=\"{path}\"/><circle class=\"f\" cx=\"{x:.1}\" \
             cy=\"{y:.1}\" r=\"4\"/><text class=\"f\" text-anchor=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            first.number,
            x - 8.0,
            y + 4.0,
            short(&track.name, CAPTION_CHARS)
        );
    }

    /// Writes the participants of a row at its right end, and the words of the latest of them.
    fn label(&self, marks: &mut String, row: usize) {
        let mut names = vec![];
        let mut latest = None;
        for track in &self.standing.tracks {
            let Some(now) = track.positions.last().filter(|now| now.row == row) else { continue };
            let name = short(&track.name, CAPTION_CHARS);
            names.push(format!("<tspan class=\"f {}\">{name}</tspan>", class(track.place)));
            if latest.is_none_or(|(number, _)| number < now.number) {
                latest = Some((now.number, &now.words));
            }
        }
        let Some((_, words)) = latest else { return };
        let x = WIDTH - RIGHT;
        let y = TOP + row as f64 * ROW;
        let _ = writeln!(
            marks,
            "<text x=\"{x:.0}\" y=\"{:.0}\">{}</text>\n<text class=\"soft\" x=\"{x:.0}\" y=\"{:.0}\">{}</text>",
            y + 1.0,
            names.join(" · "),
            y + 14.0,
            short(words, LABEL_CHARS)
        );
    }

    /// Writes the numbers of the turns, as many as fit.
    fn numbers(&self, marks: &mut String, y: f64) {
        let mut free = 0.0;
        for number in &self.standing.numbers {
            let x = self.x(*number);
            if x >= free {
                let _ = writeln!(
                    marks,
                    "<text class=\"soft\" x=\"{:.1}\" y=\"{y:.0}\">#{number}</text>",
                    x - 4.0
                );
                free = x + NUMBERS;
            }
        }
    }

    /// Writes the new position of each move below its turn, in the first row with room. Returns the number of rows.
    fn captions(&self, marks: &mut String, top: f64) -> usize {
        let mut free: Vec<f64> = vec![0.0];
        for moved in self.standing.moves() {
            let words = clipped(&moved.now.words, CAPTION_CHARS);
            let wide = words.width() as f64 * CHAR;
            let x = (self.x(moved.now.number) - 4.0).min(WIDTH - wide);
            let row = free.iter().position(|free| x >= *free).unwrap_or(free.len());
            free.resize(free.len().max(row + 1), 0.0);
            free[row] = x + wide + 2.0 * CHAR;
            let y = top + row as f64 * CAPTION;
            let (class, words) = (class(moved.place), escaped(&words));
            let _ = writeln!(
                marks,
                "<text class=\"f {class}\" data-n=\"{}\" x=\"{x:.1}\" y=\"{y:.0}\">{words}</text>",
                moved.now.number,
            );
        }
        free.len()
    }
}

fn class(place: usize) -> String {
    format!("s{}", place % COLOURS + 1)
}

/// Returns a text of at most `chars` characters, safe in the page.
fn short(words: &str, chars: usize) -> String {
    escaped(&clipped(words, chars))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Axis, Mover, Standpoint};
    use crate::model::TurnId;

    #[test]
    fn a_move_is_a_bend_with_its_words_below() {
        let position = |number: u32, row, words: &str| Standpoint {
            turn: TurnId(u64::from(number)),
            number,
            row,
            words: words.into(),
            by: Mover::Nobody,
            quote: None,
        };
        let positions = vec![position(1, 0, "ban them"), position(4, 1, "<b>freight</b>")];
        let tracks = vec![Track { place: 1, name: "Ada & co".into(), positions, lost: None }];
        let rows = vec!["ban them".into(), String::new(), "leave them".into()];
        let page = svg(&Standing { rows, tracks, numbers: vec![1, 2, 3, 4], axis: Axis::Poles });
        for part in ["class=\"s2\"", "Ada &amp; co", "&lt;b&gt;freight", ">#4<", "leave them"] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
        assert_eq!(page.matches('Q').count(), 2, "{page}");
        assert!(!page.contains("<b>"), "{page}");
    }

    /// Every move has its words, and no words run into others.
    #[test]
    fn captions_have_rows_of_their_own() {
        let position = |(number, row): (u32, usize)| Standpoint {
            turn: TurnId(u64::from(number)),
            number,
            row,
            words: format!("one district, year {number}"),
            by: Mover::Nobody,
            quote: None,
        };
        let positions = (1..=9).zip([0, 1].into_iter().cycle()).map(position).collect();
        let tracks = vec![Track { place: 0, name: "Ada".into(), positions, lost: None }];
        let rows = vec!["ban them".into(), "leave them".into()];
        let standing = Standing { rows, tracks, numbers: (1..=9).collect(), axis: Axis::Positions };
        let page = svg(&standing);
        let captions = page.lines().filter(|line| line.starts_with("<text class=\"f s1\" data-n"));
        let value = |line: &str, key: &str| -> f64 {
            let rest = line.split_once(key).unwrap().1;
            rest.split('"').next().unwrap().parse().unwrap()
        };
        let mut places: Vec<(f64, f64)> =
            captions.map(|line| (value(line, " y=\""), value(line, " x=\""))).collect();
        assert_eq!(places.len(), 8, "{page}");
        places.sort_by(|one, other| one.partial_cmp(other).unwrap());
        let runs_into = |pair: &[(f64, f64)]| {
            pair[0].0 == pair[1].0 && pair[1].1 - pair[0].1 < CAPTION_CHARS as f64 * 6.5
        };
        assert!(!places.windows(2).any(runs_into), "{places:?}");
        assert!(places.iter().all(|(_, x)| *x + 100.0 < WIDTH), "{places:?}");
    }
}
