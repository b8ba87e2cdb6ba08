//! Where the person writes, and above it the queued messages.

use crate::text;
use crate::ui::action::Action;
use crate::ui::draw::bar::Bar;
use crate::ui::draw::timeline;
use crate::ui::keymap::Focus;
use crate::ui::layout::{Panels, RowsNeeded};
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::clip;
use crate::ui::theme::ThemeRole;
use crate::ui::view::extension::way_on;
use crate::ui::view::floor::Status;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Cells before what is written.
const PROMPT: u16 = 3;

/// Rows of queued messages at most; of more, the last ones are shown.
const QUEUE_ROWS: usize = 3;

/// Returns the rows that the person's own part needs at a width.
pub fn needs(screen: &Screen, width: u16) -> RowsNeeded {
    let room = usize::from(width.saturating_sub(PROMPT + 1));
    let waiting = screen.transcript.queued().count().min(QUEUE_ROWS);
    let queue = (waiting + usize::from(screen.transcript.human_turn().is_some())) as u16;
    let raw = screen.view.reading.raw;
    let panels = if raw { Panels::Hide } else { screen.view.panels };
    match &screen.view.playback {
        Some(playback) => {
            RowsNeeded { queue, composer: 0, timeline: timeline::rows(playback), panels }
        }
        None => {
            RowsNeeded { queue, composer: screen.view.composer.rows(room), timeline: 0, panels }
        }
    }
}

/// Draws whose words are asked for, and the queued messages.
pub fn queue(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let theme = &screen.theme;
    // a list that lies on top changes nothing about where these keys are pressed
    let place = if screen.view.writing { Focus::Write } else { Focus::Read };
    let way = |action| screen.keymap.way(action, place);
    let mut rows = Vec::new();
    if let Some(who) = screen.transcript.human_turn() {
        let name = screen.transcript.name(&who);
        let mut bar = Bar::new();
        bar.left("Your turn as ", theme.style(ThemeRole::Notice));
        bar.left(name, bold(theme.speaker(screen.transcript.seat_place(&who))));
        let how = match screen.view.writing {
            true => format!(": type, {} sends", way(Action::Send)),
            false => format!(": press {} and type", way(Action::Write)),
        };
        bar.left(how, theme.style(ThemeRole::Notice));
        bar.right(format!(" {} pass ", way(Action::Pass)), theme.style(ThemeRole::HintText));
        rows.push(bar);
    }
    let waiting: Vec<_> = screen.transcript.queued().collect();
    let last = waiting.len();
    for (i, (key, words)) in waiting.into_iter().enumerate().skip(last.saturating_sub(QUEUE_ROWS)) {
        let mut bar = Bar::new();
        let editing = screen.view.editing.as_ref() == Some(key);
        let state = if editing { "editing" } else { "queued" };
        bar.left(format!("{state} {}: ", i + 1), theme.style(ThemeRole::Notice));
        bar.left(text::line(words).into_owned(), theme.style(ThemeRole::Text));
        if i + 1 == last {
            let edit = if screen.view.writing { Action::Earlier } else { Action::EditQueued };
            let keys = format!(" {} edit  {} drop ", way(edit), way(Action::DropQueued));
            bar.right(keys, theme.style(ThemeRole::HintText));
        }
        rows.push(bar);
    }
    for (bar, y) in rows.iter().zip(area.y..area.bottom()) {
        let row = Rect { y, height: 1, ..area };
        bar.draw(frame, row, " ", Style::new(), screen.glyphs.ellipsis);
    }
}

/// Draws what is written; the terminal's cursor stands on the caret.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let theme = &screen.theme;
    let prompt =
        theme.style(if screen.view.writing { ThemeRole::Notice } else { ThemeRole::Muted });
    let sign = Span::styled(format!(" {} ", screen.glyphs.prompt), prompt);
    frame.render_widget(Line::from(sign), Rect { height: 1, ..area });
    let inner = Rect { x: area.x + PROMPT, width: area.width.saturating_sub(PROMPT + 1), ..area };
    let composer = &mut screen.view.composer;
    composer.area.set_style(theme.style(ThemeRole::Text));
    frame.render_widget(&composer.area, inner);
    if composer.is_empty() {
        let hint = placeholder(screen, usize::from(inner.width));
        frame.render_widget(Line::styled(hint, screen.theme.style(ThemeRole::Muted)), inner);
    }
    if screen.view.place() == Focus::Write {
        let composer = &screen.view.composer;
        let ((row, column), (top, left)) = (composer.caret(), composer.area.scroll_offset());
        let x = inner.x + (column as u16).saturating_sub(left);
        let y = inner.y + (row as u16).saturating_sub(top);
        frame.set_cursor_position(Position::new(x.min(inner.right()), y.min(inner.bottom() - 1)));
    }
}

fn placeholder(screen: &Screen, room: usize) -> String {
    let [long, short] =
        ["message everyone, or @name to give someone the turn", "message, or @name"];
    let status = Status::of(screen.transcript.state());
    let over = matches!(status, Status::Stopped | Status::Done | Status::Error);
    match (screen.transcript.human_turn(), over) {
        (_, true) if screen.view.unsaved => {
            clip("not saved: it cannot be extended", room, screen.glyphs.ellipsis)
        }
        (_, true) => {
            let place = if screen.view.writing { Focus::Write } else { Focus::Read };
            let more = screen.keymap.way(Action::MoreRound, place);
            let standing = match status {
                Status::Stopped => "stopped",
                Status::Error => "failed",
                _ => "finished",
            };
            let dot = screen.glyphs.dot;
            let way = way_on(screen.transcript.state());
            let choices = format!("{standing}. {more} {way} {dot} /note to annotate");
            clip(&choices, room, screen.glyphs.ellipsis)
        }
        (Some(who), _) => {
            let says = format!("type as {}", screen.transcript.name(&who));
            clip(&says, room, screen.glyphs.ellipsis)
        }
        (None, _) => if long.len() <= room { long } else { short }.into(),
    }
}
