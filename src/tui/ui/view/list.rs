//! Lists such as the command palette and the key help: filtered by typing, run with Enter.

use crate::export::FORMATS;
use crate::model::command::{COMMANDS, CommandRow};
use crate::model::{Command, Key};
use crate::steer::slash::{is_named, spelled};
use crate::ui::action::Action;
use crate::ui::keymap::{Focus, Group, KeyRow, Keymap, ROWS};
use crate::ui::text::caret;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Number of recently run commands that are remembered.
pub const USED: usize = 5;

/// Actions that perform commands of a different name.
const SAME: [(Action, &[&str]); 4] = [
    (Action::TogglePause, &["pause", "resume"]),
    (Action::Write, &["say"]),
    (Action::Interject, &["cut_in"]),
    (Action::SetLimit, &["limit"]),
];

/// Returns the commands of a different name that an action performs.
fn same(action: Action) -> &'static [&'static str] {
    SAME.iter().find(|(other, _)| *other == action).map_or(&[], |(_, names)| names)
}

/// Returns the `/commands` that an action in the list performs.
pub fn commands_of(row: &KeyRow) -> impl Iterator<Item = String> {
    let own = row.name();
    let all = COMMANDS.iter();
    all.filter(move |c| c.name == own || same(row.action).contains(&c.name)).map(spelled)
}

/// Returns the names of the export formats.
pub fn formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|f| f.name)
}

/// Content of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Actions and commands.
    Commands,
    /// All keys.
    Keys,
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

/// Section of the list of commands, in display order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PaletteSection {
    /// Recently used entries, and actions that suit the current state.
    Now,
    /// Control of the floor.
    Steer,
    /// Rows for each participant.
    Participants,
    /// Taking part.
    Write,
    /// Reading and navigation.
    Read,
    /// The program itself.
    App,
    /// Entries without effect in the current state.
    NotNow,
}

impl PaletteSection {
    /// Returns the heading.
    pub fn heading(self) -> &'static str {
        match self {
            PaletteSection::Now => "now",
            PaletteSection::Steer => "steer",
            PaletteSection::Participants => "participants",
            PaletteSection::Write => "write",
            PaletteSection::Read => "read",
            PaletteSection::App => "program",
            PaletteSection::NotNow => "not now",
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
    /// Edits the queued message with this key and text.
    Edit(Key, String),
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

    /// Returns the name under which the entry is remembered as recently run; `None` for entries outside the command
    /// list.
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
    /// Names of recently run entries; they come first while the filter is empty.
    pub used: Vec<String>,
    /// Actions that suit the current state; they come next.
    pub first: Vec<Action>,
    /// Ids of entries without effect in the current state; they come last.
    pub unfit: Vec<String>,
    /// Title and entries of a list of [`ListKind::Own`].
    pub own: (String, Vec<ListEntry>),
    /// Screen area of the entries in the last frame.
    pub rows: Rect,
    /// Entry index per row of that area, column by column; `None` for headings.
    pub drawn: Vec<Option<usize>>,
    /// Width of a column in cells; 0 for a list with a single column.
    pub column: u16,
}

impl List {
    /// Creates a list in its initial state.
    pub fn new(kind: ListKind, feed: FeedKind) -> List {
        List {
            kind,
            feed,
            filter: String::new(),
            at: 0,
            used: vec![],
            first: vec![],
            unfit: vec![],
            own: Default::default(),
            rows: Rect::ZERO,
            drawn: vec![],
            column: 0,
        }
    }

    /// Creates a list with entries supplied by the caller.
    pub fn with_entries(title: String, entries: Vec<ListEntry>) -> List {
        List { own: (title, entries), ..List::new(ListKind::Own, FeedKind::Live) }
    }

    fn is_of_actions(&self) -> bool {
        matches!(self.kind, ListKind::Commands | ListKind::Keys)
    }

