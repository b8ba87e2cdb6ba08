//! The input of the operator, and above it the queued messages.

use crate::text;
use crate::ui::action::Action;
use crate::ui::draw::bar::Bar;
use crate::ui::draw::{coordination, lanes, moment, plan, profile, timeline};
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::layout::{Panels, RowsNeeded};
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::extension::way_on;
use crate::ui::view::floor::Status;
use crate::ui::view::offer::offer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};

/// Cells before the input.
const PROMPT: u16 = 3;

/// Maximum rows of queued messages; the last ones are shown.
const QUEUE_ROWS: usize = 3;

/// Returns the rows that the composer and the panels near it need at a width.
pub fn needs(screen: &Screen, width: u16) -> RowsNeeded {
    let room = usize::from(width.saturating_sub(PROMPT + 1));
    let waiting = screen.transcript.queued().count().min(QUEUE_ROWS);
    let held = usize::from(screen.transcript.held_command().is_some());
    let queue = (waiting + held + usize::from(screen.transcript.human_turn().is_some())) as u16;
    let raw = screen.view.reading.raw;
    let panels = if raw { Panels::Hide } else { screen.view.panels };
    let (coordination, profile) = match panels {
        Panels::Hide => (0, (0, 0)),
        Panels::Auto | Panels::Show => {
            let planned = plan::rows(screen);
            let rows = if planned > 0 { planned } else { coordination::rows(screen) };
            (rows, profile::rows(screen, width))
        }
    };
    let card_width = panels.beside(width);
    let needs = RowsNeeded { queue, panels, coordination, profile, ..RowsNeeded::default() };
    match &screen.view.playback {
        Some(playback) => RowsNeeded { timeline: timeline::rows(playback), ..needs },
        None => RowsNeeded {
            composer: screen.view.composer.rows(room),
            lanes: lanes::rows(screen),
            card: moment::rows(screen, card_width),
            ..needs
        },
    }
}

/// Draws the pending turn of a person and the queued messages.
pub fn queue(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let theme = &screen.theme;
    let covered = screen.view.is_covered();
    let place = if screen.view.writing { screen.view.place() } else { Focus::Read };
    let way = |action| screen.keymap.way(action, place);
    let mut rows = Vec::new();
    if let Some(who) = screen.transcript.human_turn() {
        let name = screen.transcript.name(&who);
        let mut bar = Bar::new();
        bar.left("Your turn as ", theme.style(ThemeRole::Notice));
        bar.left(name, bold(theme.speaker(screen.transcript.seat_place(&who))));
        let how = match screen.view.writing {
            _ if covered => String::new(),
            true => format!(": type, {} sends", way(Action::Send)),
            false => format!(": press {} and type", way(Action::Write)),
        };
        if !covered {
            bar.right(format!(" {} pass ", way(Action::Pass)), theme.style(ThemeRole::HintText));
        }
        // the footer names the key as well
        if bar.width() + width(&how) <= usize::from(area.width) {
            bar.left(how, theme.style(ThemeRole::Notice));
        }
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
        if i + 1 == last && !covered {
            let edit = if screen.view.writing { Action::Earlier } else { Action::EditQueued };
            let keys = format!(" {} edit  {} drop ", way(edit), way(Action::DropQueued));
            bar.right(keys, theme.style(ThemeRole::HintText));
        }
        rows.push(bar);
    }
    if let Some(held) = screen.transcript.held_command() {
        let mut bar = Bar::new();
        bar.left("queued in the parent: ", theme.style(ThemeRole::Notice));
        bar.left(held.given.line.command.name(), theme.style(ThemeRole::Text));
        if last == 0 && !covered {
            let keys = format!(" {} drop ", way(Action::DropQueued));
            bar.right(keys, theme.style(ThemeRole::HintText));
        }
        rows.push(bar);
    }
    for (bar, y) in rows.iter().zip(area.y..area.bottom()) {
        let row = Rect { y, height: 1, ..area };
        bar.draw(frame, row, " ", Style::new(), screen.glyphs.ellipsis);
    }
}

