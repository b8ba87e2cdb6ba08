//! Lines that begin with `/` and name an action of the screen.

use crate::ui::action::Action;
use crate::ui::keymap::{KeyRow, ROWS};

/// Aliases of actions.
const ALIASES: &[(&str, Action)] = &[
    ("/ambient", Action::Poster),
    ("/find", Action::Search),
    ("/analysis", Action::Analysis),
    ("/queue", Action::EditQueued),
    ("/q", Action::Quit),
    ("/commands", Action::Palette),
];

/// Returns the action named by the first word of a line, and the rest of the line.
pub fn parse_action(line: &str) -> Option<(&'static KeyRow, &str)> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, action)| *action);
    let fits = |row: &&KeyRow| row.listed && (alias == Some(row.action) || row.command() == name);
    ROWS.iter().find(fits).map(|row| (row, rest.trim()))
}
