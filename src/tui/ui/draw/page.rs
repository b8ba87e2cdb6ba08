//! The page overlay: a text over the transcript.

use crate::ui::action::Action;
use crate::ui::draw::overlay::{framed, on_top};
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::{plain, rows};
use crate::ui::text::wrap::width as cells;
use crate::ui::theme::{Theme, ThemeRole};
use crate::ui::view::page::{LineSelection, Page, PageRows, Section};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Clear;
use std::rc::Rc;

/// Maximum width of the page, in cells.
const WIDTH_MAX: u16 = 106;
/// Maximum width of a column of text, in cells: longer lines are hard to read.
const WORDS_MAX: usize = 100;
/// Maximum width of a page with two texts side by side.
const BESIDE_MAX: u16 = 2 * WIDTH_MAX;
/// Minimum cells at which two texts are side by side; below that, one is under the other.
const COLUMNS_MIN: usize = 56;
/// Cells of the names of facts.
const NAME_WIDTH: usize = 12;

/// Draws the page, if one is open.
pub fn draw(frame: &mut Frame<'_>, whole: Rect, screen: &mut Screen) {
    let Some(mut page) = screen.view.over.page.take() else { return };
    if let Some(rebuilt) =
        page.again.and_then(|again| again(&screen.transcript, screen.clock.now(), screen.glyphs))
    {
        page = Page { top: page.top, found: page.found, ..rebuilt };
    }
    let theme = &screen.theme;
    let side_by_side = !page.beside.is_empty();
    let widest = if side_by_side { BESIDE_MAX } else { WIDTH_MAX };
    let area = on_top(whole, &screen.view.areas, widest, u16::MAX);
    let close = screen.keymap.way(Action::Back, Focus::Read);
    let block = framed(screen, &page.title, &close);
    let inner = block.inner(area);
    let longest = if side_by_side { usize::MAX } else { WORDS_MAX };
    let room = usize::from(inner.width).saturating_sub(2).clamp(1, longest);
    let laid = match &page.laid {
        Some((known, laid)) if *known == room => laid.clone(),
        _ => {
            if let Some(make) = page.fitted {
                page.parts = make(&screen.keymap, screen.glyphs, screen.view.steering(), room);
            }
            Rc::new(lay(&page, room, screen))
        }
    };
    // a page that does not change is laid out once
    let stays = page.again.is_none() && page.lines.is_none();
    page.laid = stays.then(|| (room, laid.clone()));
    let height = usize::from(inner.height).saturating_sub(laid.fixed.len());
    page.extent = (laid.rows.len().saturating_sub(height), height);
    page.top = page.top.min(page.extent.0);
    if let Some((first, end)) = laid.moves {
        // the line that moves stays visible
        page.top = page.top.max(end.saturating_sub(height)).min(first);
    }
    let mut lit = screen.view.over.search.as_ref().map(|search| (search, laid.rows.clone()));
    if let Some((search, lines)) = &mut lit
        && let Some(line) = page.found.light(lines, search, theme, page.top)
        && !(page.top..page.top + height).contains(&line)
    {
        page.top = line.saturating_sub(height / 2).min(page.extent.0);
    }
    let lines = lit.as_ref().map_or(&laid.rows, |(_, lines)| lines);
    let seen = laid.fixed.iter().chain(lines.iter().skip(page.top).take(height)).cloned();
    let seen = seen.map(|mut line| {
        line.spans.insert(0, Span::raw(" "));
        line
    });
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    frame.render_widget(Text::from(seen.collect::<Vec<_>>()), inner);
    screen.view.over.page = Some(page);
}

