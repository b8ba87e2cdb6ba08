//! The list of actions, from which the palette, the list behind `/` and the page of the keys are made, and the lines that
//! name one of them.

use crate::model::command::{COMMANDS, CommandRow};
use crate::ui::action::Action;
use crate::ui::keymap::rows::{KeyRow, ROWS, row};

crate::words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ListSection {
        /// Control of the turns.
        Now = "now",
        /// Taking part.
        Say = "say",
        /// The participants.
        People = "people",
        /// The marked message.
        Text = "text",
        /// Views of the conversation.
        See = "see",
        /// The session and the program.
        File = "file",
        /// More about a message.
        Read = "read",
    }
    fn heading()
}

/// Effect of a row.
#[derive(Clone, Copy)]
pub enum ListedAs {
    /// An action of the screen.
    Action(Action),
    /// A command of the operator, by its name.
    Command(&'static str),
}

/// Row of the list.
pub struct ListedAction {
    /// Section of the row.
    pub section: ListSection,
    /// Name, without the `/`.
    pub name: &'static str,
    /// Effect.
    pub does: ListedAs,
}

const fn action_row(section: ListSection, name: &'static str, action: Action) -> ListedAction {
    ListedAction { section, name, does: ListedAs::Action(action) }
}

const fn command_row(
    section: ListSection,
    name: &'static str,
    command: &'static str,
) -> ListedAction {
    ListedAction { section, name, does: ListedAs::Command(command) }
}

use ListSection::{File, Now, People, Read, Say, See, Text};

/// All rows, in order.
pub const LISTED: [ListedAction; 47] = [
    action_row(Now, "pause", Action::TogglePause),
    action_row(Now, "step", Action::Step),
    action_row(Now, "skip", Action::Skip),
    action_row(Now, "stop", Action::PauseNow),
    command_row(Now, "again", "retry"),
    command_row(Now, "next", "floor"),
    action_row(Now, "undo", Action::Undo),
    command_row(Say, "whisper", "whisper"),
    command_row(Say, "note", "note"),
    command_row(Say, "vote", "vote"),
    command_row(Say, "verdict", "verdict"),
    command_row(Say, "hold", "hold"),
    command_row(People, "join", "join"),
    command_row(People, "leave", "leave"),
    command_row(People, "mute", "mute"),
    action_row(People, "model", Action::ChangeModel),
    command_row(People, "change", "change"),
    command_row(Text, "edit", "edit"),
    command_row(Text, "hide", "hide"),
    action_row(Text, "branch", Action::Fork),
    action_row(Text, "bookmark", Action::Mark),
    action_row(Text, "copy", Action::Copy),
    action_row(Text, "prompt", Action::Prompt),
    action_row(Text, "raw", Action::Raw),
    action_row(See, "poster", Action::Poster),
    action_row(See, "moments", Action::Moments),
    action_row(See, "analysis", Action::Analysis),
    action_row(See, "find", Action::Search),
    action_row(See, "only", Action::Filter),
    action_row(See, "table", Action::Table),
    action_row(See, "board", Action::Dependencies),
    command_row(File, "limit", "limit"),
    action_row(File, "end", Action::End),
    action_row(File, "picture", Action::Picture),
    action_row(File, "export", Action::Export),
    action_row(File, "sessions", Action::Tree),
    action_row(File, "theme", Action::Theme),
    action_row(File, "outcomes", Action::Outcomes),
    action_row(File, "keys", Action::Help),
    action_row(File, "new", Action::Home),
    action_row(File, "detach", Action::Detach),
    action_row(File, "quit", Action::Quit),
    action_row(File, "editor", Action::Editor),
    action_row(Read, "think", Action::Reasoning),
    action_row(Read, "versions", Action::Versions),
    action_row(Read, "links", Action::Links),
    action_row(Read, "compare", Action::Compare),
];

/// Spellings of actions besides their names.
const ALIASES: &[(&str, Action)] = &[
    ("/ambient", Action::Poster),
    ("/q", Action::Quit),
    ("/commands", Action::Palette),
    ("/profile", Action::Dependencies),
];

impl ListedAction {
    /// Returns the row with a name.
    pub fn by_name(name: &str) -> Option<&'static ListedAction> {
        LISTED.iter().find(|listed| listed.name == name)
    }

    /// Returns the line that runs it.
    pub fn line(&self) -> String {
        format!("/{}", self.name)
    }

    /// Returns the row of its command; `None` if it is an action of the screen.
    pub fn command(&self) -> Option<&'static CommandRow> {
        match self.does {
            ListedAs::Command(name) => COMMANDS.iter().find(|row| row.name == name),
            ListedAs::Action(_) => None,
        }
    }

    /// Returns the row of its action; `None` if it is a command.
    pub fn action(&self) -> Option<&'static KeyRow> {
        match self.does {
            ListedAs::Action(action) => row(action),
            ListedAs::Command(_) => None,
        }
    }

    /// Describes the effect, with a capital first letter and without a stop.
    pub fn meaning(&self) -> String {
        let command = || self.command().map_or("", |row| row.meaning);
        capital(self.action().map_or_else(command, |row| row.title).trim_end_matches('.'))
    }
}

/// Returns a text with a capital first letter.
pub fn capital(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Returns the line that runs an action: its name in the list, or the name of its row.
pub fn line_of(action: Action) -> String {
    let same = |listed: &&ListedAction| listed.action().is_some_and(|row| row.action == action);
    let listed = LISTED.iter().find(same).map(ListedAction::line);
    listed.or_else(|| row(action).map(KeyRow::command)).unwrap_or_default()
}

/// Returns the action named by the first word of a line, and the rest of the line.
pub fn parse_action(line: &str) -> Option<(&'static KeyRow, &str)> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name).and_then(|(_, does)| row(*does));
    let listed = || ListedAction::by_name(name.strip_prefix('/')?)?.action();
    let own = || ROWS.iter().find(|row| row.listed && row.command() == name);
    Some((alias.or_else(listed).or_else(own)?, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_an_effect_and_a_name_of_its_own() {
        for (at, listed) in LISTED.iter().enumerate() {
            assert_eq!(
                ListedAction::by_name(listed.name).map(|row| row.section),
                Some(listed.section)
            );
            assert!(listed.action().is_some() != listed.command().is_some(), "{}", listed.name);
            assert!(LISTED[..at].iter().all(|other| other.name != listed.name), "{}", listed.name);
        }
        assert!(LISTED.is_sorted_by_key(|listed| listed.section));
    }
}