    /// Returns the entries whose name, key or description matches the filter, in display order.
    pub fn entries(&self, keymap: &Keymap) -> Vec<ListEntry> {
        let formats = if self.kind == ListKind::Formats { FORMATS } else { &[] };
        let formats = formats.iter().map(|format| ListEntry {
            action: EntryAction::Export(format.name),
            call: format.name.to_owned(),
            title: format.title.to_owned(),
        });
        let here = ROWS.iter().filter(|r| self.is_of_actions() && self.feed.has(r.group));
        let keys = here.filter_map(|row| {
            let keys = keys(row, keymap);
            let call = match (keys.is_empty(), row.listed) {
                (true, false) => return None,
                (true, true) => row.command(),
                (false, _) => keys,
            };
            let shown = row.listed || self.kind == ListKind::Keys;
            shown.then(|| ListEntry::new(call, row.title, EntryAction::Action(row)))
        });
        let all = self.kind == ListKind::Commands && self.feed == FeedKind::Live;
        // hide commands that an action performs as well, unless a command is being typed
        let typed_command = self.filter.starts_with('/');
        let acted: Vec<String> = if all && !typed_command {
            ROWS.iter().filter(|r| r.listed).flat_map(commands_of).collect()
        } else {
            vec![]
        };
        let alone = |row: &&CommandRow| !acted.contains(&spelled(row));
        let commands = if all { COMMANDS } else { &[] };
        let commands = commands.iter().filter(alone).map(|row| ListEntry {
            action: EntryAction::Command(row),
            call: spelled(row),
            title: row.meaning.to_owned(),
        });
        let typed = self.filter.to_lowercase();
        let name = |e: &ListEntry| match &e.action {
            // match such an action by its hint if a command of the same name exists, so that the command comes first
            EntryAction::Action(row)
                if self.filter.starts_with('/') && !is_named(&row.command()) =>
            {
                row.command()
            }
            EntryAction::Action(row) => row.hint.to_owned(),
            EntryAction::Command(row) => spelled(row),
            EntryAction::Export(format) => (*format).to_owned(),
            _ => e.call.clone(),
        };
        let stands_for = |e: &ListEntry| -> Vec<String> {
            match &e.action {
                EntryAction::Action(row) if !typed_command => commands_of(row).collect(),
                _ => vec![],
            }
        };
        let command = |e: &ListEntry| {
            if let EntryAction::Action(row) = &e.action { row.command() } else { String::new() }
        };
        let fits = |e: &ListEntry| {
            let words = [&e.title, &e.call, &name(e), &command(e)];
            let whole = words.map(|w| w.to_lowercase()).join(" ");
            // every word of the filter, in any order
            !typed.starts_with('/') && typed.split_whitespace().all(|part| whole.contains(part))
                || words.iter().any(|w| w.to_lowercase().contains(&typed))
                || stands_for(e).iter().any(|w| w.contains(&typed))
        };
        let own = self.own.1.iter().cloned();
        let all = keys.chain(commands).chain(formats).chain(own);
        let mut entries: Vec<ListEntry> = all.filter(fits).collect();
        let exact = |e: &ListEntry| {
            let name = name(e);
            name == typed
                || name == format!("/{typed}")
                || e.call.split("  ").any(|k| k == self.filter)
                || stands_for(e).iter().any(|w| w[1..] == typed)
        };
        let fits_now = |e: &ListEntry| match &e.action {
            EntryAction::Action(row) => self.first.iter().position(|action| *action == row.action),
            _ => None,
        };
        let unfit = |e: &ListEntry| e.id().is_some_and(|id| self.unfit.contains(&id));
        if typed.is_empty() {
            let used = |e: &ListEntry| {
                let id = e.id();
                let also = stands_for(e);
                self.used.iter().position(|used| Some(used) == id.as_ref() || also.contains(used))
            };
            let last = usize::MAX;
            entries.sort_by_cached_key(|e| (used(e).unwrap_or(last), fits_now(e).unwrap_or(last)));
        }
        entries.sort_by_cached_key(|e| (!exact(e), unfit(e)));
        if self.has_sections() {
            entries.sort_by_cached_key(|e| self.section(e));
        }
        entries
    }

    /// Returns whether the entries are listed in sections with headings.
    pub fn has_sections(&self) -> bool {
        self.kind == ListKind::Commands && self.filter.is_empty()
    }

    /// Returns the section of an entry in the list of commands.
    pub fn section(&self, entry: &ListEntry) -> PaletteSection {
        let id = entry.id();
        let is_in = |ids: &[String]| id.as_ref().is_some_and(|id| ids.contains(id));
        let is_used = |command: String| self.used.contains(&command);
        match &entry.action {
            _ if is_in(&self.unfit) => PaletteSection::NotNow,
            _ if is_in(&self.used) => PaletteSection::Now,
            EntryAction::Action(row) if commands_of(row).any(is_used) => PaletteSection::Now,
            EntryAction::Action(row) if self.first.contains(&row.action) => PaletteSection::Now,
            EntryAction::Action(row) => match row.group {
                Group::Floor => PaletteSection::Steer,
                Group::Writing => PaletteSection::Write,
                Group::Reading | Group::Replay => PaletteSection::Read,
                Group::App | Group::Start => PaletteSection::App,
            },
            EntryAction::Send(_) | EntryAction::Begin(_) => PaletteSection::Participants,
            EntryAction::Command(_)
            | EntryAction::Export(_)
            | EntryAction::Edit(..)
            | EntryAction::Copy(..)
            | EntryAction::Theme(_)
            | EntryAction::Link(_)
            | EntryAction::Beside(_) => PaletteSection::Steer,
        }
    }

    /// Returns the number of entries without a filter; 255 for commands and keys.
    pub fn size(&self) -> usize {
        match self.kind {
            ListKind::Commands | ListKind::Keys => usize::from(u8::MAX),
            ListKind::Formats => FORMATS.len(),
            ListKind::Own => self.own.1.len(),
        }
    }

    /// Handles an action that moves the selection; returns `true` if it did.
    pub fn handle(&mut self, action: Action, keymap: &Keymap) -> bool {
        let last = self.entries(keymap).len().saturating_sub(1);
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

/// Returns the keys of a row, separated by two spaces; keys after the prefix include it.
pub fn keys(row: &KeyRow, keymap: &Keymap) -> String {
    let spelled = Focus::ALL.into_iter().flat_map(|place| {
        let before = match (place, keymap.key(Action::Prefix, Focus::Write)) {
            (Focus::Prefix, Some(prefix)) => format!("{prefix} "),
            _ => String::new(),
        };
        keymap.keys(row.action, place).map(move |key| format!("{before}{key}"))
    });
    let mut once: Vec<String> = Vec::new();
    spelled.for_each(|key| {
        if !once.contains(&key) {
            once.push(key);
        }
    });
    once.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_found_by_its_name() {
        for row in COMMANDS {
            let mut list = List::new(ListKind::Commands, FeedKind::Live);
            list.filter = spelled(row);
            let found = list.entries(&Keymap::default());
            assert!(
                found
                    .iter()
                    .any(|e| matches!(e.action, EntryAction::Command(v) if v.name == row.name))
            );
        }
    }

    #[test]
    fn help_is_searched_by_key_as_well() {
        let mut list = List::new(ListKind::Keys, FeedKind::Live);
        list.filter = "ctrl-d".into();
        let found: Vec<String> =
            list.entries(&Keymap::default()).into_iter().map(|e| e.title).collect();
        assert_eq!(found, ["half a page down"]);
    }
}
