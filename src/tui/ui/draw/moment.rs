//! The card that asks for the operator's attention: a limit was reached, a turn failed, a tool asks. Its last
//! rows are its choices; a description that does not fit above them is scrolled.

use crate::ui::action::Action;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::card::{AROUND, footed_card};
use crate::ui::text::wrap::{width, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::view::card as view;
use crate::ui::view::confirming::ShownCard;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

/// Maximum width of the card, in cells.
const WIDTH_MAX: u16 = 76;
/// Rows of its frame.
const FRAME: usize = 2;
/// Maximum rows of a card.
const ROWS_MAX: usize = 12;
/// Rows above the choices from which on a description is always read beside them, and otherwise its maximum pages.
const BESIDE_MIN: usize = 3;
const PAGES_MAX: usize = 4;
/// Maximum cells of the names of arguments in a column of their own.
const NAMES_MAX: usize = 12;

/// Returns the rows that the card needs at a width; 0 without a card.
pub fn rows(screen: &Screen, width: u16) -> u16 {
    let rows = view::card(screen).map_or(0, |card| {
        let inside = inside(width);
        description(screen, &card, inside).len() + choices(screen, &card, inside).len() + FRAME
    });
    rows.min(ROWS_MAX) as u16
}

/// Notes the card of this frame, and since when it is shown.
pub fn note(screen: &mut Screen) {
    let now = screen.clock.now();
    let width = screen.view.areas.card.width;
    let framed = view::card(screen).is_some();
    let hidden = framed && width == 0;
    let Some(card) = (if hidden { None } else { view::current(screen) }) else {
        screen.view.card = None;
        return;
    };
    let shown = &mut screen.view.card;
    if shown.as_ref().is_none_or(|shown| shown.id != card.id) {
        let shown_now = ShownCard { id: card.id, since: now, ..ShownCard::default() };
        *shown = Some(ShownCard { width, ..shown_now });
    }
    if let Some(shown) = shown.as_mut().filter(|shown| shown.width != width) {
        // its rows are wrapped again
        (shown.width, shown.top) = (width, 0);
    }
}

/// Notes that the last row of the card is on the screen, if nothing covers it.
pub fn note_seen(screen: &mut Screen) {
    let view = &mut screen.view;
    let covered =
        view.over.hides() || view.completion.is_some() || view.notice.is_some() && view.spills;
    if !covered && let Some(shown) = &mut view.card {
        let (window, all) = shown.window;
        shown.whole |= all > 0 && shown.top + window >= all;
    }
}

/// Draws the card, if there is one.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let Some(card) = view::card(screen) else { return };
    let inside = inside(area.width);
    let mut rows = description(screen, &card, inside);
    let mut choices = choices(screen, &card, inside);
    let spare = usize::from(area.height).saturating_sub(FRAME);
    // on a low screen a call that has to be read takes fewer pages if the choices come behind it
    let beside = spare.saturating_sub(choices.len());
    let is_read = card.choices.iter().any(|choice| choice.allows);
    let is_long = beside == 0 || beside < BESIDE_MIN && rows.len() > PAGES_MAX * beside;
    if is_read && is_long || choices.len() > spare {
        rows.append(&mut choices);
    }
    let all = rows.len();
    let window = spare.saturating_sub(choices.len()).min(all);
    let mut top = 0;
    if let Some(shown) = &mut screen.view.card {
        shown.top = shown.top.min(all - window);
        shown.window = (window, all);
        top = shown.top;
    }
    let mut lines: Vec<Line<'static>> = rows.drain(top..top + window).collect();
    lines.extend(choices);
    let foot = if window == 0 {
        String::new()
    } else if window < all && top + window == all {
        format!("all {all} rows seen")
    } else if window < all {
        let key = screen.keymap.way(Action::PageDown, screen.view.steering());
        format!("rows {} to {} of {all}: {key}", top + 1, top + window)
    } else {
        String::new()
    };
    let foot = Span::styled(foot, screen.theme.style(ThemeRole::HintText));
    let edge = screen.theme.style(card.role);
    let lines =
        footed_card(&card.title, foot, lines, usize::from(room(area.width)), edge, screen.glyphs);
    frame.render_widget(Text::from(lines), Rect { x: area.x + 1, width: room(area.width), ..area });
}

fn room(width: u16) -> u16 {
    width.saturating_sub(2).min(WIDTH_MAX)
}

fn inside(width: u16) -> usize {
    usize::from(room(width)).saturating_sub(AROUND)
}

/// Returns the rows of the description, and of the arguments of a call: a value begins in a column of its own, in which
/// it is wrapped.
fn description(screen: &Screen, card: &view::Card, inside: usize) -> Vec<Line<'static>> {
    let text = screen.theme.style(ThemeRole::Text);
    let name = screen.theme.style(ThemeRole::HintKey);
    let lines = card.told.split('\n').filter(|line| !line.is_empty());
    let mut rows: Vec<Line<'static>> =
        lines.flat_map(|line| wrap(&Line::styled(line.to_owned(), text), inside)).collect();
    let names = card.arguments.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    let column = names.min(NAMES_MAX);
    for (key, value) in &card.arguments {
        let beside = width(key) <= column;
        if !beside {
            rows.extend(wrap(&Line::styled(key.clone(), name), inside));
        }
        let value = Line::styled(value.clone(), text);
        for (i, mut line) in wrap(&value, inside.saturating_sub(column + 2)).into_iter().enumerate()
        {
            let key = if i == 0 && beside { key.as_str() } else { "" };
            let gap = " ".repeat(column + 2 - width(key));
            let style = std::mem::take(&mut line.style);
            line.spans.iter_mut().for_each(|span| span.style = style.patch(span.style));
            line.spans.insert(0, Span::styled(format!("{key}{gap}"), name));
            rows.push(line);
        }
    }
    rows
}

/// Returns the rows of the choices, with their numbers.
fn choices(screen: &Screen, card: &view::Card, inside: usize) -> Vec<Line<'static>> {
    let key = screen.theme.style(ThemeRole::HintKey);
    let text = screen.theme.style(ThemeRole::Text);
    let mut rows: Vec<Line<'static>> = Vec::new();
    for (i, choice) in card.choices.iter().enumerate() {
        let hint = [Span::styled(format!("{} ", i + 1), key), Span::styled(choice.shown(), text)];
        let needs: usize = hint.iter().map(Span::width).sum();
        match rows.last_mut().filter(|line| line.width() + 2 + needs <= inside) {
            Some(line) => {
                line.push_span(Span::raw("  "));
                line.extend(hint);
            }
            None => rows.push(Line::from(hint.to_vec())),
        }
    }
    rows.iter().flat_map(|row| wrap(row, inside)).collect()
}
