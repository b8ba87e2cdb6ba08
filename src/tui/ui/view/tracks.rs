//! Drawing of positions over the turns as rows of signs: a line per participant that bends where it moves, or the width
//! of each row for many participants.

use crate::analysis::{Axis, Move, PoleMoveKind, Standing, Track};
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::glyphs::Glyphs;

/// Number of participants from which rows show how many hold a position.
const BANDS_FROM: usize = 9;
/// Maximum cells of a turn.
const STEP_MAX: usize = 8;
/// Minimum cells of a turn; further turns share cells.
const STEP_MIN: usize = 2;
/// Minimum cells of a turn beside labels at the right that need more than their part of the width.
const STEP_BESIDE: usize = 3;
/// Maximum cells of the labels at the left.
const LEFT_MAX: usize = 26;
/// Divisor of the width for the labels at the right.
const RIGHT_PART: usize = 3;
/// Minimum cells of a clipped caption, and the cells between two captions.
const CAPTION_MIN: usize = 4;
const CAPTION_GAP: usize = 2;

/// Colour of a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// A participant's, by the index of its seat.
    Seat(usize),
    /// Secondary text.
    Muted,
    /// Text.
    Plain,
    /// The number of participants in a row.
    Band,
}

/// Text in one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// The text.
    pub text: String,
    /// Its colour.
    pub ink: Ink,
}

/// Signs that a drawing is made of.
struct Canvas {
    cells: Vec<Option<Stroke>>,
}

/// Geometry of a drawing: cells of the labels, of a turn, and in all.
#[derive(Clone, Copy)]
struct Scale {
    left: usize,
    columns: usize,
    turns: usize,
}

/// Returns the rows of the drawing: one per position, the numbers of the turns, and the captions of the moves.
pub fn rows(standing: &Standing, room: usize, glyphs: &Glyphs) -> Vec<Vec<Stroke>> {
    let bands = standing.tracks.len() >= BANDS_FROM;
    let rights: Vec<Vec<Stroke>> =
        (0..standing.rows.len()).map(|row| right(standing, row, bands, glyphs)).collect();
    let longest = rights.iter().map(|right| strokes_width(right)).max().unwrap_or(0);
    let pole = standing.rows.iter().map(|row| width(row)).max().unwrap_or(0);
    let name = |track: &Track| width(&track.name) + 1;
    let name = if bands { 0 } else { standing.tracks.iter().map(name).max().unwrap_or(0) };
    let labels = if standing.axis.is_scale() { pole } else { 0 };
    let left = (labels + name + 3).min(LEFT_MAX).min(room / 3);
    let turns = standing.turns.max(1) as usize;
    // whole labels are worth shorter turns
    let spare = room.saturating_sub(left + 1 + turns * STEP_BESIDE);
    let right_room = (longest + 2).min(spare.max(room / RIGHT_PART));
    let columns = room.saturating_sub(left + right_room + 1).max(1);
    let step = (columns / turns).min(STEP_MAX);
    let columns = if step >= STEP_MIN { step * turns } else { columns };
    let scale = Scale { left, columns, turns };
    let mut lines: Vec<Canvas> = standing.rows.iter().map(|_| Canvas::new()).collect();
    if bands {
        draw_bands(&mut lines, standing, scale, glyphs);
    } else {
        draw_tracks(&mut lines, standing, scale, glyphs);
    }
    let mut drawn = vec![];
    for ((canvas, label), right) in lines.iter_mut().zip(&standing.rows).zip(rights) {
        if standing.axis.is_scale() {
            canvas.write(1, &clip(label, left.saturating_sub(2), glyphs.ellipsis), Ink::Muted);
        }
        let mut row = canvas.strokes(left + columns + 1);
        let mut spare = room.saturating_sub(left + columns + 2);
        row.push(Stroke { text: " ".into(), ink: Ink::Muted });
        for stroke in right {
            let text = clip(&stroke.text, spare, glyphs.ellipsis);
            spare -= width(&text).min(spare);
            row.push(Stroke { text, ink: stroke.ink });
        }
        drawn.push(row);
    }
    drawn.push(numbers(scale, standing.axis).strokes(room));
    drawn.push(captions(standing, scale, room, glyphs).strokes(room));
    drawn
}

impl Scale {
    /// Returns the cell of a turn.
    fn at(self, number: u32) -> usize {
        let turn = (number as usize).clamp(1, self.turns) - 1;
        let step = self.columns / self.turns;
        if step >= STEP_MIN {
            return self.left + turn * step;
        }
        self.left + turn * (self.columns - 1) / (self.turns - 1).max(1)
    }

