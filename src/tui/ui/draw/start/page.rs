//! The rows of the start screen: headings, fields, and choices.

use crate::text;
use crate::ui::start::{StartRow, StartScreen};
use crate::ui::text::wrap::{clip, width, wrap};
use crate::ui::theme::ThemeRole;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Columns before the values of a new conversation.
pub(super) const LABEL: usize = 16;
/// Columns of a label without the symbol before it.
pub(super) const VALUE: usize = LABEL - 3;
/// Rows of the screen, built from top to bottom.
pub(super) struct StartPage<'a> {
    pub(super) start: &'a StartScreen,
    pub(super) room: usize,
    /// True if there is room for gaps.
    pub(super) tall: bool,
    pub(super) lines: Vec<Line<'static>>,
    /// Line of the keyboard focus, and the column of the cursor if it is visible.
    pub(super) focus: Option<(usize, Option<usize>)>,
}

impl StartPage<'_> {
    pub(super) fn style(&self, role: ThemeRole) -> Style {
        self.start.theme.style(role)
    }

    pub(super) fn blank(&mut self) {
        self.lines.push(Line::default());
    }

    pub(super) fn heading(&mut self, words: &str) {
        self.lines.push(Line::styled(format!(" {words}"), self.style(ThemeRole::Title)));
    }

    /// Adds a row that can have the focus: a symbol if it has, then the label and other spans.
    pub(super) fn row(&mut self, row: StartRow, label: String, words: Vec<Span<'static>>) {
        let here = self.start.at == row;
        if here {
            self.focus = Some((self.lines.len(), None));
        }
        let sign = if here { self.start.glyphs.speaking } else { " " };
        let look = if here { ThemeRole::Title } else { ThemeRole::Text };
        let mut spans = vec![
            Span::styled(format!(" {sign} "), self.style(ThemeRole::FloorSpeaking)),
            Span::styled(label, self.style(look)),
        ];
        spans.extend(words);
        self.lines.push(Line::from(spans));
    }

    /// Adds a choice and its description: beside it, or below if it would be clipped.
    pub(super) fn offer(&mut self, row: StartRow, label: &str, said: &str, column: usize) {
        let muted = self.style(ThemeRole::Muted);
        if self.room >= 3 + column + width(said) {
            self.row(row, format!("{label:<column$}"), vec![Span::styled(said.to_owned(), muted)]);
        } else if label.is_empty() {
            self.row(row, format!("  {said}"), vec![]);
        } else {
            self.row(row, label.to_owned(), vec![]);
            let below = Line::styled(format!("     {said}"), muted);
            self.lines.extend(wrap(&below, self.room));
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

    /// Adds a field of the new conversation: label, value, and a description that may begin with names.
    pub(super) fn field(
        &mut self,
        row: StartRow,
        label: &str,
        value: &str,
        said: &str,
        names: &[String],
    ) {
        let label = format!("{label:<width$}", width = VALUE);
        let room = self.room.saturating_sub(LABEL);
        let value = clip(value, room, self.start.glyphs.ellipsis);
        let here = self.start.at == row;
        let place = self.place(row);
        let said = clip(
            &format!("  {said}"),
            room.saturating_sub(width(&value) + width(&place)),
            self.start.glyphs.ellipsis,
        );
        let gap = room.saturating_sub(width(&value) + width(&said) + width(&place));
        let look = if here { ThemeRole::Title } else { ThemeRole::Text };
        let mut spans = vec![Span::styled(value, self.style(look))];
        spans.extend(self.coloured_names(&said, names));
        spans.push(Span::raw(" ".repeat(gap)));
        spans.push(Span::styled(place, self.style(ThemeRole::Notice)));
        self.row(row, label, spans);
    }

    /// Returns the position of the choice, the number of choices and the filter of a row that has the focus.
    pub(super) fn place(&self, row: StartRow) -> String {
        let start = self.start;
        if start.at != row {
            return String::new();
        }
        let voice = || {
            let voices = start.voices();
            (voices.iter().position(|v| Some(v) == start.voice().as_ref()), voices.len())
        };
        let (at, of) = match row {
            StartRow::Scenario => (Some(start.script), start.scripts.len()),
            StartRow::Voice => voice(),
            StartRow::You => (Some(usize::from(start.take_part)), 2),
            StartRow::Cast => (Some(usize::from(start.asks_cast)), 2),
            _ => return String::new(),
        };
        let typed =
            if start.typed.is_empty() { String::new() } else { format!(" `{}`", start.typed) };
        let at = at.map_or("named".into(), |at| format!("{} of {of}", at + 1));
        text::line(&format!("{typed} {at}")).into_owned()
    }
}
