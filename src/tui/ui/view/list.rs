//! Lists such as the command palette: filtered by typing, run with Enter.

use crate::export::FORMATS;
use crate::model::Command;
use crate::model::command::CommandRow;
use crate::steer::slash::spelled;
use crate::ui::action::Action;
use crate::ui::keymap::{Focus, Group, KeyRow, Keymap};
use crate::ui::keymap::{LISTED, ListedAction};
use crate::ui::text::caret;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Returns the names of the export formats.
pub fn formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|f| f.name)
}

/// Content of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Actions and commands.
    Commands,
    /// Export formats.
    Formats,
    /// Entries supplied by the caller.
    Own,
}

/// Kind of the conversation; each has its own commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedKind {
    /// A running conversation.
    Live,
    /// A recording that is played.
    Recorded,
}

impl FeedKind {
    /// Returns `true` if the actions of a group apply to this kind.
    fn has(self, group: Group) -> bool {
        match group {
            Group::Floor | Group::Writing => self == FeedKind::Live,
            Group::Replay => self == FeedKind::Recorded,
            Group::Reading | Group::App => true,
            Group::Start => false,
        }
    }
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

/// An entry of a list.
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
    /// Creates an entry.
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
pub struct List {
    /// Content of the list.
    pub kind: ListKind,
    /// Kind of the conversation.
    pub feed: FeedKind,
    /// Text typed to filter the entries.
    pub filter: String,
    /// Index of the selected entry, which Enter runs.
    pub at: usize,
    /// Ids of entries without effect in the current state; they come last.
    pub unfit: Vec<String>,
    /// Title and entries of a list of [`ListKind::Own`]; in the list of commands, rows of participants that a filter finds.
    pub own: (String, Vec<ListEntry>),
    /// Screen area of the entries in the last frame.
    pub rows: Rect,
    /// Entry index per row of that area, column by column; `None` for headings.
    pub drawn: Vec<Option<usize>>,
}

impl List {
    /// Creates a list in its initial state.
    pub fn new(kind: ListKind, feed: FeedKind) -> List {
        List {
            kind,
            feed,
            filter: String::new(),
            at: 0,
            unfit: vec![],
            own: Default::default(),
            rows: Rect::ZERO,
            drawn: vec![],
        }
    }

    /// Creates a list with entries supplied by the caller.
    pub fn with_entries(title: String, entries: Vec<ListEntry>) -> List {
        List { own: (title, entries), ..List::new(ListKind::Own, FeedKind::Live) }
    }

    /// Returns the entries that have every word of the filter, in any order; the one with that name comes first, and
    /// entries without effect last.
    pub fn entries(&self) -> Vec<ListEntry> {
        let mut entries = match self.kind {
            ListKind::Commands => self.commands(),
            ListKind::Formats => FORMATS
                .iter()
                .map(|f| ListEntry::new(f.name, f.title, EntryAction::Export(f.name)))
                .collect(),
            ListKind::Own => self.own.1.clone(),
        };
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

    /// Returns the rows of the list of actions for this kind of conversation; with a filter also those of participants.
    fn commands(&self) -> Vec<ListEntry> {
        let entry = |listed: &ListedAction| {
            let action = match (listed.action(), listed.command()) {
                (Some(row), _) if self.feed.has(row.group) => EntryAction::Action(row),
                (None, Some(row)) if self.feed == FeedKind::Live => EntryAction::Command(row),
                _ => return None,
            };
            Some(ListEntry::new(listed.line(), listed.meaning(), action))
        };
        let own = if self.filter.is_empty() { &[][..] } else { &self.own.1 };
        LISTED.iter().filter_map(entry).chain(own.iter().cloned()).collect()
    }

    fn is_unfit(&self, entry: &ListEntry) -> bool {
        entry.id().is_some_and(|id| self.unfit.contains(&id))
    }

    /// Returns whether the entries are listed in sections with headings.
    pub fn has_sections(&self) -> bool {
        self.kind == ListKind::Commands && self.filter.is_empty()
    }

    /// Returns the heading of an entry in the list of commands.
    pub fn heading(&self, entry: &ListEntry) -> &'static str {
        if self.is_unfit(entry) {
            return "not now";
        }
        let listed = ListedAction::by_name(entry.call.trim_start_matches('/'));
        listed.map_or("people", |listed| listed.section.heading())
    }

    /// Returns the number of entries without a filter; 255 for commands.
    pub fn size(&self) -> usize {
        match self.kind {
            ListKind::Commands => usize::from(u8::MAX),
            ListKind::Formats => FORMATS.len(),
            ListKind::Own => self.own.1.len(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_47_rows_and_finds_participants_by_words() {
        let mut list = List::new(ListKind::Commands, FeedKind::Live);
        let mute = EntryAction::Begin("/mute @bo".into());
        list.own.1 = vec![ListEntry::new("/mute @bo", "Mute Bo", mute)];
        assert_eq!(list.entries().len(), 47);
        list.filter = "mu bo".into();
        let found = list.entries();
        assert!(matches!(&found[..], [only] if only.call == "/mute @bo"));
    }
}
