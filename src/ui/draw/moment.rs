//! The card that asks for the operator's attention: a limit was reached, a turn failed. It names the helpful keys and
//! their cost, and stays above the status line until one is pressed.

use crate::ui::action::Action;
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::card::{AROUND, card};
use crate::ui::text::wrap::{clip, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::view::card as view;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

/// Maximum width of the card, in cells.
const WIDTH_MAX: u16 = 76;
/// Rows of its frame.
const FRAME: usize = 2;
/// Maximum rows of a card.
const ROWS_MAX: u16 = 8;

/// Returns the rows that the card needs at a width; 0 without a card.
pub fn rows(screen: &Screen, width: u16) -> u16 {
    lines(screen, width, ROWS_MAX).len() as u16
}

/// Returns the helpful keys and their effect, for a screen that is too low for the card; `None` without a card.
pub fn keys(screen: &Screen) -> Option<Vec<(Action, String)>> {
    view::card(screen).map(|card| card.options)
}

/// Draws the card, if there is one.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let lines = lines(screen, area.width, area.height);
    let now = screen.clock.now();
    let card = view::card(screen).map(|card| format!("{} {}", card.title, card.told));
    let since = &mut screen.view.card_since;
    if since.as_ref().map(|(card, _)| card) != card.as_ref() {
        *since = card.map(|card| (card, now));
    }
    frame.render_widget(Text::from(lines), Rect { x: area.x + 1, width: room(area.width), ..area });
}

fn room(width: u16) -> u16 {
    width.saturating_sub(2).min(WIDTH_MAX)
}

/// Returns the card within a number of columns and rows.
fn lines(screen: &Screen, width: u16, most: u16) -> Vec<Line<'static>> {
    let Some(view::Card { title, role, told, options, choices, .. }) = view::card(screen) else {
        return vec![];
    };
    let numbered = screen.view.place() == Focus::Line;
    let room = usize::from(room(width));
    let key = screen.theme.style(ThemeRole::HintKey);
    let text = screen.theme.style(ThemeRole::Text);
    let inside = room.saturating_sub(AROUND);
    let mut hints: Vec<Line<'static>> = Vec::new();
    let options = options.into_iter().map(|(action, what)| (Some(action), what));
    let choices = choices.into_iter().map(|choice| (None, choice));
    for (i, (action, what)) in options.chain(choices).enumerate() {
        let way = match action {
            _ if numbered => format!("{} ", i + 1),
            Some(action) => format!("{} ", screen.keymap.way(action, screen.view.steering())),
            None => String::new(),
        };
        let hint = [Span::styled(way, key), Span::styled(what, text)];
        let needs: usize = hint.iter().map(Span::width).sum();
        match hints.last_mut().filter(|line| line.width() + 2 + needs <= inside) {
            Some(line) => {
                line.push_span(Span::raw("  "));
                line.extend(hint);
            }
            None => hints.push(Line::from(hint.to_vec())),
        }
    }
    let spare = usize::from(most).saturating_sub(FRAME + hints.len());
    // the keys matter most: the description is cut if both do not fit
    let told = told.split('\n').flat_map(|line| wrap(&Line::styled(line.to_owned(), text), inside));
    let mut rows: Vec<Line<'static>> = told.collect();
    if rows.len() > spare.max(1) {
        rows.truncate(spare.max(1));
        if let Some(last) = rows.last_mut() {
            let more = screen.glyphs.ellipsis;
            let kept = clip(&last.to_string(), inside.saturating_sub(1), more);
            *last = Line::styled(format!("{}{more}", kept.trim_end_matches(more)), text);
        }
    }
    rows.extend(hints);
    let edge = screen.theme.style(role);
    let mut lines = card(&title, rows, room, edge, screen.glyphs);
    while lines.len() > usize::from(most) && lines.len() > FRAME {
        lines.remove(lines.len() - FRAME);
    }
    lines
}
