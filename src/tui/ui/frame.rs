//! One frame of the screen: its cells, the cursor position, and the extent of the changes.

use crate::text::is_printable;
use crate::ui::theme::{Theme, ThemeRole};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::Widget;
use std::ops::Range;

/// Extent of the changes since the last frame, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// No change.
    Nothing,
    /// More text of running turns: the transcript grew.
    Words,
    /// Any change.
    Everything,
}

/// A frame that is being drawn, over the cells of the last one.
pub struct Frame<'a> {
    buffer: &'a mut Buffer,
    /// Position of the terminal's cursor; `None` if it is hidden.
    pub cursor: Option<Position>,
    /// True if the cells are those of the last frame.
    pub kept: bool,
    /// Rows that may differ from the last frame.
    pub rows: Range<u16>,
}

impl<'a> Frame<'a> {
    /// Creates a frame over empty cells.
    pub fn new(buffer: &'a mut Buffer) -> Frame<'a> {
        let rows = 0..buffer.area.height;
        Frame { buffer, cursor: None, kept: false, rows }
    }

    /// Creates a frame over the cells and the cursor of the last one.
    pub fn over(buffer: &'a mut Buffer, cursor: Option<Position>) -> Frame<'a> {
        Frame { cursor, kept: true, ..Frame::new(buffer) }
    }

    /// Starts a full frame, with the cursor hidden and nothing kept of the last frame.
    pub fn begin(&mut self) {
        self.cursor = None;
        self.kept = false;
    }

    /// Returns the area of the frame; it starts at 0, 0.
    pub fn area(&self) -> Rect {
        self.buffer.area
    }

    /// Returns the cells.
    pub fn buffer_mut(&mut self) -> &mut Buffer {
        self.buffer
    }

    /// Clears an area to the background of a theme.
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

    /// Returns the buffer indices of the cells of a row.
    fn cells(&self, row: Rect) -> Range<usize> {
        let first = self.buffer.index_of(row.x, row.y);
        first..first + usize::from(row.width)
    }

    /// Draws a widget in an area.
    pub fn render_widget(&mut self, widget: impl Widget, area: Rect) {
        widget.render(area, self.buffer);
    }

    /// Draws a line at the start of a row.
    pub fn render_line(&mut self, line: &Line<'_>, row: Rect) {
        if line.spans.iter().all(|span| span.content.is_empty()) {
            return;
        }
        self.buffer.set_style(row, line.style);
        let mut rest = row.intersection(self.buffer.area);
        for span in &line.spans {
            // a byte is a cell: most lines need no segmentation into graphemes
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

    /// Sets the position of the terminal's cursor and shows it.
    pub fn set_cursor_position(&mut self, position: Position) {
        self.cursor = Some(position);
    }
}
