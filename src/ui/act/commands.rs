//! `/commands` of the screen itself: everything in the list of commands that is no command, by the name of its action.
//!
//! A command of the same name goes first. Some take a word more: what is looked for, whose words, which theme.

use crate::export::FORMATS;
use crate::ui::Screen;
use crate::ui::act::update::{Request, act};
use crate::ui::act::{appearance, branches, navigate};
use crate::ui::action::Action;
use crate::ui::keymap::{KeyRow, ROWS};
use crate::ui::slash;
use crate::ui::view::list::runs;
use crate::ui::view::search::Search;

/// Other names that people type.
const ALIASES: &[(&str, Action)] = &[
    ("/find", Action::Search),
    ("/analysis", Action::Analysis),
    ("/queue", Action::EditQueued),
    ("/q", Action::Quit),
    ("/commands", Action::Palette),
];

/// Returns the names of the formats in which a session can be written.
pub fn formats() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|f| f.name)
}

/// Returns the `/command` of an action.
pub fn spelled(row: &KeyRow) -> String {
    format!("/{}", row.name().replace('_', "-"))
}

/// Returns the action that a line names with its first word, and the rest of the line.
pub fn named(line: &str) -> Option<(&'static KeyRow, &str)> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, action)| *action);
    let fits =
        |row: &&KeyRow| runs(row.action) && (alias == Some(row.action) || spelled(row) == name);
    ROWS.iter().find(fits).map(|row| (row, rest.trim()))
}

/// Does what a line says, if it names an action; what it does to the conversation comes back.
pub fn run(screen: &mut Screen, line: &str) -> Option<Option<Request>> {
    let (row, rest) = named(line)?;
    Some(match (row.action, rest) {
        (action, "") => act(screen, action),
        (Action::Search, words) => {
            screen.view.search = Some(Search { query: words.into(), ..Search::default() });
            navigate::search_again(screen);
            None
        }
        (Action::Filter, name) => {
            let name = name.strip_prefix("from:").unwrap_or(name);
            match slash::seat(name, screen.transcript.state()) {
                Ok(seat) => navigate::only(screen, Some(screen.transcript.seat_place(&seat))),
                Err(why) => screen.view.notice = Some(why),
            }
            None
        }
        (Action::Theme, name) => {
            appearance::set_theme(screen, name);
            None
        }
        (Action::Fork, rest) => branches::fork(screen, rest),
        (Action::Versions, number) => {
            navigate::alternatives_of(screen, number);
            None
        }
        (Action::Compare, name) => Some(Request::Beside(name.to_owned())),
        (Action::Export, name) => match formats().find(|f| *f == name) {
            Some(format) => Some(Request::Export(format)),
            None => act(screen, Action::Export),
        },
        (_, rest) => {
            screen.view.notice = Some(format!("{} takes nothing, and not `{rest}`", spelled(row)));
            None
        }
    })
}
