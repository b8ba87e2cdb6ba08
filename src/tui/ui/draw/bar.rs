//! A row that is filled from both ends.

use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// A row that is filled from both ends. Text on the left that does not fit is clipped from its end.
pub(super) struct Bar {
    pub(super) left: Vec<Span<'static>>,
    pub(super) right: Vec<Span<'static>>,
}

impl Bar {
    pub(super) fn new() -> Bar {
        Bar { left: vec![Span::raw(" ")], right: vec![Span::raw(" ")] }
    }

    pub(super) fn left(&mut self, text: impl Into<String>, style: Style) -> &mut Bar {
        self.left.push(Span::styled(text.into(), style));
        self
    }

    /// Inserts a text before the texts at the right.
    pub(super) fn right(&mut self, text: impl Into<String>, style: Style) -> &mut Bar {
        self.right.insert(0, Span::styled(text.into(), style));
        self
    }

    /// Returns the cells that the whole row needs.
    pub(super) fn width(&self) -> usize {
        self.left.iter().chain(&self.right).map(Span::width).sum()
    }

    pub(super) fn draw(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        fill: &str,
        rule: Style,
        ellipsis: &str,
    ) {
        let room = usize::from(area.width);
        let right: usize = self.right.iter().map(Span::width).sum();
        let mut used = 0;
        let mut spans: Vec<Span<'static>> = Vec::new();
        for span in &self.left {
            let left = room.saturating_sub(right + used);
            if span.width() > left {
                // a clipped text must not touch the text at the right
                let clipped = clip(&span.content, left.saturating_sub(1), ellipsis);
                used += width(&clipped);
                spans.push(Span::styled(clipped, span.style));
                break;
            }
            used += span.width();
            spans.push(span.clone());
        }
        let gap = room.saturating_sub(used + right);
        spans.push(Span::styled(fill.repeat(gap), rule));
        spans.extend(self.right.iter().cloned());
        frame.render_widget(Line::from(spans), area);
    }
}

pub fn section_heading(screen: &Screen, words: &'static str) -> Line<'static> {
    Line::styled(words, screen.theme.style(ThemeRole::Muted))
}
