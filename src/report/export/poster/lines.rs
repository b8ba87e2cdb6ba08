//! The lines of a poster: one per participant over the turns, in the row of its position.

use super::canvas::{Poster, clipped};
use super::signs::{PosterInk, PosterSigns};
use crate::analysis::{Axis, PoleMoveKind, Standing, Track, place_words};
use unicode_width::UnicodeWidthStr;

/// Maximum cells of a turn.
const STEP_MAX: usize = 8;
/// Minimum cells of words in a line.
const WORDS_MIN: usize = 6;
/// Cells at the left of a poster.
pub(super) const MARGIN: usize = 2;
/// Maximum share of the width for the words at the right, in percent, and with a long name among them.
const RIGHT_PERCENT: usize = 40;
const NAMED_PERCENT: usize = 50;
/// Minimum cells of words at the right that begin in one column.
const COLUMN_MIN: usize = 10;
/// Cells of the number of a place, and minimum cells of a name that is cut.
const PLACE: usize = 3;
const NAME_MIN: usize = 4;

/// A stretch of a line in one row.
struct Stretch<'a> {
    track: &'a Track,
    /// Level of the row.
    level: usize,
    /// Row within the level.
    row: usize,
    /// First and last cell.
    cells: (usize, usize),
    /// Cells before the first one for the name; 0 for all but the first stretch.
    name: usize,
    /// Index of the first position of the stretch, and the number of its positions.
    positions: (usize, usize),
    /// True if the line ends here.
    is_last: bool,
}

/// Geometry of the drawing.
struct Scale<'a> {
    standing: &'a Standing,
    /// First cell behind the numbers of the places.
    margin: usize,
    left: usize,
    columns: usize,
}

impl Scale<'_> {
    fn at(&self, number: u32) -> usize {
        let turns = self.standing.numbers.len().max(1);
        self.left + self.standing.nth(number) * self.columns / turns
    }

    fn end(&self) -> usize {
        self.left + self.columns
    }
}

/// The drawing of positions, before it has a place on the poster.
pub(super) struct PoleLines<'a> {
    standing: &'a Standing,
    scale: Scale<'a>,
    stretches: Vec<Stretch<'a>>,
    /// Number of rows of each level.
    heights: Vec<usize>,
    /// Blank rows between two levels.
    gap: usize,
    names: usize,
}

