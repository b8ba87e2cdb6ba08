//! Where the person writes, and above it the words that wait for their moment.

use super::{Bar, timeline};
use crate::text;
use crate::ui::Screen;
use crate::ui::action::Action;
use crate::ui::keymap::Place;
use crate::ui::layout::Needs;
use crate::ui::theme::Role;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Cells before what is written.
const PROMPT: u16 = 3;

/// Returns the rows that the person's own part needs at a width.
pub fn needs(screen: &Screen, width: u16) -> Needs {
    let room = usize::from(width.saturating_sub(PROMPT + 1));
    let queue = u16::from(screen.story.queued().next().is_some());
    match &screen.view.playback {
        Some(playback) => Needs { queue, pen: 0, timeline: timeline::rows(playback) },
        None => Needs { queue, pen: screen.view.pen.rows(room), timeline: 0 },
    }
}

/// Draws the words that wait: how many, and the last of them.
pub fn queue(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let theme = &screen.theme;
    let waiting: Vec<_> = screen.story.queued().collect();
    let Some((_, words)) = waiting.last() else { return };
    let mut bar = Bar::new();
    bar.left(format!("queued {}: ", waiting.len()), theme.style(Role::Notice));
    bar.left(text::line(words).into_owned(), theme.style(Role::Text));
    let key = screen.keymap.way(Action::DropQueued, screen.view.place());
    bar.right(format!(" {key} drop "), theme.style(Role::HintText));
    bar.draw(frame, area, " ", Style::new(), screen.glyphs.ellipsis);
}

/// Draws what is written; the terminal's cursor stands on the caret.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let theme = &screen.theme;
    let prompt = theme.style(if screen.view.writing { Role::Notice } else { Role::Muted });
    let sign = Span::styled(format!(" {} ", screen.glyphs.prompt), prompt);
    frame.render_widget(Line::from(sign), Rect { height: 1, ..area });
    let inner = Rect { x: area.x + PROMPT, width: area.width.saturating_sub(PROMPT + 1), ..area };
    let pen = &mut screen.view.pen;
    pen.area.set_style(theme.style(Role::Text));
    frame.render_widget(&pen.area, inner);
    if pen.is_empty() {
        let hint = placeholder(screen);
        frame.render_widget(Line::styled(hint, screen.theme.style(Role::Muted)), inner);
    }
    if screen.view.place() == Place::Pen {
        let pen = &screen.view.pen.area;
        let (caret, (top, left)) = (pen.screen_cursor(), pen.scroll_offset());
        let x = inner.x + (caret.col as u16).saturating_sub(left);
        let y = inner.y + (caret.row as u16).saturating_sub(top);
        frame.set_cursor_position(Position::new(x.min(inner.right()), y.min(inner.bottom() - 1)));
    }
}

fn placeholder(screen: &Screen) -> String {
    let state = screen.story.state();
    let human = state.turns.values().find(|t| state.waits_for_human(t));
    match (human, state.ended.is_some()) {
        (_, true) => String::new(),
        (Some(turn), _) => {
            format!(
                "{} has the floor: {} speaks, /pass lets it go",
                screen.story.name(&turn.seat),
                screen.keymap.way(Action::Send, Place::Pen)
            )
        }
        (None, _) => "say something to the table, or @name to give someone the floor".into(),
    }
}
