//! What the terminal shows, and the bytes that make it show the next frame: as few as there can be, in one write.
//!
//! A frame in which no cell and no cursor changed writes nothing. Rows that only moved up or down are scrolled by the
//! terminal, which takes thirty bytes where writing them again takes thousands.

use crate::ui::view::link::ScreenLink;
use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};
use std::io::{self, Write};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// The terminal shows what stands between these two at once.
const FRAME_BEGINS: &[u8] = b"\x1b[?2026h";
const FRAME_ENDS: &[u8] = b"\x1b[?2026l";
const ERASE: &[u8] = b"\x1b[2J";
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";
const HIDE_CURSOR: &[u8] = b"\x1b[?25l";
const PLAIN: &[u8] = b"\x1b[0m";

/// Rows by which a frame is looked at as scrolled, at most.
const SCROLLED_MAX: u16 = 3;
/// Cells that must change before scrolling is considered.
const WORTH_SCROLLING: usize = 160;

/// The attributes of a cell and the codes that switch them on.
const ATTRIBUTES: [(Modifier, u8); 9] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::SLOW_BLINK, 5),
    (Modifier::RAPID_BLINK, 6),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];

/// The style in which the terminal prints.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Pen {
    fg: Color,
    bg: Color,
    underline: Color,
    modifier: Modifier,
}

/// Writes frames to a terminal.
pub struct Painter<W: Write> {
    out: W,
    /// The bytes of the frame that is being made.
    bytes: Vec<u8>,
    /// What the terminal shows; no cells where the screen is erased first.
    shown: Buffer,
    erase: bool,
    /// Where the cursor is seen; `None` inside: it is hidden; outside: nobody knows.
    cursor: Option<Option<Position>>,
    /// The addresses that the terminal knows of, and whether anything was written since.
    links: Vec<ScreenLink>,
    wrote: bool,
}

impl<W: Write> Painter<W> {
    /// Returns a painter of a terminal that shows nothing yet.
    pub fn new(out: W) -> Painter<W> {
        Painter {
            out,
            bytes: vec![],
            shown: Buffer::default(),
            erase: false,
            cursor: None,
            links: vec![],
            wrote: false,
        }
    }

    /// Marks cells as addresses that the terminal opens itself; cells that are none any more are written again without.
    /// Where neither they nor the frame changed, nothing is written.
    pub fn link(&mut self, links: &[ScreenLink]) -> io::Result<()> {
        let wrote = std::mem::take(&mut self.wrote);
        if links == self.links && (!wrote || links.is_empty()) {
            return Ok(());
        }
        let gone: Vec<ScreenLink> =
            self.links.iter().filter(|l| !links.contains(l)).cloned().collect();
        self.links = links.to_vec();
        self.bytes.clear();
        self.bytes.extend_from_slice(FRAME_BEGINS);
        for link in &gone {
            self.write_link(link, None);
        }
        for link in links {
            self.write_link(link, Some(&link.address));
        }
        if let Some(position) = self.cursor.flatten() {
            move_to(&mut self.bytes, position);
        }
        self.bytes.extend_from_slice(FRAME_ENDS);
        self.out.write_all(&self.bytes)?;
        self.out.flush()
    }

    /// Writes the cells of an address again; with it only where they still show a part of it.
    fn write_link(&mut self, link: &ScreenLink, address: Option<&str>) {
        let ((x, y), area) = (link.at, self.shown.area);
        let end = x.saturating_add(link.width).min(area.width);
        if y >= area.height || x >= end {
            return;
        }
        let shown = &self.shown;
        let words: String = (x..end).map(|x| shown[(x, y)].symbol()).collect();
        let address = address.filter(|address| address.contains(&words));
        if let Some(address) = address {
            push(&mut self.bytes, format_args!("\x1b]8;;{address}\x1b\\"));
        }
        write_cells(&mut self.bytes, None, (x..end).map(|x| (x, y, &shown[(x, y)])));
        if address.is_some() {
            self.bytes.extend_from_slice(b"\x1b]8;;\x1b\\");
        }
    }

    /// Forgets what is on the terminal: the next frame erases it and draws everything.
    pub fn forget(&mut self) {
        self.erase = true;
        (self.shown, self.cursor) = (Buffer::default(), None);
        self.links.clear();
    }