    /// Returns the cell after the last turn.
    fn end(self) -> usize {
        self.left + self.columns
    }
}

impl Canvas {
    fn new() -> Canvas {
        Canvas { cells: vec![] }
    }

    fn set(&mut self, at: usize, text: &str, ink: Ink) {
        if self.cells.len() <= at {
            self.cells.resize(at + 1, None);
        }
        self.cells[at] = Some(Stroke { text: text.to_owned(), ink });
    }

    fn is_free(&self, at: usize) -> bool {
        self.cells.get(at).is_none_or(Option::is_none)
    }

    /// Writes a text if all of its cells are free; its first cell holds all of it.
    fn write(&mut self, at: usize, text: &str, ink: Ink) {
        let cells = width(text);
        if cells == 0 || !(at..at + cells).all(|cell| self.is_free(cell)) {
            return;
        }
        (at..at + cells).for_each(|cell| self.set(cell, "", ink));
        self.set(at, text, ink);
    }

    /// Returns the signs up to a cell, with blanks between them.
    fn strokes(&self, room: usize) -> Vec<Stroke> {
        let mut strokes: Vec<Stroke> = vec![];
        for at in 0..room {
            let cell = self.cells.get(at).cloned().flatten();
            let stroke = cell.unwrap_or(Stroke { text: " ".into(), ink: Ink::Muted });
            match strokes.last_mut() {
                Some(last) if last.ink == stroke.ink => last.text.push_str(&stroke.text),
                _ => strokes.push(stroke),
            }
        }
        strokes
    }
}

fn strokes_width(strokes: &[Stroke]) -> usize {
    strokes.iter().map(|stroke| width(&stroke.text)).sum()
}

/// Draws a line per participant. A shared line has the colour of the text, because it belongs to nobody alone.
fn draw_tracks(lines: &mut [Canvas], standing: &Standing, scale: Scale, glyphs: &Glyphs) {
    let mut shared: Vec<Vec<Vec<usize>>> = vec![vec![vec![]; scale.end()]; lines.len()];
    for track in &standing.tracks {
        for (at, position) in track.positions.iter().enumerate() {
            let next = track.positions.get(at + 1);
            let to = next.map_or(scale.end(), |next| scale.at(next.number));
            let from = scale.at(position.number);
            let cells = shared[position.row].iter_mut().take(to).skip(from);
            cells.for_each(|places| places.push(track.place));
        }
    }
    for (canvas, cells) in lines.iter_mut().zip(&shared) {
        for (at, places) in cells.iter().enumerate().filter(|(_, places)| !places.is_empty()) {
            let ink = match places[..] {
                [place] => Ink::Seat(place),
                [..] => Ink::Plain,
            };
            canvas.set(at, glyphs.track, ink);
        }
    }
    for moved in standing.moves().iter().filter(|moved| moved.kind == PoleMoveKind::Place) {
        bend(lines, moved, scale, glyphs);
    }
    for track in &standing.tracks {
        let Some(first) = track.positions.first() else { continue };
        let at = scale.at(first.number);
        let canvas = &mut lines[first.row];
        canvas.set(at, glyphs.start, Ink::Seat(track.place));
        if let Some(from) = at.checked_sub(width(&track.name) + 1) {
            canvas.write(from, &track.name, Ink::Seat(track.place));
        }
    }
}

/// Draws the bend of a line from one row to another.
fn bend(lines: &mut [Canvas], moved: &Move, scale: Scale, glyphs: &Glyphs) {
    let [up_right, down_right, down_left, up_left] = glyphs.bends;
    let (from, to) = (moved.before.row, moved.now.row);
    let at = scale.at(moved.now.number);
    let ink = Ink::Seat(moved.place);
    let (leaves, arrives) = if from < to { (down_right, down_left) } else { (up_left, up_right) };
    lines[from].set(at, leaves, ink);
    lines[to].set(at, arrives, ink);
    for canvas in &mut lines[from.min(to) + 1..from.max(to)] {
        canvas.set(at, glyphs.riser, ink);
    }
}

