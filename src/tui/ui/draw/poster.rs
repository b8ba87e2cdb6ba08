//! The poster over the transcript: positions, moves, and the result; while the conversation runs, below it
//! the words that are being said.

use crate::export::poster::{self, ASCII, Poster, PosterInk, PosterSource, UNICODE};
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::{bold, plainly};
use crate::ui::text::wrap::wrap;
use crate::ui::theme::{Theme, ThemeRole};
use crate::ui::view::transcript::Transcript;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};

/// Maximum rows of the words that are being said, with their speaker, and the maximum of their width.
const SPEECH_ROWS: usize = 5;
const SPEECH_WIDTH: usize = 100;
/// Cells beside them.
const MARGIN: usize = 2;

fn source(transcript: &Transcript) -> PosterSource<'_> {
    PosterSource {
        state: transcript.state(),
        standing: transcript.positions(),
        lasted: transcript.turn_log.lasted(),
        host: "you",
    }
}

/// Draws the poster into an area, in the middle if it is wider than a poster.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    frame.wipe(area, &screen.theme);
    let speech = speech(screen, usize::from(area.width));
    let rows = area.height.saturating_sub(speech.len() as u16);
    let signs = if screen.glyphs.track.is_ascii() { &ASCII } else { &UNICODE };
    let source = source(&screen.transcript);
    let drawn = poster::draw(&source, area.width.into(), rows.into(), signs).centred();
    let x = area.x + (area.width - drawn.width as u16) / 2;
    let place = Rect { x, width: drawn.width as u16, height: rows, ..area };
    frame.render_widget(text(&drawn, screen), place);
    let below = Rect { y: area.y + rows, height: area.height - rows, ..place };
    frame.render_widget(Text::from(speech), below);
}

/// Returns the style of a colour of the poster.
pub(super) fn style(ink: PosterInk, theme: &Theme) -> Style {
    match ink {
        PosterInk::Muted => theme.style(ThemeRole::Muted),
        PosterInk::Plain => theme.style(ThemeRole::Text),
        PosterInk::Seat(place) => plainly(theme.speaker(place)),
    }
}

/// Returns the rows of a poster in the colours of the screen.
fn text(drawn: &Poster, screen: &Screen) -> Text<'static> {
    let mut lines = vec![];
    for y in 0..drawn.height() {
        let mut spans = vec![];
        let mut x = 0;
        for run in drawn.runs(y) {
            spans.push(Span::raw(" ".repeat(run.x - x)));
            x = run.x + run.width();
            let style = style(run.ink, &screen.theme);
            spans.push(Span::styled(run.text, if run.bold { bold(style) } else { style }));
        }
        lines.push(Line::from(spans));
    }
    Text::from(lines)
}

/// Returns the name of the speaker and the last rows of its words; empty if nobody speaks.
fn speech(screen: &Screen, width: usize) -> Vec<Line<'static>> {
    let transcript = &screen.transcript;
    let Some(turn) = transcript.speaking().next() else { return vec![] };
    let words = transcript.live.said(turn.id).to_string();
    let line = crate::text::label(&words).into_owned();
    let style = screen.theme.style(ThemeRole::Text);
    let room = width.saturating_sub(2 * MARGIN).min(SPEECH_WIDTH);
    let rows = wrap(&Line::styled(line, style), room);
    let hidden = rows.len().saturating_sub(SPEECH_ROWS - 2);
    let name = screen.theme.speaker(transcript.seat_place(&turn.seat));
    let head = Line::styled(format!("  {}", transcript.name(&turn.seat)), bold(name));
    let mut lines = vec![Line::default(), head];
    for mut row in rows.into_iter().skip(hidden) {
        row.spans.insert(0, Span::raw(" ".repeat(MARGIN)));
        lines.push(row);
    }
    lines.resize(SPEECH_ROWS, Line::default());
    lines
}
