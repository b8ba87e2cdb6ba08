//! Writes the minimal bytes that turn the shown frame into the next one, in one write.
//!
//! An unchanged frame writes nothing. Rows that only moved up or down are scrolled by the terminal: thirty bytes
//! instead of thousands.

use crate::ui::text::links::ScreenLink;
use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Begins a synchronised update.
const FRAME_BEGINS: &[u8] = b"\x1b[?2026h";
const FRAME_ENDS: &[u8] = b"\x1b[?2026l";
const ERASE: &[u8] = b"\x1b[2J";
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";
const HIDE_CURSOR: &[u8] = b"\x1b[?25l";
const PLAIN: &[u8] = b"\x1b[0m";

/// Maximum rows of a detected scroll.
const SCROLLED_MAX: u16 = 3;
/// Minimum changed cells before a scroll is considered.
const WORTH_SCROLLING: usize = 160;

/// Attributes of a cell, and their SGR codes.
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

/// Current style of the terminal's output.
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
    /// Bytes of the frame in progress.
    bytes: Vec<u8>,
    /// The shown frame; empty if the screen must be erased first.
    shown: Buffer,
    erase: bool,
    /// Visible cursor; inner `None` if it is hidden, outer `None` if unknown.
    cursor: Option<Option<Position>>,
    /// Addresses known to the terminal, and the rows written since.
    links: Vec<ScreenLink>,
    wrote: BTreeSet<u16>,
}

impl<W: Write> Painter<W> {
    /// Returns a painter of an empty terminal.
    pub fn new(out: W) -> Painter<W> {
        Painter {
            out,
            bytes: vec![],
            shown: Buffer::default(),
            erase: false,
            cursor: None,
            links: vec![],
            wrote: BTreeSet::new(),
        }
    }

    /// Marks cells as addresses that the terminal opens itself, and rewrites cells that no longer are. Addresses in
    /// unchanged rows are not written again.
    pub fn link(&mut self, links: &[ScreenLink]) -> io::Result<()> {
        let wrote = std::mem::take(&mut self.wrote);
        let known = std::mem::replace(&mut self.links, links.to_vec());
        let gone: Vec<&ScreenLink> = known.iter().filter(|link| !links.contains(link)).collect();
        let is_due = |link: &&ScreenLink| wrote.contains(&link.at.1) || !known.contains(link);
        let due: Vec<&ScreenLink> = links.iter().filter(is_due).collect();
        if gone.is_empty() && due.is_empty() {
            return Ok(());
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(FRAME_BEGINS);
        for link in gone {
            self.write_link(link, None);
        }
        for link in due {
            self.write_link(link, Some(&link.address));
        }
        if let Some(position) = self.cursor.flatten() {
            move_to(&mut self.bytes, position);
        }
        self.bytes.extend_from_slice(FRAME_ENDS);
        self.out.write_all(&self.bytes)?;
        self.out.flush()
    }

    /// Rewrites the cells of an address; with the address only if they still show a part of it.
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

    /// Forgets the shown frame: the next one erases it and draws everything.
    pub fn forget(&mut self) {
        self.erase = true;
        self.shown = Buffer::default();
        self.cursor = None;
        self.links.clear();
    }

    /// Writes the differences of a frame, in `rows` only; it has as many cells as the last frame, unless that was
    /// forgotten.
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
        .then(|| scroll(&self.shown, next, &rows, &still, differ))
        .flatten();
        if let Some((moved, by)) = &scrolled {
            move_rows(&mut self.shown, next, moved, *by);
            still = in_common(&self.shown, next, &rows);
        }
        let changes = changes(|y| row(&self.shown, y), next, &rows, &still);
        let differs = |(x, y): &(u16, u16)| !looks_like(&self.shown[(*x, *y)], &next[(*x, *y)]);
        let same = scrolled.is_none() && !changes.iter().any(differs);
        if self.cursor == Some(cursor) && same {
            return Ok(());
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(FRAME_BEGINS);
        let mut from = self.cursor.flatten();
        if let Some((moved, by)) = scrolled {
            let top = moved.start + 1;
            let bottom = moved.end;
            let by_rows = by.abs();
            let letter = if by > 0 { 'S' } else { 'T' };
            push(&mut self.bytes, format_args!("\x1b[{top};{bottom}r\x1b[{by_rows}{letter}\x1b[r"));
            from = None;
            self.wrote.extend(moved);
        }
        self.write(next, &changes, from, cursor)
    }

    /// Erases the terminal and writes a whole frame.
    fn show_first(&mut self, next: &Buffer, cursor: Option<Position>) -> io::Result<()> {
        let rows = 0..next.area.height;
        let blank = Buffer::empty(Rect { height: 1, ..next.area });
        let none = vec![0; rows.len()];
        let changes = changes(|_| row(&blank, 0), next, &rows, &none);
        self.bytes.clear();
        self.bytes.extend_from_slice(FRAME_BEGINS);
        self.bytes.extend_from_slice(ERASE);
        self.write(next, &changes, None, cursor)
    }

    /// Writes the changed cells of a frame and its cursor after the pending bytes; the position of the terminal's
    /// cursor may be known.
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
        self.wrote.extend(changes.iter().map(|(_, y)| *y));
        self.out.write_all(&self.bytes)?;
        self.out.flush()?;
        // deferred until here, because the frame is urgent
        if self.shown.area != next.area {
            self.shown = Buffer::empty(next.area);
        }
        cells.for_each(|(x, y, cell)| put(&mut self.shown, x, y, cell));
        Ok(())
    }
}

