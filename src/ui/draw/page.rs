//! The text that lies over the transcript.

use super::{framed, on_top};
use crate::ui::Screen;
use crate::ui::action::Action;
use crate::ui::keymap::Place;
use crate::ui::markdown::{plain, rows};
use crate::ui::page::Page;
use crate::ui::theme::Role;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Clear;

/// The widest page, in cells.
const WIDTH_MAX: u16 = 106;
/// The widest column of words, in cells: longer lines are hard to read.
const WORDS_MAX: usize = 100;
/// Cells of the names of facts.
const NAME_WIDTH: usize = 12;

/// Draws the page, if one is open.
pub fn draw(frame: &mut Frame<'_>, whole: Rect, screen: &mut Screen) {
    let Some(mut page) = screen.view.page.take() else { return };
    if let Some(anew) = page.again.and_then(|again| again(screen)) {
        page = Page { top: page.top, ..anew };
    }
    let theme = &screen.theme;
    let area = on_top(whole, &screen.view.areas, (WIDTH_MAX, u16::MAX));
    let close = screen.keymap.way(Action::Back, Place::Table);
    let block = framed(screen, &page.title, &close);
    let inner = block.inner(area);
    let room = usize::from(inner.width).saturating_sub(2).clamp(1, WORDS_MAX);
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (name, value) in &page.facts {
        let value = plain(value, room.saturating_sub(NAME_WIDTH), theme.style(Role::Text));
        for (i, mut line) in value.into_iter().enumerate() {
            let name = if i == 0 { *name } else { "" };
            let name = Span::styled(format!("{name:<NAME_WIDTH$}"), theme.style(Role::Muted));
            line.spans.insert(0, name);
            lines.push(line);
        }
    }
    for part in &page.parts {
        lines.push(Line::default());
        if !part.head.is_empty() {
            lines.extend(plain(&part.head, room, theme.style(Role::Title)));
        }
        lines.extend(match part.markdown {
            true => rows(&part.body, room, theme),
            false => plain(&part.body, room, theme.style(part.role())),
        });
    }
    let height = usize::from(inner.height);
    page.extent = (lines.len().saturating_sub(height), height);
    page.top = page.top.min(page.extent.0);
    let seen = lines.into_iter().skip(page.top).take(height).map(|mut line| {
        line.spans.insert(0, Span::raw(" "));
        line
    });
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    frame.render_widget(Text::from(seen.collect::<Vec<_>>()), inner);
    screen.view.page = Some(page);
}
