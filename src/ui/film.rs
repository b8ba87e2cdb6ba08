//! The screen of a recording, drawn into memory at the times at which things arrived.
//!
//! The same screen, fed by the same items as a live one; there is no viewer, so there are no keys and no terminal.

use crate::clock::Clock;
use crate::export::cast::Frame;
use crate::model::{Ms, Seq};
use crate::session::replay::Recording;
use crate::ui::theme::Theme;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::{Screen, draw};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// Milliseconds between two frames at least: what comes faster is gathered.
const FRAME_MS: u64 = 50;

/// The bytes that a terminal would have received.
#[derive(Clone, Default)]
struct Tape(Rc<RefCell<Vec<u8>>>);

impl Write for Tape {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Draws a recording on a screen of `size` columns and rows.
///
/// # Errors
/// When the drawing itself fails, which writing to memory never causes.
pub fn film(
    recording: &Recording,
    (width, height): (u16, u16),
    theme: Theme,
    glyphs: &'static Glyphs,
) -> io::Result<Vec<Frame>> {
    let tape = Tape::default();
    let viewport = Viewport::Fixed(Rect::new(0, 0, width, height));
    let backend = CrosstermBackend::new(tape.clone());
    let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport })?;
    let mut screen = Screen::new(Seq(0), Clock::virtual_from(Ms(0)), theme, glyphs);
    let mut frames: Vec<Frame> = Vec::new();
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
        terminal.draw(|frame| draw::draw(frame, &mut screen))?;
        let bytes = std::mem::take(&mut *tape.0.borrow_mut());
        let drawn = String::from_utf8_lossy(&bytes).into_owned();
        frames.push(Frame { at, drawn });
    }
    Ok(frames)
}
