//! One frame of the screen: its cells, where the cursor is, and how much of it has to be drawn.

use crate::ui::theme::{Theme, ThemeRole};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Block, Clear, Widget};
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
        let ground = theme.style(ThemeRole::Background).patch(theme.style(ThemeRole::Text));
        self.render_widget(Clear, area);
        self.render_widget(Block::new().style(ground), area);
    }

    /// Draws a widget in an area.
    pub fn render_widget(&mut self, widget: impl Widget, area: Rect) {
        widget.render(area, self.buffer);
    }

    /// Shows the terminal's cursor, once the frame is drawn.
    pub fn set_cursor_position(&mut self, position: Position) {
        self.cursor = Some(position);
    }
}
