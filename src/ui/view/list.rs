//! The list of commands, and that of keys: both made from the tables, narrowed down by what is typed, run by Enter.

use crate::export::FORMATS;
use crate::model::command::{COMMANDS, CommandRow};
use crate::model::{Command, Key};
use crate::ui::action::Action;
use crate::ui::keymap::{Focus, Group, KeyRow, Keymap, ROWS, runs};
use crate::ui::slash::{is_named, spelled};
use crate::ui::text::caret;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Commands that are remembered as those that were run last.
pub const USED: usize = 5;

/// Commands that an action of another name carries out.
const SAME: [(Action, &[&str]); 4] = [
    (Action::TogglePause, &["pause", "resume"]),
    (Action::Write, &["say"]),
    (Action::Interject, &["cut_in"]),
    (Action::SetLimit, &["limit"]),
];

/// Returns the commands of another name that an action carries out.
fn same(action: Action) -> &'static [&'static str] {
    SAME.iter().find(|(other, _)| *other == action).map_or(&[], |(_, names)| names)
}

/// Returns the `/commands` that an action of the list of commands stands for.
pub fn commands_of(row: &KeyRow) -> impl Iterator<Item = String> {
    let own = row.name();
    let all = COMMANDS.iter();
    all.filter(move |c| c.name == own || same(row.action).contains(&c.name)).map(spelled)
}

/// Returns the names of the formats in which a session can be written.
pub fn formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|f| f.name)
}

/// What the list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Everything that can be done.
    Commands,
    /// The list of every key.
    Keys,
    /// Every format in which a session can be written.
    Formats,
    /// What was put together for it.
    Own,
}

/// Whether the conversation goes on, or is a recording: each has commands of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedKind {
    /// It is steered.
    Live,
    /// It is played.
    Recorded,
}

impl FeedKind {
    /// Returns whether what a group holds makes sense.
    fn has(self, group: Group) -> bool {
        match group {
            Group::Floor | Group::Writing => self == FeedKind::Live,
            Group::Replay => self == FeedKind::Recorded,
            Group::Reading | Group::App => true,
            Group::Start => false,
        }
    }
}

