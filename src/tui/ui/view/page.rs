//! A scrollable overlay over the transcript, such as a prompt or a single message.
//!
//! Layout happens in `draw`; this module holds the text and the scroll position.

use crate::model::Ms;
use crate::ui::action::Action;
use crate::ui::keymap::{Focus, Keymap};
use crate::ui::theme::ThemeRole;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::search::LineMatches;
use crate::ui::view::transcript::Transcript;
use ratatui::text::Line;
use std::rc::Rc;

/// A section with an optional heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Heading on one line; empty for no heading.
    pub head: String,
    /// Text under the heading.
    pub body: String,
    /// Rows of a picture, drawn instead of the text if they fit.
    pub picture: Vec<String>,
    /// True if the text is Markdown.
    pub markdown: bool,
    /// True if the text is a warning.
    pub warns: bool,
    /// Index of the seat whose colour the heading has, if any.
    pub by: Option<usize>,
}

/// Function that makes a page from the state of the conversation; `None` if there is nothing to show.
pub type MakePage = fn(&Transcript, Ms, &Glyphs) -> Option<Page>;

/// Function that makes the sections of a page of keys, by the focus for steering and a number of cells.
pub type FitPage = fn(&Keymap, &Glyphs, Focus, usize) -> Vec<Section>;

/// A laid-out page.
#[derive(Clone, Debug, Default)]
pub struct PageRows {
    /// Rows that do not scroll: the names of the two sides of a comparison.
    pub fixed: Vec<Line<'static>>,
    /// Rows that scroll.
    pub rows: Vec<Line<'static>>,
    /// Rows of the cursor's line in a line selection: the first one, and the one after the last.
    pub moves: Option<(usize, usize)>,
}

/// An open page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub title: String,
    /// Facts above the text, as (name, value).
    pub facts: Vec<(&'static str, String)>,
    /// Sections in order.
    pub parts: Vec<Section>,
    /// Function that makes the sections for a number of cells; `None` if they are fixed.
    pub fitted: Option<FitPage>,
    /// Line selection that is shown instead of the sections.
    pub lines: Option<LineSelection>,
    /// Address that the page shows, and `true` if it may be opened.
    pub link: Option<(String, bool)>,
    /// Two columns side by side, row by row.
    pub beside: Vec<(Vec<Section>, Vec<Section>)>,
    /// Function that remakes the page for every frame; `None` if its content is fixed.
    pub again: Option<MakePage>,
    /// Cached layout of a fixed page, and its width in cells.
    pub laid: Option<(usize, Rc<PageRows>)>,
    /// Search matches in the page.
    pub found: LineMatches,
    /// Index of the first visible row.
    pub top: usize,
    /// Maximum value of `top`, and the number of visible rows; set when the page is drawn.
    pub extent: (usize, usize),
}

impl Section {
    /// Returns the style role of the text.
    pub fn role(&self) -> ThemeRole {
        if self.warns { ThemeRole::Warn } else { ThemeRole::Text }
    }
}

impl Page {
    /// Handles an action that scrolls; returns `true` if it did.
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

    /// Returns the complete page as text, for the clipboard.
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

/// A selection of source lines of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineSelection {
    /// Description of the source, reported when the lines are copied.
    pub what: String,
    /// All source lines of the message.
    pub all: Vec<String>,
    /// Index of the anchor's line.
    pub from: usize,
    /// Index of the cursor's line.
    pub at: usize,
}

impl LineSelection {
    /// Returns `true` if a line is selected.
    pub fn has(&self, line: usize) -> bool {
        (self.from.min(self.at)..=self.from.max(self.at)).contains(&line)
    }

    /// Returns the source text of the selected lines.
    pub fn chosen(&self) -> String {
        let chosen = self.all.iter().enumerate().filter(|(i, _)| self.has(*i));
        chosen.map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n")
    }
}
