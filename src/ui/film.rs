//! The screen of a recording, drawn into memory at the times at which things arrived.
//!
//! The same screen, fed by the same items as a live one; there is no viewer, so there are no keys and no terminal.

use crate::clock::Clock;
use crate::export::cast::CastFrame;
use crate::model::{Ms, Seq};
use crate::session::replay::Recording;
use crate::ui::frame::Frame;
use crate::ui::terminal::Painter;
use crate::ui::theme::Theme;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::{Screen, draw};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::io;

/// Milliseconds between two frames at least: what comes faster is gathered.
const FRAME_MS: u64 = 50;

/// Draws a recording on a screen of `size` columns and rows.
///
/// # Errors
/// When the drawing itself fails, which writing to memory never causes.
pub fn film(
    recording: &Recording,
    (width, height): (u16, u16),
    theme: Theme,
    glyphs: &'static Glyphs,
) -> io::Result<Vec<CastFrame>> {
    let mut cells = Buffer::empty(Rect::new(0, 0, width, height));
    let mut painter = Painter::new(Vec::new());
    // earlier content of the player's terminal is not part of it
    painter.forget(cells.area);
    let mut screen = Screen::new(Seq(0), Clock::virtual_from(Ms(0)), theme, glyphs);
    let mut frames: Vec<CastFrame> = Vec::new();
    let mut moments = recording.moments().peekable();
    while let Some((at, item)) = moments.next() {
        screen.take(&item);
        let last = frames.last().map(|f| f.at);
        let soon =
            moments.peek().is_some_and(|(next, _)| last.is_some_and(|l| next.since(l) < FRAME_MS));
        if soon {
            continue;
        }
        screen.clock = Clock::virtual_from(at);
        let mut frame = Frame::new(&mut cells);
        draw::draw(&mut frame, &mut screen);
        let (rows, cursor) = (frame.rows, frame.cursor);
        painter.show(&cells, rows, cursor)?;
        let drawn = String::from_utf8_lossy(&painter.take()).into_owned();
        frames.push(CastFrame { at, drawn });
    }
    Ok(frames)
}