    /// Writes a frame, where it differs from what is shown, which it can in some rows only; it has as many cells as the
    /// last one, unless that was forgotten.
    pub fn show(
        &mut self,
        next: &Buffer,
        rows: Range<u16>,
        cursor: Option<Position>,
    ) -> io::Result<()> {
        if std::mem::take(&mut self.erase) {
            return self.show_first(next, cursor);
        }
        let mut still = in_common(&self.shown, next, &rows);
        let differ = rows.len() * usize::from(next.area.width) - still.iter().sum::<usize>();
        let scrolled = (differ >= WORTH_SCROLLING
            && !rows.clone().any(|y| row(next, y).iter().any(is_always)))
        .then(|| scroll(&self.shown, next, (&rows, &still), differ))
        .flatten();
        if let Some((moved, by)) = &scrolled {
            move_rows(&mut self.shown, next, moved, *by);
            still = in_common(&self.shown, next, &rows);
        }
        let changes = changes(|y| row(&self.shown, y), next, (&rows, &still));
        let differs = |(x, y): &(u16, u16)| !looks_like(&self.shown[(*x, *y)], &next[(*x, *y)]);
        let same = scrolled.is_none() && !changes.iter().any(differs);
        if self.cursor == Some(cursor) && same {
            return Ok(());
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(FRAME_BEGINS);
        let mut from = self.cursor.flatten();
        if let Some((moved, by)) = scrolled {
            let (top, bottom, by_rows) = (moved.start + 1, moved.end, by.abs());
            let letter = if by > 0 { 'S' } else { 'T' };
            push(&mut self.bytes, format_args!("\x1b[{top};{bottom}r\x1b[{by_rows}{letter}\x1b[r"));
            from = None;
        }
        self.write(next, &changes, from, cursor)
    }

    /// Erases the terminal and writes a whole frame.
    fn show_first(&mut self, next: &Buffer, cursor: Option<Position>) -> io::Result<()> {
        let (rows, blank) = (0..next.area.height, Buffer::empty(Rect { height: 1, ..next.area }));
        let none = vec![0; rows.len()];
        let changes = changes(|_| row(&blank, 0), next, (&rows, &none));
        self.bytes.clear();
        self.bytes.extend_from_slice(FRAME_BEGINS);
        self.bytes.extend_from_slice(ERASE);
        self.write(next, &changes, None, cursor)
    }

    /// Writes the cells of a frame that changed, and its cursor, behind what was to be written before them; the terminal's
    /// cursor may stand at a place that is known.
    fn write(
        &mut self,
        next: &Buffer,
        changes: &[(u16, u16)],
        from: Option<Position>,
        cursor: Option<Position>,
    ) -> io::Result<()> {
        let cells = changes.iter().map(|(x, y)| (*x, *y, &next[(*x, *y)]));
        let at = write_cells(&mut self.bytes, from, cells.clone());
        let before = self.cursor.replace(cursor);
        match cursor {
            Some(position) => {
                if at != Some(position) {
                    move_to(&mut self.bytes, position);
                }
                if before.flatten().is_none() {
                    self.bytes.extend_from_slice(SHOW_CURSOR);
                }
            }
            None if before == Some(None) => {}
            None => self.bytes.extend_from_slice(HIDE_CURSOR),
        }
        self.bytes.extend_from_slice(FRAME_ENDS);
        self.wrote = true;
        self.out.write_all(&self.bytes)?;
        self.out.flush()?;
        // only now, because somebody waits for the frame
        if self.shown.area != next.area {
            self.shown = Buffer::empty(next.area);
        }
        cells.for_each(|(x, y, cell)| put(&mut self.shown, x, y, cell));
        Ok(())
    }
}

impl Painter<Vec<u8>> {
    /// Returns what was written since the last time.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

/// Columns behind the last cell that differs: where a wide sign was, its second column has to be written too.
const BEYOND: usize = 1;

/// Returns how many cells of each of some rows stay as they are.
fn in_common(shown: &Buffer, next: &Buffer, rows: &Range<u16>) -> Vec<usize> {
    rows.clone().map(|y| same(next, y, shown, y)).collect()
}

/// Returns the places of the cells of some rows that have to be written; of each row `still` says how many cells stay as
/// they are.
fn changes<'a>(
    shown: impl Fn(u16) -> &'a [Cell],
    next: &Buffer,
    (rows, still): (&Range<u16>, &[usize]),
) -> Vec<(u16, u16)> {
    let width = usize::from(next.area.width);
    let mut changes = Vec::new();
    for (y, still) in rows.clone().zip(still) {
        let (was, is) = (shown(y), row(next, y));
        if *still == width && !is.iter().any(is_always) {
            continue;
        }
        let differs = |x: &usize| is_always(&is[*x]) || !looks_like(&was[*x], &is[*x]);
        let (Some(first), Some(last)) = ((0..width).find(differs), (0..width).rfind(differs))
        else {
            continue;
        };
        // what differs may stand behind a wide sign
        let (from, to) = (first.saturating_sub(1), (last + 1 + BEYOND).min(width));
        let area = Rect::new(from as u16, y, (to - from) as u16, 1);
        let [was, is] = [was, is].map(|row| Buffer { area, content: row[from..to].to_vec() });
        changes.extend(was.diff_iter(&is).map(|(x, y, _)| (x, y)));
    }
    changes
}

/// Puts a cell where it stands, over the cells behind it if it is wide.
fn put(buffer: &mut Buffer, x: u16, y: u16, cell: &Cell) {
    let wide = x.saturating_add(columns(cell)).min(buffer.area.width);
    (x + 1..wide).for_each(|behind| buffer[(behind, y)].reset());
    let there = &mut buffer[(x, y)];
    *there = cell.clone();
    there.set_diff_option(CellDiffOption::None);
}

fn columns(cell: &Cell) -> u16 {
    // most cells hold one letter
    if cell.symbol().len() == 1 { 1 } else { cell.symbol().width() as u16 }
}

fn looks_like(a: &Cell, b: &Cell) -> bool {
    let (left, right) = (a.symbol().as_bytes(), b.symbol().as_bytes());
    // most cells hold one letter
    let same = match (left, right) {
        ([left], [right]) => left == right,
        _ => left == right,
    };
    same && pen(a) == pen(b)
}

/// Looks for rows that scrolling, up or down where it is negative, brings near to the next frame; none if it saves too
/// little where so many cells differ. Of each row `still` says how many cells it has in common with itself.
fn scroll(
    shown: &Buffer,
    next: &Buffer,
    (rows, still): (&Range<u16>, &[usize]),
    differ: usize,
) -> Option<(Range<u16>, i32)> {
    let (most, differ) = (i32::from(SCROLLED_MAX), differ as i64);
    let shifts = (1..=most).flat_map(|by| [by, -by]);
    let (moved, by, saved) = shifts
        .filter_map(|by| {
            best_rows(shown, next, (rows, still), by).map(|(moved, saved)| (moved, by, saved))
        })
        .find(|(.., saved)| *saved * 2 > differ)?;
    // what is written even so: the rows that scrolling empties, and the command to scroll
    let emptied = moved.clone().filter(|y| source(*y, by, &moved).is_none());
    let written = emptied.map(|y| row(next, y).iter().filter(|cell| !is_blank(cell)).count());
    let left = differ - saved + written.sum::<usize>() as i64 + 16;
    (left * 3 < differ * 2).then_some((moved, by))
}

/// Returns the row from which another one is moved, if it is among those that move.
fn source(row: u16, by: i32, rows: &Range<u16>) -> Option<u16> {
    u16::try_from(i32::from(row) + by).ok().filter(|source| rows.contains(source))
}

/// Returns how many cells two rows have in common.
fn same(a: &Buffer, y: u16, b: &Buffer, other: u16) -> usize {
    row(a, y).iter().zip(row(b, other)).filter(|(a, b)| looks_like(a, b)).count()
}

/// Returns the cells of a row.
fn row(cells: &Buffer, y: u16) -> &[Cell] {
    let width = usize::from(cells.area.width);
    &cells.content[usize::from(y) * width..][..width]
}

/// Returns whether a cell is written whether or not it changed.
fn is_always(cell: &Cell) -> bool {
    cell.diff_option != CellDiffOption::None
}

/// Returns the rows for which it saves most cells to be moved by so many rows, and how many it saves; `still` says how
/// many cells each row has in common with itself.
fn best_rows(
    shown: &Buffer,
    next: &Buffer,
    (rows, still): (&Range<u16>, &[usize]),
    by: i32,
) -> Option<(Range<u16>, i64)> {
    let mut best: Option<(Range<u16>, i64)> = None;
    let (mut sum, mut from) = (0_i64, None::<u16>);
    for (y, unmoved) in rows.clone().zip(still) {
        let gained = |from| same(next, y, shown, from) as i64 - *unmoved as i64;
        sum = source(y, by, rows).map_or(0, |from| sum + gained(from));
        if sum <= 0 {
            (sum, from) = (0, None);
            continue;
        }
        let first = *from.get_or_insert(y);
        if best.as_ref().is_none_or(|(_, most)| sum > *most) {
            best = Some((first..y + 1, sum));
        }
    }
    let (moved, saved) = best?;
    // the rows that they come from are scrolled with them
    let moved = match u16::try_from(by) {
        Ok(up) => moved.start..moved.end + up,
        Err(_) => moved.start - by.unsigned_abs() as u16..moved.end,
    };
    Some((moved, saved))
}

/// Moves rows as the terminal does when it scrolls them.
fn move_rows(shown: &mut Buffer, next: &Buffer, rows: &Range<u16>, by: i32) {
    let width = usize::from(shown.area.width);
    let cells = usize::from(rows.start) * width..usize::from(rows.end) * width;
    let distance = by.unsigned_abs() as usize * width;
    match by > 0 {
        true => shown.content[cells].rotate_left(distance),
        false => shown.content[cells].rotate_right(distance),
    }
    for y in rows.clone().filter(|y| source(*y, by, rows).is_none()) {
        for x in 0..shown.area.width {
            // an empty cell shows no colour of letters
            let blank = is_blank(&next[(x, y)]);
            shown[(x, y)] = if blank { next[(x, y)].clone() } else { Cell::default() };
        }
    }
}

fn is_blank(cell: &Cell) -> bool {
    let Pen { bg, modifier, .. } = pen(cell);
    let seen = Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT;
    cell.symbol() == " " && bg == Color::Reset && !modifier.intersects(seen)
}

/// Writes cells, the first perhaps where the cursor stands; returns where it stands then, if that is known.
fn write_cells<'a>(
    bytes: &mut Vec<u8>,
    cursor: Option<Position>,
    cells: impl Iterator<Item = (u16, u16, &'a Cell)>,
) -> Option<Position> {
    let (mut now, mut at) = (Pen::default(), cursor);
    for (x, y, cell) in cells {
        let position = Position { x, y };
        if at != Some(position) {
            move_to(bytes, position);
        }
        let wanted = pen(cell);
        if wanted != now {
            take_up(bytes, now, wanted);
            now = wanted;
        }
        bytes.extend_from_slice(cell.symbol().as_bytes());
        // how far a wide sign moves the cursor differs between terminals
        at = (columns(cell) == 1).then_some(Position { x: x + 1, y });
    }
    if now != Pen::default() {
        bytes.extend_from_slice(PLAIN);
    }
    at
}

fn pen(cell: &Cell) -> Pen {
    Pen { fg: cell.fg, bg: cell.bg, underline: cell.underline_color, modifier: cell.modifier }
}

/// Changes the style in which the terminal prints.
fn take_up(bytes: &mut Vec<u8>, now: Pen, wanted: Pen) {
    let mut codes = String::new();
    let mut code = |text: &str| {
        codes.push_str(if codes.is_empty() { "" } else { ";" });
        codes.push_str(text);
    };
    let mut now = now;
    if wanted == Pen::default() || !(now.modifier - wanted.modifier).is_empty() {
        code("0");
        now = Pen::default();
    }
    for (attribute, number) in ATTRIBUTES {
        if (wanted.modifier - now.modifier).contains(attribute) {
            code(&number.to_string());
        }
    }
    for (is, was, ground) in
        [(wanted.fg, now.fg, 38), (wanted.bg, now.bg, 48), (wanted.underline, now.underline, 58)]
    {
        if is != was {
            code(&colour(is, ground));
        }
    }
    push(bytes, format_args!("\x1b[{codes}m"));
}

/// Returns the codes of a colour: of letters (38), of their ground (48) or of the line below them (58).
fn colour(colour: Color, ground: u8) -> String {
    let number = match colour {
        Color::Reset => return (ground + 1).to_string(),
        Color::Rgb(r, g, b) => return format!("{ground};2;{r};{g};{b}"),
        Color::Indexed(number) => number,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    format!("{ground};5;{number}")
}

fn move_to(bytes: &mut Vec<u8>, Position { x, y }: Position) {
    push(bytes, format_args!("\x1b[{};{}H", y + 1, x + 1));
}

fn push(bytes: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    bytes.write_fmt(text).expect("writing to a Vec cannot fail");
}

#[cfg(test)]
mod tests;
