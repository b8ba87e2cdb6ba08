//! Rows of the start screen, in one column.

use crate::text;
use crate::ui::start::StartScreen;
use crate::ui::theme::ThemeRole;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Columns of a label and the gap after it.
pub(super) const LABEL: usize = 14;
/// Columns of a label.
pub(super) const VALUE: usize = LABEL - 1;

/// Rows of the screen, built from top to bottom.
pub(super) struct StartPage<'a> {
    pub(super) start: &'a StartScreen,
    /// Cells before the column.
    pub(super) left: usize,
    /// Width of the column.
    pub(super) room: usize,
    /// True if there is room for gaps.
    pub(super) tall: bool,
    pub(super) lines: Vec<Line<'static>>,
    /// Line and column of the cursor.
    pub(super) focus: Option<(usize, usize)>,
}

impl StartPage<'_> {
    pub(super) fn style(&self, role: ThemeRole) -> Style {
        self.start.theme.style(role)
    }

    /// Adds a line of the column.
    pub(super) fn push(&mut self, mut line: Line<'static>) {
        line.spans.insert(0, Span::raw(" ".repeat(self.left)));
        self.lines.push(line);
    }

    /// Returns the width of the screen.
    pub(super) fn whole(&self) -> usize {
        self.room + 2 * self.left
    }

    /// Adds a line in the middle of the screen.
    pub(super) fn centred(&mut self, mut line: Line<'static>) {
        let before = self.whole().saturating_sub(line.width()) / 2;
        line.spans.insert(0, Span::raw(" ".repeat(before)));
        self.lines.push(line);
    }

    pub(super) fn heading(&mut self, words: &str) {
        self.push(Line::styled(words.to_owned(), self.style(ThemeRole::Title)));
    }

    /// Adds an empty line, if there is room for it.
    pub(super) fn gap(&mut self) {
        if self.tall {
            self.lines.push(Line::default());
        }
    }

    /// Returns a text that begins with names, each in the colour of its seat in the conversation.
    pub(super) fn coloured_names(&self, words: &str, names: &[String]) -> Vec<Span<'static>> {
        let muted = self.style(ThemeRole::Muted);
        let mut spans = vec![];
        let mut rest = words;
        for (place, name) in names.iter().enumerate() {
            let begun = rest.trim_start_matches([' ', ',']);
            let Some(after) = begun.strip_prefix(&*text::name(name)) else { break };
            let gap = rest.len() - begun.len();
            let name = begun.len() - after.len();
            spans.push(Span::styled(rest[..gap].to_owned(), muted));
            let style = self.start.theme.speaker_bar(place);
            spans.push(Span::styled(begun[..name].to_owned(), style));
            rest = after;
        }
        spans.push(Span::styled(rest.to_owned(), muted));
        spans
    }
}