impl Painter<Vec<u8>> {
    /// Returns the bytes written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

/// Columns after the last changed cell: the second column of an old wide character must be written too.
const BEYOND: usize = 1;

/// Returns the number of unchanged cells of each row.
fn in_common(shown: &Buffer, next: &Buffer, rows: &Range<u16>) -> Vec<usize> {
    rows.clone().map(|y| same(next, y, shown, y)).collect()
}

/// Returns the positions of the cells to write; `still` holds the number of unchanged cells of each row.
fn changes<'a>(
    shown: impl Fn(u16) -> &'a [Cell],
    next: &Buffer,
    rows: &Range<u16>,
    still: &[usize],
) -> Vec<(u16, u16)> {
    let width = usize::from(next.area.width);
    let mut changes = Vec::new();
    for (y, still) in rows.clone().zip(still) {
        let was = shown(y);
        let is = row(next, y);
        if *still == width && !is.iter().any(is_always) {
            continue;
        }
        let differs = |x: &usize| is_always(&is[*x]) || !looks_like(&was[*x], &is[*x]);
        let (Some(first), Some(last)) = ((0..width).find(differs), (0..width).rfind(differs))
        else {
            continue;
        };
        // a change may follow a wide character
        let from = first.saturating_sub(1);
        let to = (last + 1 + BEYOND).min(width);
        let area = Rect::new(from as u16, y, (to - from) as u16, 1);
        let [was, is] = [was, is].map(|row| Buffer { area, content: row[from..to].to_vec() });
        changes.extend(was.diff_iter(&is).map(|(x, y, _)| (x, y)));
    }
    changes
}

/// Puts a cell into a buffer, over the cells after it if it is wide.
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
    let left = a.symbol().as_bytes();
    let right = b.symbol().as_bytes();
    // most cells hold one letter
    let same = match (left, right) {
        ([left], [right]) => left == right,
        _ => left == right,
    };
    same && pen(a) == pen(b)
}

/// Finds rows that a scroll, upwards if negative, brings closer to the next frame; `None` if it saves too little.
/// `still` holds the number of unchanged cells of each row.
fn scroll(
    shown: &Buffer,
    next: &Buffer,
    rows: &Range<u16>,
    still: &[usize],
    differ: usize,
) -> Option<(Range<u16>, i32)> {
    let most = i32::from(SCROLLED_MAX);
    let differ = differ as i64;
    let shifts = (1..=most).flat_map(|by| [by, -by]);
    let (moved, by, saved) = shifts
        .filter_map(|by| {
            best_rows(shown, next, rows, still, by).map(|(moved, saved)| (moved, by, saved))
        })
        .find(|(.., saved)| *saved * 2 > differ)?;
    // bytes of the scroll itself: the rows that it empties, and the command
    let emptied = moved.clone().filter(|y| source(*y, by, &moved).is_none());
    let written = emptied.map(|y| row(next, y).iter().filter(|cell| !is_blank(cell)).count());
    let left = differ - saved + written.sum::<usize>() as i64 + 16;
    (left * 3 < differ * 2).then_some((moved, by))
}

/// Returns the row that moves to another one, if it is among the moving rows.
fn source(row: u16, by: i32, rows: &Range<u16>) -> Option<u16> {
    u16::try_from(i32::from(row) + by).ok().filter(|source| rows.contains(source))
}

/// Returns the number of equal cells of two rows.
fn same(a: &Buffer, y: u16, b: &Buffer, other: u16) -> usize {
    row(a, y).iter().zip(row(b, other)).filter(|(a, b)| looks_like(a, b)).count()
}

/// Returns the cells of a row.
fn row(cells: &Buffer, y: u16) -> &[Cell] {
    let width = usize::from(cells.area.width);
    &cells.content[usize::from(y) * width..][..width]
}

/// Returns whether a cell is always written.
fn is_always(cell: &Cell) -> bool {
    cell.diff_option != CellDiffOption::None
}

/// Returns the rows for which a move saves the most cells, and the number saved; `still` holds the number of unchanged
/// cells of each row.
fn best_rows(
    shown: &Buffer,
    next: &Buffer,
    rows: &Range<u16>,
    still: &[usize],
    by: i32,
) -> Option<(Range<u16>, i64)> {
    let mut best: Option<(Range<u16>, i64)> = None;
    let mut sum = 0_i64;
    let mut from = None::<u16>;
    for (y, unmoved) in rows.clone().zip(still) {
        let gained = |from| same(next, y, shown, from) as i64 - *unmoved as i64;
        sum = source(y, by, rows).map_or(0, |from| sum + gained(from));
        if sum <= 0 {
            sum = 0;
            from = None;
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
    if by > 0 {
        shown.content[cells].rotate_left(distance)
    } else {
        shown.content[cells].rotate_right(distance)
    }
    for y in rows.clone().filter(|y| source(*y, by, rows).is_none()) {
        for x in 0..shown.area.width {
            // an empty cell shows no text colour
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

/// Writes cells, the first one possibly at the cursor; returns the cursor's new position, if known.
fn write_cells<'a>(
    bytes: &mut Vec<u8>,
    cursor: Option<Position>,
    cells: impl Iterator<Item = (u16, u16, &'a Cell)>,
) -> Option<Position> {
    let mut now = Pen::default();
    let mut at = cursor;
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
        // terminals differ in how far a wide character moves the cursor
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

/// Writes the SGR codes that change the current style.
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

/// Returns the SGR code of a colour: of text (38), background (48) or underline (58).
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