/// What an entry does.
#[derive(Clone)]
pub enum EntryAction {
    /// An action of the screen.
    Action(&'static KeyRow),
    /// A command of the operator.
    Command(&'static CommandRow),
    /// Writing the session.
    Export(&'static str),
    /// A command, as it is.
    Send(Command),
    /// The beginning of what is written next.
    Begin(String),
    /// Queued messages, to be changed.
    Edit(Key, String),
    /// A text for the clipboard, and what it is.
    Copy(String, String),
    /// The theme of this name is used.
    Theme(String),
    /// This address is opened.
    Link(String),
    /// Another session beside the conversation: its path.
    Beside(String),
}

/// A row of a list, and what choosing it does.
#[derive(Clone)]
pub struct ListEntry {
    /// What it does.
    pub action: EntryAction,
    /// How it is called up: keys, or the `/command`.
    pub call: String,
    /// What it does, in words.
    pub title: String,
}

impl ListEntry {
    /// Returns an entry.
    pub fn new(
        call: impl Into<String>,
        title: impl Into<String>,
        action: EntryAction,
    ) -> ListEntry {
        ListEntry { action, call: call.into(), title: title.into() }
    }

    /// Returns the name by which it is remembered that it was run, if it stands in the list of commands.
    pub fn id(&self) -> Option<String> {
        match &self.action {
            EntryAction::Action(row) => Some(row.name()),
            EntryAction::Command(row) => Some(spelled(row)),
            EntryAction::Export(_)
            | EntryAction::Send(_)
            | EntryAction::Begin(_)
            | EntryAction::Edit(..)
            | EntryAction::Copy(..)
            | EntryAction::Theme(_)
            | EntryAction::Link(_)
            | EntryAction::Beside(_) => None,
        }
    }
}

/// A list that is open.
pub struct List {
    /// What it holds.
    pub kind: ListKind,
    /// For which talk.
    pub feed: FeedKind,
    /// What was typed.
    pub filter: String,
    /// The entry that Enter runs.
    pub at: usize,
    /// What was run from it last, which goes first while nothing is typed.
    pub used: Vec<String>,
    /// What fits the moment, which goes first behind these.
    pub first: Vec<Action>,
    /// The ids of entries that can do nothing now, which go last.
    pub unfit: Vec<String>,
    /// Its title, and the entries that were put together for it.
    pub own: (String, Vec<ListEntry>),
    /// Where its entries were drawn last.
    pub rows: Rect,
    /// The entry in each of these rows, column after column; a heading is none.
    pub drawn: Vec<Option<usize>>,
    /// The cells of a column; a list of one column has none.
    pub column: u16,
}

impl List {
    /// Returns a list as it opens.
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

    /// Returns a list of entries that were put together for it.
    pub fn of(title: String, entries: Vec<ListEntry>) -> List {
        List { own: (title, entries), ..List::new(ListKind::Own, FeedKind::Live) }
    }

    fn is_of_actions(&self) -> bool {
        matches!(self.kind, ListKind::Commands | ListKind::Keys)
    }

    /// Returns the entries that fit what was typed: in their name, their key, or what they do.
    pub fn entries(&self, keymap: &Keymap) -> Vec<ListEntry> {
        let formats = FORMATS.iter().filter(|_| self.kind == ListKind::Formats);
        let formats = formats.map(|format| ListEntry {
            action: EntryAction::Export(format.name),
            call: format.name.to_owned(),
            title: format.title.to_owned(),
        });
        let here = ROWS.iter().filter(|r| self.is_of_actions() && self.feed.has(r.group));
        let keys =
            here.filter(|r| self.kind == ListKind::Keys || runs(r.action)).map(|row| ListEntry {
                action: EntryAction::Action(row),
                call: Some(keys(row, keymap))
                    .filter(|k| !k.is_empty())
                    .unwrap_or_else(|| row.command()),
                title: row.title.to_owned(),
            });
        let all = self.kind == ListKind::Commands && self.feed == FeedKind::Live;
        // what an action does as well stands here once, unless its command is typed
        let typed_command = self.filter.starts_with('/');
        let acted: Vec<String> = match all && !typed_command {
            true => ROWS.iter().filter(|r| runs(r.action)).flat_map(commands_of).collect(),
            false => vec![],
        };
        let alone = |row: &&CommandRow| !acted.contains(&spelled(row));
        let commands = COMMANDS.iter().filter(|_| all).filter(alone).map(|row| ListEntry {
            action: EntryAction::Command(row),
            call: spelled(row),
            title: row.meaning.to_owned(),
        });
        let typed = self.filter.to_lowercase();
        let name = |e: &ListEntry| match &e.action {
            // a command of the same name goes first
            EntryAction::Action(row)
                if self.filter.starts_with('/') && !is_named(&row.command()) =>
            {
                row.command()
            }
            EntryAction::Action(row) => row.hint.to_owned(),
            EntryAction::Command(row) => spelled(row),
            EntryAction::Export(format) => (*format).to_owned(),
            EntryAction::Send(_)
            | EntryAction::Begin(_)
            | EntryAction::Edit(..)
            | EntryAction::Copy(..)
            | EntryAction::Theme(_)
            | EntryAction::Link(_)
            | EntryAction::Beside(_) => e.call.clone(),
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
            words.iter().any(|w| w.to_lowercase().contains(&typed))
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
                let (id, also) = (e.id(), stands_for(e));
                self.used.iter().position(|used| Some(used) == id.as_ref() || also.contains(used))
            };
            let last = usize::MAX;
            entries.sort_by_cached_key(|e| (used(e).unwrap_or(last), fits_now(e).unwrap_or(last)));
        }
        entries.sort_by_cached_key(|e| (!exact(e), unfit(e)));
        entries
    }

    /// Returns how many entries there are before anything is typed, as far as that is few.
    pub fn size(&self) -> usize {
        match self.kind {
            ListKind::Commands | ListKind::Keys => usize::from(u8::MAX),
            ListKind::Formats => FORMATS.len(),
            ListKind::Own => self.own.1.len(),
        }
    }

    /// Moves among the entries, if an action means that here; returns whether it did.
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

    /// Types a key into the filter, or takes of it back, if it is text.
    pub fn narrow(&mut self, key: &KeyEvent) {
        if caret::line(&mut self.filter, key) {
            self.at = 0;
        }
    }
}

/// Returns the keys of a row, with the prefix before those that stand behind it.
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
