//! The screen of a recording, drawn into memory at the recorded times.
//!
//! It is the same screen, fed by the same items as a live one. Without a viewer there are no keys and no terminal.

use crate::clock::Clock;
use crate::export::cast::CastFrame;
use crate::model::{Ms, Seq};
use crate::session::replay::Recording;
use crate::ui::frame::{Change, Frame};
use crate::ui::run::TICK_MS;
use crate::ui::terminal::Painter;
use crate::ui::theme::Theme;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::{Screen, draw};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::{io, iter};

/// Minimum milliseconds between two frames; faster changes are combined.
const FRAME_MS: u64 = 50;

/// Draws a recording on a screen of the given columns and rows, frame by frame.
///
/// A frame is an error if the drawing itself fails, which writing to memory never causes.
pub fn film(
    recording: &Recording,
    width: u16,
    height: u16,
    theme: Theme,
    glyphs: &'static Glyphs,
) -> impl Iterator<Item = io::Result<CastFrame>> {
    let mut cells = Buffer::empty(Rect::new(0, 0, width, height));
    let mut painter = Painter::new(Vec::new());
    // earlier content of the player's terminal is unknown
    painter.forget();
    let mut screen = Screen::new(Seq(0), Clock::virtual_from(Ms(0)), theme, glyphs);
    let mut last = None::<Ms>;
    let mut second = None;
    let mut cursor = None;
    let mut moments = recording.moments().peekable();
    iter::from_fn(move || {
        let mut at = None;
        let mut change = Change::Nothing;
        while let Some((moment, item)) = moments.next() {
            change = change.max(screen.take(&item));
            at = Some(moment);
            let next = moments.peek().map(|(next, _)| *next);
            if next.is_none_or(|next| last.is_none_or(|last| next.since(last) >= FRAME_MS)) {
                break;
            }
        }
        let at = at?;
        screen.clock = Clock::virtual_from(at);
        let current = Some(at.0 / TICK_MS);
        let mut frame = match last {
            None => Frame::new(&mut cells),
            Some(_) => Frame::over(&mut cells, cursor),
        };
        if change == Change::Everything || second != current {
            draw::draw(&mut frame, &mut screen);
        } else {
            draw::draw_words(&mut frame, &mut screen);
        }
        last = Some(at);
        second = current;
        cursor = frame.cursor;
        let rows = frame.rows;
        Some(painter.show(&cells, rows, cursor).map(|()| {
            let drawn = String::from_utf8_lossy(&painter.take()).into_owned();
            CastFrame { at, drawn }
        }))
    })
}
