//! The list that lies on top: what was typed, the entries that fit, and what Enter runs.

use super::framed;
use crate::ui::Screen;
use crate::ui::action::Action;
use crate::ui::keymap::{Group, Place};
use crate::ui::list::{Does, Entry, Of, heading};
use crate::ui::theme::Role;
use crate::ui::wrap::{clip, width};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Clear;

/// The widest list, in cells.
const WIDTH_MAX: u16 = 84;
/// The highest list, in rows.
const HEIGHT_MAX: u16 = 26;
/// Cells of the left column.
const CALL_WIDTH: usize = 26;
/// Cells of the column that names the group.
const GROUP_WIDTH: usize = 9;

/// Draws the list, if one is open.
pub fn draw(frame: &mut Frame<'_>, whole: Rect, screen: &mut Screen) {
    let Some(list) = &screen.view.list else { return };
    let (theme, glyphs) = (&screen.theme, screen.glyphs);
    let size = (
        whole.width.saturating_sub(4).min(WIDTH_MAX),
        whole.height.saturating_sub(2).min(HEIGHT_MAX),
    );
    let area = Rect {
        x: whole.x + (whole.width - size.0) / 2,
        y: whole.y + (whole.height - size.1) / 3,
        width: size.0,
        height: size.1,
    };
    let title = match list.of {
        Of::Commands => "Commands",
        Of::Keys => "Keys",
        Of::Own => &list.own.0,
        Of::Formats => "Export as",
    };
    let block = framed(screen, title, &screen.keymap.way(Action::Back, Place::List));
    let inner = block.inner(area);
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    let entries = list.entries(&screen.keymap);
    let count = format!("{} of {} ", (list.at + 1).min(entries.len()), entries.len());
    let typed = format!(" {} {}", glyphs.prompt, list.filter);
    let gap = usize::from(inner.width).saturating_sub(width(&typed) + width(&count));
    let first = Line::from(vec![
        Span::raw(typed.clone()),
        Span::raw(" ".repeat(gap)),
        Span::styled(count, theme.style(Role::Muted)),
    ]);
    let rows = usize::from(inner.height).saturating_sub(2);
    let from = (list.at + 1).saturating_sub(rows);
    let room = usize::from(inner.width);
    let mut lines = vec![first, Line::styled(glyphs.rule.repeat(room), theme.style(Role::Rule))];
    for (i, entry) in entries.iter().enumerate().skip(from).take(rows) {
        lines.push(row(entry, i == list.at, room, screen));
    }
    frame.render_widget(Text::from(lines), inner);
    frame.set_cursor_position(Position::new(inner.x + width(&typed) as u16, inner.y));
    if let Some(list) = &mut screen.view.list {
        (list.rows, list.from) = (Rect { y: inner.y + 2, height: rows as u16, ..inner }, from);
    }
}

fn row(entry: &Entry, chosen: bool, room: usize, screen: &Screen) -> Line<'static> {
    let (theme, glyphs) = (&screen.theme, screen.glyphs);
    let group = match &entry.does {
        Does::Action(row) => heading(row.group),
        Does::Verb(_) => heading(Group::Floor),
        Does::Send(_)
        | Does::Begin(_)
        | Does::Edit(..)
        | Does::Copy(..)
        | Does::Wear(_)
        | Does::Export(_) => "",
    };
    let sign = if chosen { glyphs.speaking } else { " " };
    let call = clip(&entry.call, CALL_WIDTH, glyphs.ellipsis);
    let call = format!("{call}{}", " ".repeat(CALL_WIDTH - width(&call)));
    let left = room.saturating_sub(CALL_WIDTH + GROUP_WIDTH + 5);
    let title = clip(&entry.title, left, glyphs.ellipsis);
    let pad = " ".repeat(left - width(&title));
    let look = |role| if chosen { theme.style(Role::Selection) } else { theme.style(role) };
    Line::from(vec![
        Span::styled(format!(" {sign} "), look(Role::Text)),
        Span::styled(call, look(Role::HintKey)),
        Span::styled(format!(" {title}{pad}"), look(Role::Text)),
        Span::styled(format!("{group:>GROUP_WIDTH$}"), look(Role::Muted)),
        Span::styled(" ", Style::new()),
    ])
}
