//! The keys that can follow the prefix, in columns above the status line, shortly after it was pressed.

use crate::ui::action::Action;
use crate::ui::draw::overlay::framed;
use crate::ui::frame::Frame;
use crate::ui::keymap::{Focus, KeyRow, ROWS};
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Clear;

/// Width of a column, in cells.
const COLUMN: usize = 24;
/// Cells of the keys in a column.
const KEY: usize = 10;

/// Draws the keys, if they are listed.
pub fn draw(frame: &mut Frame<'_>, _: Rect, screen: &mut Screen) {
    if !screen.view.keys_listed || screen.view.place() != Focus::Prefix {
        return;
    }
    let keymap = &screen.keymap;
    let areas = screen.view.areas;
    let own = |row: &&KeyRow| keymap.keys(row.action, Focus::Prefix).next().is_some();
    // keys that work in the composer need no prefix, and scrolling is not useful while writing
    let apart = |row: &&KeyRow| {
        keymap.key(row.action, Focus::Write).is_none() && !scrolls(row.action) || own(row)
    };
    // keys that work only after the prefix come first
    let rows = ROWS.iter().filter(own).chain(ROWS.iter().filter(|row| !own(row)));
    let listed = rows.filter(apart);
    let mut keys: Vec<(&str, &str)> =
        listed.filter_map(|row| Some((keymap.key(row.action, Focus::Prefix)?, row.hint))).collect();
    let whole = areas.floor;
    let columns = (usize::from(whole.width).saturating_sub(2) / COLUMN).max(1);
    let most = usize::from(whole.y.saturating_sub(areas.header.bottom() + 2)).max(1);
    let rows = keys.len().div_ceil(columns).min(most);
    if let (true, Some(help)) =
        (keys.len() > rows * columns, keymap.key(Action::Help, Focus::Prefix))
    {
        keys.truncate(rows * columns - 1);
        keys.push((help, "all keys"));
    }
    // small letters before capitals, and before signs and names of keys
    keys.sort_by_key(|(key, _)| {
        let is_letter = key.len() == 1 && key.starts_with(char::is_alphabetic);
        (!is_letter, key.to_lowercase(), key.starts_with(char::is_uppercase))
    });
    let height = rows as u16 + 2;
    let area = Rect { y: whole.y.saturating_sub(height), height, ..whole };
    let prefix = keymap.way(Action::Prefix, Focus::Write);
    let block = framed(screen, &format!("{prefix}, then"), &keymap.way(Action::Back, Focus::Read));
    let inner = block.inner(area);
    let cell = |at: usize| {
        let (key, word) = keys.get(at).copied().unwrap_or_default();
        let key = clip(key, KEY - 1, screen.glyphs.ellipsis);
        let word = clip(word, COLUMN - KEY, screen.glyphs.ellipsis);
        let pad = COLUMN - KEY - width(&word);
        [
            Span::styled(
                format!("{}{key} ", " ".repeat(KEY - 1 - width(&key))),
                screen.theme.style(ThemeRole::HintKey),
            ),
            Span::styled(format!("{word}{}", " ".repeat(pad)), screen.theme.style(ThemeRole::Text)),
        ]
    };
    let line = |row: usize| {
        Line::from((0..columns).flat_map(|c| cell(c * rows + row)).collect::<Vec<_>>())
    };
    let lines: Vec<Line<'static>> = (0..rows).map(line).collect();
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    frame.render_widget(Text::from(lines), inner);
}

/// Returns whether an action only moves the reading position.
fn scrolls(action: Action) -> bool {
    matches!(
        action,
        Action::LineUp
            | Action::LineDown
            | Action::HalfUp
            | Action::HalfDown
            | Action::MessageUp
            | Action::MessageDown
    )
}