/// Draws the input with the terminal's cursor in it. If the keyboard focus is elsewhere, letters do not write, and
/// the key bindings are shown instead.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let theme = &screen.theme;
    let covered = screen.view.is_covered();
    let writes = screen.view.writing && !covered;
    let inner = Rect { x: area.x + PROMPT, width: area.width.saturating_sub(PROMPT + 1), ..area };
    if writes {
        let sign = format!(" {} ", screen.glyphs.gutter);
        let sign = Line::styled(sign, theme.style(ThemeRole::Notice));
        let signs = Text::from(vec![sign; usize::from(area.height)]);
        frame.render_widget(signs, Rect { width: PROMPT, ..area });
    }
    let composer = &mut screen.view.composer;
    let look = if writes { ThemeRole::Text } else { ThemeRole::Muted };
    composer.area.set_style(theme.style(look));
    frame.render_widget(&composer.area, inner);
    if composer.is_empty() && !covered {
        let room = usize::from(inner.width);
        let hint = if writes { placeholder(screen, room) } else { invitation(screen, room) };
        frame.render_widget(hint, inner);
        let at_line = screen.view.place() == Focus::Line;
        if let (true, Some((_, what))) = (at_line, offer(screen)) {
            let key = screen.keymap.way(Action::Offer, Focus::Line);
            let mut bar = Bar::new();
            bar.left = vec![];
            bar.right(format!(" {key}: {what} "), screen.theme.style(ThemeRole::HintText));
            let width = bar.width() as u16;
            // the invitation keeps at least half of the row
            if width <= inner.width / 2 {
                let row = Rect { x: inner.right() - width, width, height: 1, ..inner };
                bar.draw(frame, row, " ", Style::new(), screen.glyphs.ellipsis);
            }
        }
    }
    if matches!(screen.view.place(), Focus::Write | Focus::Line) {
        let composer = &screen.view.composer;
        let ((row, column), (top, left)) = (composer.caret(), composer.area.scroll_offset());
        let x = inner.x + (column as u16).saturating_sub(left);
        let y = inner.y + (row as u16).saturating_sub(top);
        frame.set_cursor_position(Position::new(x.min(inner.right()), y.min(inner.bottom() - 1)));
    }
}

/// Returns the key bindings that start a message, as many as fit.
fn invitation(screen: &Screen, room: usize) -> Line<'static> {
    if screen.view.areas.card.is_empty()
        && let Some(keys) = moment::keys(screen)
    {
        return hints(screen, room, keys);
    }
    let status = Status::from_state(screen.transcript.state());
    if matches!(status, Status::Stopped | Status::Done | Status::Error) {
        return placeholder(screen, room);
    }
    let whom = match screen.transcript.human_turn() {
        Some(who) => format!("speak as {}", screen.transcript.name(&who)),
        None => "write to everyone".into(),
    };
    let keys = vec![
        (Action::Write, whom),
        (Action::Address, "address one".into()),
        (Action::Interject, "cut in".into()),
        (Action::Palette, "commands".into()),
    ];
    hints(screen, room, keys)
}

/// Returns key bindings with their effect, as many as fit.
fn hints(screen: &Screen, room: usize, keys: Vec<(Action, String)>) -> Line<'static> {
    let mut line = Line::default();
    for (action, what) in keys {
        let key = screen.keymap.way(action, screen.view.steering());
        if line.width() + width(&key) + width(&what) + 1 > room {
            break;
        }
        line.push_span(Span::styled(key, screen.theme.style(ThemeRole::HintKey)));
        line.push_span(Span::styled(
            format!(" {what}   "),
            screen.theme.style(ThemeRole::HintText),
        ));
    }
    line
}

fn placeholder(screen: &Screen, room: usize) -> Line<'static> {
    Line::styled(asked(screen, room), screen.theme.style(ThemeRole::Muted))
}

fn asked(screen: &Screen, room: usize) -> String {
    let [long, short] =
        ["message everyone, or @name to give someone the turn", "message, or @name"];
    let status = Status::from_state(screen.transcript.state());
    let over = matches!(status, Status::Stopped | Status::Done | Status::Error);
    match (screen.transcript.human_turn(), over) {
        _ if screen.view.loading.is_some() => {
            clip("reading the session", room, screen.glyphs.ellipsis)
        }
        _ if screen.view.watching => clip("watching, read-only", room, screen.glyphs.ellipsis),
        (_, true) if screen.view.unsaved => {
            clip("not saved: cannot be extended", room, screen.glyphs.ellipsis)
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
