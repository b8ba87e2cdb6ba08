//! A text that lies over the transcript and is scrolled: what somebody was shown, or one message alone.
//!
//! It is laid out where it is drawn; here it is only text and a place in it.

use crate::model::Ms;
use crate::ui::action::Action;
use crate::ui::theme::ThemeRole;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::search::LineMatches;
use crate::ui::view::selection::LineSelection;
use crate::ui::view::transcript::Transcript;
use ratatui::text::Line;
use std::rc::Rc;

/// A text under a head of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// One line; none where it is empty.
    pub head: String,
    /// The text under the heading.
    pub body: String,
    /// A picture that is drawn instead of the text, where there is room for it.
    pub picture: Vec<String>,
    /// Whether the text is Markdown.
    pub markdown: bool,
    /// Whether a person should know.
    pub warns: bool,
    /// Whose it is, by the place at the table: then the head has that colour.
    pub by: Option<usize>,
}

/// Makes a page from how the conversation stands.
pub type MakePage = fn(&Transcript, Ms, &Glyphs) -> Option<Page>;

/// A page as rows.
#[derive(Clone, Debug, Default)]
pub struct PageRows {
    /// The rows that stay in sight: of two texts, which side is whose.
    pub fixed: Vec<Line<'static>>,
    /// The rows that are scrolled.
    pub rows: Vec<Line<'static>>,
    /// The first row of the line that moves, and the one behind it, where lines are chosen.
    pub moves: Option<(usize, usize)>,
}

/// A text that is open.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// What it is.
    pub title: String,
    /// Facts above the text: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// The sections of the page, in order.
    pub parts: Vec<Section>,
    /// Lines that are chosen, in the place of the text.
    pub lines: Option<LineSelection>,
    /// The address that it shows, and whether it may be opened.
    pub link: Option<(String, bool)>,
    /// Two texts beside each other, row by row.
    pub beside: Vec<(Vec<Section>, Vec<Section>)>,
    /// Makes it again, where what it shows goes on.
    pub again: Option<MakePage>,
    /// Its rows, where they stay as they are, and the width they were laid out for.
    pub laid: Option<(usize, Rc<PageRows>)>,
    /// What was found in it.
    pub found: LineMatches,
    /// The first row that is seen.
    pub top: usize,
    /// The last row that can be the first, and the rows that are seen; known once it was drawn.
    pub extent: (usize, usize),
}

impl Section {
    /// Returns how its text looks.
    pub fn role(&self) -> ThemeRole {
        if self.warns { ThemeRole::Warn } else { ThemeRole::Text }
    }
}

impl Page {
    /// Moves through it; returns whether the action was one that moves.
    pub fn moves(&mut self, action: Action) -> bool {
        let (last, rows) = self.extent;
        let page = rows.saturating_sub(2).max(1);
        self.top = match action {
            Action::LineUp => self.top.saturating_sub(1),
            Action::LineDown => self.top + 1,
            Action::HalfUp => self.top.saturating_sub(page / 2),
            Action::HalfDown => self.top + page / 2,
            Action::PageUp => self.top.saturating_sub(page),
            Action::PageDown => self.top + page,
            Action::Top => 0,
            Action::Follow => last,
            _ => return false,
        }
        .min(last);
        true
    }

    /// Returns all of it as text, for the clipboard.
    pub fn text(&self) -> String {
        let facts = self.facts.iter().map(|(name, value)| format!("{name}: {value}\n"));
        let part = |side: &str, part: &Section| match part.head.as_str() {
            "" => format!("\n{side}{}\n", part.body),
            head => format!("\n{side}{head}\n{}\n", part.body),
        };
        let parts = self.parts.iter().map(|p| part("", p));
        let beside = self.beside.iter().flat_map(|(a, b)| {
            let a = a.iter().map(move |p| part("A  ", p));
            a.chain(b.iter().map(move |p| part("B  ", p)))
        });
        facts.chain(parts).chain(beside).collect()
    }
}