impl<'a> PoleLines<'a> {
    /// Lays out the lines in a width; a level has at most `rows` rows, and `gap` blank ones below it.
    pub(super) fn new(
        standing: &'a Standing,
        width: usize,
        rows: usize,
        gap: usize,
    ) -> PoleLines<'a> {
        let name = |track: &Track| track.name.width();
        let names = standing.tracks.iter().map(name).max().unwrap_or(0);
        let words = |track: &Track| right_words(track).width();
        let words = standing.tracks.iter().map(words).max().unwrap_or(0);
        let named = (names + 5).min(width * NAMED_PERCENT / 100);
        let right = (3 + names + 2 + words).min((width * RIGHT_PERCENT / 100).max(named));
        let margin = MARGIN + if standing.axis == Axis::Poles { PLACE } else { 0 };
        let left = margin + names.min(width / 6) + 1;
        let turns = standing.numbers.len().max(1);
        let room = width.saturating_sub(left + right + MARGIN).max(turns.min(8));
        let scale = Scale { standing, margin, left, columns: room.min(turns * STEP_MAX) };
        let mut lines =
            PoleLines { standing, scale, stretches: vec![], heights: vec![], gap, names };
        for track in &standing.tracks {
            lines.add(track);
        }
        lines.stretches.sort_by_key(|stretch| stretch.cells.0);
        lines.heights = vec![1; standing.rows.len()];
        for at in 0..lines.stretches.len() {
            let row = lines.free_row(at, rows);
            lines.stretches[at].row = row;
            let height = &mut lines.heights[lines.stretches[at].level];
            *height = (*height).max(row + 1);
        }
        lines
    }

    /// Adds the stretches of a participant.
    fn add(&mut self, track: &'a Track) {
        let all = &track.positions;
        let mut first = 0;
        while let Some(position) = all.get(first) {
            let same = all[first..].iter().take_while(|p| p.row == position.row).count();
            let next = all.get(first + same);
            let from = self.scale.at(position.number);
            let to = next.map_or(self.scale.end(), |next| self.scale.at(next.number));
            self.stretches.push(Stretch {
                track,
                level: position.row,
                row: 0,
                cells: (from, to),
                name: if first == 0 { track.name.width() + 2 } else { 0 },
                positions: (first, same),
                is_last: next.is_none(),
            });
            first += same;
        }
    }

    /// Returns the first row of the level that is free for a stretch, or the last allowed one.
    fn free_row(&self, at: usize, rows: usize) -> usize {
        let own = &self.stretches[at];
        let (from, to) = (own.cells.0.saturating_sub(own.name), own.cells.1);
        let earlier = || self.stretches[..at].iter().filter(|other| other.level == own.level);
        let meets = |other: &Stretch<'_>| {
            other.cells.0.saturating_sub(other.name) <= to && from <= other.cells.1
        };
        let free = |row: &usize| !earlier().any(|other| other.row == *row && meets(other));
        (0..rows).find(free).unwrap_or(rows.saturating_sub(1))
    }

    /// Returns the number of rows, with the labels of the poles and the numbers of the turns.
    pub(super) fn height(&self) -> usize {
        let rows: usize = self.heights.iter().sum();
        rows + self.gap * self.heights.len().saturating_sub(1) + self.label_rows() + 1
    }

    /// Returns the cells of the first turn, between two turns, and of the ends of the lines.
    pub(super) fn axis(&self) -> [f64; 3] {
        let Scale { left, columns, standing, .. } = &self.scale;
        let step = *columns as f64 / standing.numbers.len().max(1) as f64;
        [*left as f64, step, (left + columns) as f64]
    }

    fn label_rows(&self) -> usize {
        if self.standing.axis.is_scale() { 2 } else { 0 }
    }

    /// Returns the row of a stretch on the poster.
    fn y(&self, top: usize, stretch: &Stretch<'_>) -> usize {
        self.level(top, stretch.level) + stretch.row
    }

    /// Returns the first row of a level: the rows of one level have no blank row between them.
    fn level(&self, top: usize, level: usize) -> usize {
        let above: usize = self.heights[..level].iter().sum();
        top + self.label_rows() / 2 + above + level * self.gap
    }

    /// Draws the lines from a row on.
    pub(super) fn draw(&self, poster: &mut Poster, top: usize, signs: &PosterSigns) {
        let bottom = top + self.height();
        if self.standing.axis.is_scale() {
            let labels = self.standing.rows.first().zip(self.standing.rows.last());
            for (label, y) in
                labels.into_iter().flat_map(|(one, other)| [(one, top), (other, bottom - 2)])
            {
                poster.put(MARGIN, y, label, PosterInk::Muted, false);
            }
        }
        if self.standing.axis == Axis::Poles {
            for level in 0..self.heights.len() {
                let place = format!("{:>2}", place_words(level));
                for row in 0..self.heights[level] {
                    let y = self.level(top, level) + row;
                    poster.put(MARGIN, y, &place, PosterInk::Muted, false);
                }
            }
        }
        for stretch in &self.stretches {
            self.line(poster, top, stretch, signs);
        }
        self.risers(poster, top, signs);
        for stretch in &self.stretches {
            self.marks(poster, top, stretch, signs);
        }
        for stretch in &self.stretches {
            self.words(poster, top, stretch, signs);
        }
        self.ends(poster, top, signs);
        self.numbers(poster, bottom - 1);
        let rows = [top, bottom - 2, bottom - 1];
        let rows = if self.standing.axis.is_scale() { &rows[..] } else { &rows[2..] };
        self.legend(poster, rows, signs);
    }

    /// Explains the signs of the moves at the right of the label of a pole, or of the numbers of the turns.
    fn legend(&self, poster: &mut Poster, rows: &[usize], signs: &PosterSigns) {
        let moves = self.standing.moves();
        let place = match self.standing.axis {
            Axis::Poles | Axis::Numbers => ["moved along the scale", "moved"],
            Axis::Positions => ["moved to another position", "moved"],
        };
        let claim = ["same place, new words", "new words"];
        let kinds =
            [(PoleMoveKind::Place, signs.place, place), (PoleMoveKind::Claim, signs.claim, claim)];
        let drawn = kinds.iter().filter(|(kind, ..)| moves.iter().any(|m| m.kind == *kind));
        for (form, y) in (0..2).flat_map(|form| rows.iter().map(move |y| (form, *y))) {
            let words = drawn.clone().map(|(_, sign, words)| format!("{sign} {}", words[form]));
            let words = words.collect::<Vec<_>>().join("   ");
            let at = poster.width.saturating_sub(words.width() + MARGIN);
            if at > MARGIN + 2 && poster.is_free(at - 2..poster.width, y) {
                poster.put(at, y, &words, PosterInk::Muted, false);
                return;
            }
        }
    }

    fn line(&self, poster: &mut Poster, top: usize, stretch: &Stretch<'_>, signs: &PosterSigns) {
        let y = self.y(top, stretch);
        let ink = PosterInk::Seat(stretch.track.place);
        for x in stretch.cells.0..stretch.cells.1 {
            // lines that share a row alternate
            let is_shared = poster.cell(x, y).is_some();
            if !is_shared || x % 2 == 0 {
                poster.put(x, y, signs.line, ink, false);
            }
        }
    }

    /// Draws the changes of a row, with a blank on both sides where they cross the line of somebody else.
    fn risers(&self, poster: &mut Poster, top: usize, signs: &PosterSigns) {
        for track in &self.standing.tracks {
            let own: Vec<&Stretch<'_>> =
                self.stretches.iter().filter(|s| s.track.place == track.place).collect();
            let ink = PosterInk::Seat(track.place);
            for pair in own.windows(2) {
                let (from, to) = (self.y(top, pair[0]), self.y(top, pair[1]));
                let x = pair[1].cells.0;
                for y in from.min(to) + 1..from.max(to) {
                    for beside in [x.wrapping_sub(1), x + 1] {
                        if poster.cell(beside, y).is_some_and(|(sign, _)| sign == signs.line) {
                            poster.clear(beside, y);
                        }
                    }
                    poster.put(x, y, signs.riser, ink, false);
                }
                let corner = if from < to { signs.down } else { signs.up };
                poster.put(x, from, corner, ink, false);
            }
        }
    }

    fn marks(&self, poster: &mut Poster, top: usize, stretch: &Stretch<'_>, signs: &PosterSigns) {
        let y = self.y(top, stretch);
        let ink = PosterInk::Seat(stretch.track.place);
        let x = stretch.cells.0;
        let sign = if stretch.name > 0 { signs.start } else { signs.place };
        poster.put(x, y, sign, ink, false);
        if stretch.name > 0 {
            // a line that shares the row gives way
            let gives_way =
                |x: &usize| poster.cell(*x, y).is_none_or(|(sign, _)| sign == signs.line);
            let free = (self.scale.margin..x).rev().take_while(gives_way).count();
            // a blank at each side
            let beside = if x - free > self.scale.margin { 2 } else { 1 };
            let room = free.saturating_sub(beside);
            let name = clipped(&stretch.track.name, room, signs.ellipsis);
            if name.width() >= NAME_MIN.min(stretch.track.name.width()) {
                let at = x - 1 - name.width();
                poster.put(at, y, &name, ink, true);
                for beside in [at.saturating_sub(1), x - 1] {
                    if poster.cell(beside, y).is_some_and(|(sign, _)| sign == signs.line) {
                        poster.clear(beside, y);
                    }
                }
            }
        }
        for moved in self.standing.moves().iter().filter(|m| m.kind == PoleMoveKind::Claim) {
            let is_here = self.has(stretch, moved.now.number) && moved.place == stretch.track.place;
            if is_here {
                poster.put(self.scale.at(moved.now.number), y, signs.claim, ink, false);
            }
        }
    }

    /// Returns whether a stretch has the position of a turn.
    fn has(&self, stretch: &Stretch<'_>, number: u32) -> bool {
        let (first, count) = stretch.positions;
        let own = &stretch.track.positions[first..first + count];
        own.iter().any(|position| position.number == number)
    }

    /// Writes the words of each position into its line, as far as they fit and are nowhere else.
    fn words(&self, poster: &mut Poster, top: usize, stretch: &Stretch<'_>, signs: &PosterSigns) {
        let y = self.y(top, stretch);
        let ink = PosterInk::Seat(stretch.track.place);
        let (first, count) = stretch.positions;
        let last = stretch.track.positions.last().map(|p| p.words.to_lowercase());
        for position in &stretch.track.positions[first..first + count] {
            let words = position.words.to_lowercase();
            let is_pole = self.standing.rows.iter().any(|row| row.to_lowercase() == words);
            let at = self.scale.at(position.number);
            let is_marked = at == stretch.cells.0
                || poster.cell(at, y).is_some_and(|(sign, _)| sign == signs.claim);
            if is_pole || last.as_ref() == Some(&words) || !is_marked {
                continue;
            }
            let is_own = |x: &usize| poster.cell(*x, y) == Some((signs.line, ink));
            let room = (at + 1..stretch.cells.1).take_while(is_own).count();
            // a blank at each side
            let words = clipped(&position.words, room.saturating_sub(2), signs.ellipsis);
            if words.width() >= WORDS_MIN.min(position.words.width()) && room > WORDS_MIN {
                poster.clear(at + 1, y);
                let behind = poster.put(at + 2, y, &words, ink, false);
                poster.clear(behind, y);
            }
        }
    }

    /// Writes the participants at the ends of the lines, and their words; a bracket joins those of one place.
    fn ends(&self, poster: &mut Poster, top: usize, signs: &PosterSigns) {
        let x = self.scale.end();
        let mut rows: Vec<(usize, Vec<&Stretch<'_>>)> = vec![];
        for stretch in self.stretches.iter().filter(|stretch| stretch.is_last) {
            let y = self.y(top, stretch);
            match rows.iter_mut().find(|(other, _)| *other == y) {
                Some((_, here)) => here.push(stretch),
                None => rows.push((y, vec![stretch])),
            }
        }
        let mut has_brackets = false;
        for level in 0..self.heights.len() {
            let stays =
                |stretch: &&&Stretch<'_>| stretch.level == level && !stretch.track.is_gone();
            let here = rows.iter().filter(|(_, here)| here.iter().any(|s| stays(&s)));
            let mut here: Vec<usize> = here.map(|(y, _)| *y).collect();
            here.sort_unstable();
            let [first, .., last] = here[..] else { continue };
            has_brackets = true;
            for y in first..=last {
                let [top, beside, between, bottom] = signs.bracket;
                let sign = match y {
                    _ if y == first => top,
                    _ if y == last => bottom,
                    _ if here.contains(&y) => beside,
                    _ => between,
                };
                poster.put(x + 1, y, sign, PosterInk::Muted, false);
            }
        }
        let names = x + 2 + usize::from(has_brackets);
        let right = poster.width.saturating_sub(MARGIN);
        for (y, here) in rows {
            let mut at = names;
            for (nth, stretch) in here.iter().enumerate() {
                let track = stretch.track;
                let ink = PosterInk::Seat(track.place);
                let sign = if track.lost.is_some() { signs.lost } else { signs.start };
                if nth == 0 {
                    poster.put(x, y, sign, ink, false);
                } else if at + signs.between.width() + NAME_MIN <= right {
                    at = poster.put(at, y, signs.between, PosterInk::Muted, false);
                } else {
                    let is_cut = poster.cell(at - 1, y).is_some_and(|(c, _)| c == signs.ellipsis);
                    let more = if is_cut { "" } else { signs.ellipsis };
                    at = poster.put(at, y, more, PosterInk::Muted, false);
                    break;
                }
                // those behind it have room too
                let behind = (here.len() - 1 - nth) * (signs.between.width() + NAME_MIN);
                let room = right.saturating_sub(at);
                let room = room.saturating_sub(behind).max(NAME_MIN.min(room));
                let name = clipped(&track.name, room, signs.ellipsis);
                at = poster.put(at, y, &name, ink, true);
            }
            let [stretch, ..] = here[..] else { continue };
            let words = right_words(stretch.track);
            if here.iter().any(|other| right_words(other.track) != words) {
                continue;
            }
            // words in one column, if that leaves them room
            let column = names + self.names + 2;
            let is_column = here.len() == 1 && right >= column + COLUMN_MIN;
            let at = if is_column { column } else { at + 2 };
            let words = clipped(&words, right.saturating_sub(at), signs.ellipsis);
            poster.put(at, y, &words, PosterInk::Seat(stretch.track.place), false);
        }
    }

    /// Writes the numbers of the turns, as many as fit.
    fn numbers(&self, poster: &mut Poster, y: usize) {
        let mut free = 0;
        for number in &self.standing.numbers {
            let (at, text) = (self.scale.at(*number), format!("#{number}"));
            if at >= free {
                free = poster.put(at, y, &text, PosterInk::Muted, false) + 1;
            }
        }
    }
}

/// Returns the words at the end of a line: the position, or why the participant takes no part any more.
fn right_words(track: &Track) -> String {
    match (&track.lost, track.positions.last()) {
        (Some(lost), _) => lost.clone(),
        (None, Some(last)) => last.words.clone(),
        (None, None) => String::new(),
    }
}