/// Lays a whole page out as rows.
fn lay(page: &Page, room: usize, screen: &Screen) -> PageRows {
    let theme = &screen.theme;
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (name, value) in &page.facts {
        let value = plain(value, room.saturating_sub(NAME_WIDTH), theme.style(ThemeRole::Text));
        for (i, mut line) in value.into_iter().enumerate() {
            let name = if i == 0 { *name } else { "" };
            let name = Span::styled(format!("{name:<NAME_WIDTH$}"), theme.style(ThemeRole::Muted));
            line.spans.insert(0, name);
            lines.push(line);
        }
    }
    // the labels of the two sides stay visible
    let side_by_side = !page.beside.is_empty();
    let fixed = if side_by_side { std::mem::take(&mut lines) } else { vec![] };
    lines.extend(laid(&page.parts, room, theme));
    for row in &page.beside {
        lines.extend(beside(&row.0, &row.1, room, screen));
    }
    let moves = page.lines.as_ref().map(|chosen| select(chosen, room, screen, &mut lines));
    PageRows { fixed, rows: lines, moves }
}

/// Adds the lines of a selection; returns the first row of the moving line, and the row after its last.
fn select(
    chosen: &LineSelection,
    room: usize,
    screen: &Screen,
    lines: &mut Vec<Line<'static>>,
) -> (usize, usize) {
    let mut moves = (0, 0);
    for (i, said) in chosen.all.iter().enumerate() {
        let role = if chosen.has(i) { ThemeRole::Selection } else { ThemeRole::Text };
        let style = screen.theme.style(role);
        let here = i == chosen.at;
        let begin = lines.len();
        // an empty line can be selected as well
        let said = if said.is_empty() { " " } else { said };
        for line in plain(said, room.saturating_sub(2).max(1), style) {
            let sign = if here && lines.len() == begin { screen.glyphs.speaking } else { " " };
            let mut row = Line::from(vec![Span::raw(format!("{sign} "))]);
            row.spans.extend(line.spans.into_iter().map(|s| s.patch_style(style)));
            lines.push(row);
        }
        if here {
            moves = (begin, lines.len());
        }
    }
    moves
}

/// Returns sections as lines, each below an empty one.
fn laid(parts: &[Section], room: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for part in parts {
        lines.push(Line::default());
        if !part.head.is_empty() {
            let look = part.by.map_or(theme.style(ThemeRole::Title), |by| theme.speaker(by));
            lines.extend(plain(&part.head, room, look));
        }
        let drawn = !part.picture.is_empty() && part.picture.iter().all(|row| cells(row) <= room);
        lines.extend(match part.markdown {
            _ if drawn => {
                let style = theme.style(part.role());
                part.picture.iter().map(|row| Line::styled(row.clone(), style)).collect()
            }
            true => rows(&part.body, room, theme),
            false => plain(&part.body, room, theme.style(part.role())),
        });
    }
    lines
}

/// Returns two texts in two columns, or one under the other if there is not enough room.
fn beside(a: &[Section], b: &[Section], room: usize, screen: &Screen) -> Vec<Line<'static>> {
    let theme = &screen.theme;
    if room < COLUMNS_MIN {
        let side = |side: &str, parts: &[Section]| -> Vec<Section> {
            let named = |p: &Section| Section { head: format!("{side}  {}", p.head), ..p.clone() };
            parts.iter().map(named).collect()
        };
        return laid(&[side("A", a), side("B", b)].concat(), room, theme);
    }
    let wall = format!(" {} ", screen.glyphs.wall);
    let column = (room - cells(&wall)) / 2;
    let left = laid(a, column, theme);
    let right = laid(b, column, theme);
    let rows = left.len().max(right.len());
    let row = |at: usize| {
        let mut line = left.get(at).cloned().unwrap_or_default();
        let gap = " ".repeat(column.saturating_sub(line.width()));
        // the style of the whole line belongs to the left column only
        let style = std::mem::take(&mut line.style);
        line.spans.iter_mut().for_each(|span| span.style = style.patch(span.style));
        line.spans.push(Span::raw(gap));
        line.spans.push(Span::styled(wall.clone(), theme.style(ThemeRole::Rule)));
        let other = right.get(at).cloned().unwrap_or_default();
        let spans = other.spans.into_iter();
        line.spans
            .extend(spans.map(|span| Span::styled(span.content, other.style.patch(span.style))));
        line
    };
    (0..rows).map(row).collect()
}
