//! The list that lies on top: what was typed, the entries that fit, and what Enter runs.

use super::{framed, on_top};
use crate::ui::Screen;
use crate::ui::action::Action;
use crate::ui::keymap::{Group, Place};
use crate::ui::list::{Does, Entry, Of, heading};
use crate::ui::theme::Role;
use crate::ui::wish;
use crate::ui::wrap::{clip, width};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Clear;

/// The widest list, in cells.
const WIDTH_MAX: u16 = 84;
/// The highest list, in rows.
const HEIGHT_MAX: u16 = 26;
/// Cells of the left column at most; on a narrow list, a third of it.
const CALL_MAX: usize = 30;
/// Cells of the column that names the group.
const GROUP_WIDTH: usize = 9;
/// Cells from which the group is named: below, what an entry does needs them.
const GROUP_ROOM: usize = 82;
/// Rows of a list besides its entries: the frame, what was typed, and the line below it.
const AROUND: usize = 4;
/// Rows below which no line is drawn under what was typed.
const RULE_ROWS: u16 = 8;

/// Draws the list, if one is open.
pub fn draw(frame: &mut Frame<'_>, whole: Rect, screen: &mut Screen) {
    let Some(list) = &screen.view.list else { return };
    let (theme, glyphs) = (&screen.theme, screen.glyphs);
    let high = u16::try_from(list.size() + AROUND).unwrap_or(u16::MAX).min(HEIGHT_MAX);
    let area = on_top(whole, &screen.view.areas, (WIDTH_MAX, high));
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
    let room = usize::from(inner.width);
    let mut lines = vec![first];
    if inner.height >= RULE_ROWS {
        let rule = format!(" {}", glyphs.rule.repeat(room.saturating_sub(2)));
        lines.push(Line::styled(rule, theme.style(Role::Rule)));
    }
    let above = lines.len() as u16;
    let rows = usize::from(inner.height.saturating_sub(above));
    let from = (list.at + 1).saturating_sub(rows);
    let widest = entries.iter().map(|entry| width(&entry.call)).max().unwrap_or(0);
    let call = widest.min(if room < GROUP_ROOM { room / 3 } else { CALL_MAX });
    for (i, entry) in entries.iter().enumerate().skip(from).take(rows) {
        lines.push(row(entry, i == list.at, (call, room), screen));
    }
    frame.render_widget(Text::from(lines), inner);
    frame.set_cursor_position(Position::new(inner.x + width(&typed) as u16, inner.y));
    if let Some(list) = &mut screen.view.list {
        (list.rows, list.from) = (Rect { y: inner.y + above, height: rows as u16, ..inner }, from);
    }
}

/// An entry: how it is called up, what it does, and its group where there is room for it.
fn row(
    entry: &Entry,
    chosen: bool,
    (calls, room): (usize, usize),
    screen: &Screen,
) -> Line<'static> {
    let (theme, glyphs) = (&screen.theme, screen.glyphs);
    let group = match &entry.does {
        _ if room < GROUP_ROOM => String::new(),
        Does::Action(row) => format!(" {:>GROUP_WIDTH$}", heading(row.group)),
        Does::Verb(_) => format!(" {:>GROUP_WIDTH$}", heading(Group::Floor)),
        Does::Send(_)
        | Does::Begin(_)
        | Does::Edit(..)
        | Does::Copy(..)
        | Does::Wear(_)
        | Does::Link(_)
        | Does::Beside(_)
        | Does::Export(_) => String::new(),
    };
    let sign = if chosen { glyphs.speaking } else { " " };
    let call = clip(&entry.call, calls, glyphs.ellipsis);
    let call = format!("{call}{}", " ".repeat(calls - width(&call)));
    let left = room.saturating_sub(3 + calls + 2 + width(&group) + 1);
    let unfit = match &entry.does {
        Does::Verb(verb) => wish::unfit(&screen.story, verb.name),
        Does::Action(_)
        | Does::Send(_)
        | Does::Begin(_)
        | Does::Edit(..)
        | Does::Copy(..)
        | Does::Wear(_)
        | Does::Link(_)
        | Does::Beside(_)
        | Does::Export(_) => None,
    };
    let title = unfit.map_or(entry.title.clone(), |why| format!("not now: {why}"));
    let title = clip(&title, left, glyphs.ellipsis);
    let pad = " ".repeat(left - width(&title));
    let look = |role| if chosen { theme.style(Role::Selection) } else { theme.style(role) };
    Line::from(vec![
        Span::styled(format!(" {sign} "), look(Role::Text)),
        Span::styled(call, look(Role::HintKey)),
        Span::styled(format!("  {title}{pad}"), look(Role::Text)),
        Span::styled(group, look(Role::Muted)),
        Span::styled(" ", look(Role::Text)),
    ])
}