/// Draws the number of participants in each row as the height of its cells.
fn draw_bands(lines: &mut [Canvas], standing: &Standing, scale: Scale, glyphs: &Glyphs) {
    let most = standing.tracks.len();
    let top = glyphs.levels.len() - 1;
    for (row, canvas) in lines.iter_mut().enumerate() {
        let mut holders = vec![0_usize; scale.end()];
        for track in &standing.tracks {
            for (at, position) in track.positions.iter().enumerate() {
                let next = track.positions.get(at + 1);
                let to = next.map_or(scale.end(), |next| scale.at(next.number));
                let cells = scale.at(position.number)..to;
                if position.row == row {
                    holders[cells].iter_mut().for_each(|count| *count += 1);
                }
            }
        }
        for (at, count) in holders.iter().enumerate().filter(|(_, count)| **count > 0) {
            canvas.set(at, glyphs.levels[(count * top).div_ceil(most).min(top)], Ink::Band);
        }
    }
}

/// Returns the label at the right end of a row: the participants there now, and the words of the latest of them.
fn right(standing: &Standing, row: usize, bands: bool, glyphs: &Glyphs) -> Vec<Stroke> {
    let mut here: Vec<&Track> = vec![];
    for track in &standing.tracks {
        if track.positions.last().is_some_and(|now| now.row == row) {
            here.push(track);
        }
    }
    let latest = here.iter().filter_map(|t| t.positions.last()).max_by_key(|now| now.number);
    let Some(latest) = latest else { return vec![] };
    let mut strokes = vec![];
    if bands {
        strokes.push(Stroke { text: here.len().to_string(), ink: Ink::Band });
    } else {
        for (nth, track) in here.iter().enumerate() {
            if nth > 0 {
                strokes.push(Stroke { text: format!(" {} ", glyphs.dot), ink: Ink::Muted });
            }
            strokes.push(Stroke { text: track.name.clone(), ink: Ink::Seat(track.place) });
            if standing.axis == Axis::Numbers
                && let Some(now) = track.positions.last()
            {
                strokes.push(Stroke { text: format!(" {}", now.words), ink: Ink::Plain });
            }
        }
        if standing.axis == Axis::Numbers {
            return strokes;
        }
    }
    strokes.push(Stroke { text: format!("  {}", latest.words), ink: Ink::Plain });
    strokes
}

/// Returns the numbers of the turns, as many as fit.
fn numbers(scale: Scale, axis: Axis) -> Canvas {
    let mut canvas = Canvas::new();
    let mut free = 0;
    for number in 1..=scale.turns as u32 {
        let at = scale.at(number);
        let text = match axis {
            Axis::Numbers => format!("round {number}"),
            Axis::Poles | Axis::Positions => format!("#{number}"),
        };
        if at >= free && at + text.len() <= scale.end() + 2 {
            canvas.write(at, &text, Ink::Muted);
            free = at + text.len() + 1;
        }
    }
    canvas
}

/// Returns the new position of each move, below its turn. Captions that would meet are moved apart; if the row is too
/// short for all of them, each is clipped at the next turn.
fn captions(standing: &Standing, scale: Scale, room: usize, glyphs: &Glyphs) -> Canvas {
    let mut canvas = Canvas::new();
    let mut moves = standing.moves();
    moves.retain(|moved| moved.kind == PoleMoveKind::Place);
    let turns: Vec<usize> = moves.iter().map(|moved| scale.at(moved.now.number)).collect();
    let cells: Vec<usize> = moves.iter().map(|moved| width(&moved.now.words)).collect();
    let starts = spread(&turns, &cells, room.saturating_sub(1));
    for (nth, moved) in moves.iter().enumerate() {
        let ink = Ink::Seat(moved.place);
        if let Some(starts) = &starts {
            canvas.write(starts[nth], &moved.now.words, ink);
            continue;
        }
        let next = turns.get(nth + 1).copied().unwrap_or(room);
        let cells = next.saturating_sub(turns[nth] + 1);
        if cells >= CAPTION_MIN {
            canvas.write(turns[nth], &clip(&moved.now.words, cells, glyphs.ellipsis), ink);
        }
    }
    canvas
}

/// Returns the first cells of texts near the wanted ones, with a gap between them; `None` if they do not fit.
fn spread(wanted: &[usize], cells: &[usize], room: usize) -> Option<Vec<usize>> {
    let mut starts = vec![];
    let mut free = 1;
    for (want, cells) in wanted.iter().zip(cells) {
        let start = free.max(*want);
        starts.push(start);
        free = start + cells + CAPTION_GAP;
    }
    let mut end = room;
    for (start, cells) in starts.iter_mut().zip(cells).rev() {
        *start = (*start).min(end.checked_sub(*cells)?);
        end = start.saturating_sub(CAPTION_GAP);
    }
    starts.first().is_none_or(|first| *first > 0).then_some(starts)
}
