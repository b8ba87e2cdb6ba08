//! One frame of the screen: its cells, where the cursor is, and how much of it has to be drawn.

use crate::text::is_printable;
use crate::ui::theme::{Theme, ThemeRole};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::Widget;
use std::ops::Range;

/// How much of the screen differs from the last frame, from little to much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Nothing does.
    Nothing,
    /// Words came from somebody who was already seen to speak: the transcript grew.
    Words,
    /// Anything may.
    Everything,
}

/// A frame that is being drawn, over the cells of the last one.
pub struct Frame<'a> {
    buffer: &'a mut Buffer,
    /// Where the terminal's cursor is seen; `None`: it is hidden.
    pub cursor: Option<Position>,
    /// Whether the cells are those of the last frame.
    pub kept: bool,
    /// The rows that may differ from it.
    pub rows: Range<u16>,
}

impl<'a> Frame<'a> {
    /// Returns a frame over cells that hold nothing yet.
    pub fn new(buffer: &'a mut Buffer) -> Frame<'a> {
        let rows = 0..buffer.area.height;
        Frame { buffer, cursor: None, kept: false, rows }
    }

    /// Returns a frame over the cells of the last one, whose cursor it keeps too.
    pub fn over(buffer: &'a mut Buffer, cursor: Option<Position>) -> Frame<'a> {
        Frame { cursor, kept: true, ..Frame::new(buffer) }
    }

    /// Begins a whole frame, with the cursor hidden and nothing kept of the last one.
    pub fn begin(&mut self) {
        (self.cursor, self.kept) = (None, false);
    }

    /// Returns the cells there are, from 0, 0.
    pub fn area(&self) -> Rect {
        self.buffer.area
    }

    /// Returns the cells.
    pub fn buffer_mut(&mut self) -> &mut Buffer {
        self.buffer
    }

    /// Clears an area, down to the background of a theme.
    pub fn wipe(&mut self, area: Rect, theme: &Theme) {
        let mut blank = Cell::default();
        blank.set_style(theme.style(ThemeRole::Background).patch(theme.style(ThemeRole::Text)));
        for row in area.intersection(self.buffer.area).rows() {
            let cells = self.cells(row);
            self.buffer.content[cells].fill(blank.clone());
        }
    }

    /// Copies the cells of a row to the same columns of row `to`.
    pub fn copy(&mut self, row: Rect, to: u16) {
        let [from, to] = [row, Rect { y: to, ..row }].map(|row| self.cells(row));
        for (from, to) in from.zip(to) {
            self.buffer.content[to] = self.buffer.content[from].clone();
        }
    }

    /// Returns where in the buffer the cells of a row are.
    fn cells(&self, row: Rect) -> Range<usize> {
        let first = self.buffer.index_of(row.x, row.y);
        first..first + usize::from(row.width)
    }

    /// Draws a widget in an area.
    pub fn render_widget(&mut self, widget: impl Widget, area: Rect) {
        widget.render(area, self.buffer);
    }

    /// Draws a line at the beginning of a row.
    pub fn render_line(&mut self, line: &Line<'_>, row: Rect) {
        if line.spans.iter().all(|span| span.content.is_empty()) {
            return;
        }
        self.buffer.set_style(row, line.style);
        let mut rest = row.intersection(self.buffer.area);
        for span in &line.spans {
            // a byte is a cell, which spares most lines the search for where a sign ends
            let width = if is_printable(&span.content) {
                let cells = self.cells(rest);
                for (at, cell) in (0..span.content.len()).zip(&mut self.buffer.content[cells]) {
                    cell.set_symbol(&span.content[at..=at]).set_style(span.style);
                }
                span.content.len()
            } else {
                span.render(rest, self.buffer);
                span.width()
            };
            let used = rest.width.min(u16::try_from(width).unwrap_or(u16::MAX));
            rest = Rect { x: rest.x + used, width: rest.width - used, ..rest };
        }
    }

    /// Shows the terminal's cursor, once the frame is drawn.
    pub fn set_cursor_position(&mut self, position: Position) {
        self.cursor = Some(position);
    }
}
