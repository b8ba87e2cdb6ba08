//! Lists such as the command palette: filtered by typing, run with Enter.

use crate::export::FORMATS;
use crate::model::Command;
use crate::model::command::CommandRow;
use crate::steer::slash::spelled;
use crate::ui::action::Action;
use crate::ui::keymap::{Focus, KeyRow, Keymap, ListedAction};
use crate::ui::text::caret;
use crate::ui::theme::Theme;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Returns the names of the export formats.
pub fn formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|f| f.name)
}

/// Returns the list of the export formats.
pub fn of_formats() -> List {
    let entries =
        FORMATS.iter().map(|f| ListEntry::new(f.name, f.title, EntryAction::Export(f.name)));
    List::with_entries("Export as".into(), entries.collect())
}

/// Effect of an entry.
#[derive(Clone)]
pub enum EntryAction {
    /// Performs an action of the screen.
    Action(&'static KeyRow),
    /// Runs a command of the operator.
    Command(&'static CommandRow),
    /// Exports the session in the format of this name.
    Export(&'static str),
    /// Sends a complete command.
    Send(Command),
    /// Starts a draft with this text.
    Begin(String),
    /// Copies a text to the clipboard; the second string describes it.
    Copy(String, String),
    /// Switches to the theme of this name.
    Theme(String),
    /// Opens this address.
    Link(String),
    /// Compares with the session at this path.
    Beside(String),
}

#[derive(Clone)]
pub struct ListEntry {
    /// Effect of choosing it.
    pub action: EntryAction,
    /// Keys, or the `/command`.
    pub call: String,
    /// Description of the effect.
    pub title: String,
}

impl ListEntry {
    pub fn new(
        call: impl Into<String>,
        title: impl Into<String>,
        action: EntryAction,
    ) -> ListEntry {
        ListEntry { action, call: call.into(), title: title.into() }
    }

    /// Returns the name by which the list of commands knows the entry; `None` for other entries.
    pub fn id(&self) -> Option<String> {
        match &self.action {
            EntryAction::Action(row) => Some(row.name()),
            EntryAction::Command(row) => Some(spelled(row)),
            _ => None,
        }
    }
}

/// An open list.
#[derive(Default)]
pub struct List {
    /// True for the list of commands, which has sections.
    pub is_commands: bool,
    pub title: String,
    /// All entries.
    pub all: Vec<ListEntry>,
    /// Further entries, which only a filter finds.
    pub more: Vec<ListEntry>,
    /// Text typed to filter the entries.
    pub filter: String,
    /// Index of the selected entry, which Enter runs.
    pub at: usize,
    /// Ids of entries without effect in the current state; they come last.
    pub unfit: Vec<String>,
    /// Screen area of the entries in the last frame.
    pub rows: Rect,
    /// Entry index per row of that area, column by column; `None` for headings.
    pub drawn: Vec<Option<usize>>,
    /// Theme before the preview of the selected one, in the list of themes.
    pub theme: Option<Theme>,
}

impl List {
    pub fn with_entries(title: String, all: Vec<ListEntry>) -> List {
        List { title, all, ..List::default() }
    }

    /// Returns the entries that have every word of the filter, in any order; the one with that name comes first, and
    /// entries without effect last.
    pub fn entries(&self) -> Vec<ListEntry> {
        let more = if self.filter.is_empty() { &[][..] } else { &self.more };
        let mut entries = [&self.all[..], more].concat();
        let typed = self.filter.to_lowercase();
        let name = typed.trim_start_matches('/');
        let fits = |entry: &ListEntry| {
            let row = match &entry.action {
                EntryAction::Action(row) => format!("{} {}", row.hint, row.command()),
                EntryAction::Command(row) => spelled(row),
                _ => String::new(),
            };
            let whole = format!("{} {} {row}", entry.call, entry.title).to_lowercase();
            name.split_whitespace().all(|part| whole.contains(part))
        };
        entries.retain(fits);
        let is_exact = |entry: &ListEntry| entry.call.trim_start_matches('/') == name;
        entries.sort_by_cached_key(|entry| (!is_exact(entry), self.is_unfit(entry)));
        entries
    }

    fn is_unfit(&self, entry: &ListEntry) -> bool {
        entry.id().is_some_and(|id| self.unfit.contains(&id))
    }

    /// Returns whether the entries are listed in sections with headings.
    pub fn has_sections(&self) -> bool {
        self.is_commands && self.filter.is_empty()
    }

    /// Returns the heading of an entry in the list of commands.
    pub fn heading(&self, entry: &ListEntry) -> &'static str {
        if self.is_unfit(entry) {
            return "not now";
        }
        let listed = ListedAction::by_name(entry.call.trim_start_matches('/'));
        listed.map_or("people", |listed| listed.section.heading())
    }

    /// Handles an action that moves the selection; returns `true` if it did.
    pub fn handle(&mut self, action: Action) -> bool {
        let last = self.entries().len().saturating_sub(1);
        let page = usize::from(self.rows.height).saturating_sub(1).max(1);
        self.at = match action {
            Action::EntryUp => self.at.saturating_sub(1),
            Action::EntryDown => self.at + 1,
            Action::PageUp => self.at.saturating_sub(page),
            Action::PageDown => self.at + page,
            Action::Top => 0,
            Action::Follow => last,
            _ => return false,
        }
        .min(last);
        true
    }

    /// Edits the filter, if the key is text or an editing key.
    pub fn narrow(&mut self, key: &KeyEvent) {
        if caret::line(&mut self.filter, key) {
            self.at = 0;
        }
    }
}

/// Returns the keys of a row, separated by two spaces.
pub fn keys(row: &KeyRow, keymap: &Keymap) -> String {
    let mut once: Vec<&str> = Vec::new();
    for key in Focus::ALL.into_iter().flat_map(|place| keymap.keys(row.action, place)) {
        if !once.contains(&key) {
            once.push(key);
        }
    }
    once.join("  ")
}
