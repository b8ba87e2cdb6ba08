//! `/commands` of the screen itself: every action in the list of commands that is not a conversation command, by its
//! name.
//!
//! A conversation command of the same name takes precedence. Some take an argument: a search, a participant, a theme.

use crate::steer::slash;
use crate::ui::act::{appearance, branches, navigate};
use crate::ui::action::Action;
use crate::ui::keymap::parse_action;
use crate::ui::request::{FollowUp, Request};
use crate::ui::screen::Screen;
use crate::ui::view::list::formats;
use crate::ui::view::search::Search;

/// Runs the action that a line names; returns its effect on the conversation. `None` if it names none.
pub fn run(screen: &mut Screen, line: &str) -> Option<Option<FollowUp>> {
    let (row, rest) = parse_action(line)?;
    Some(match (row.action, rest) {
        (action, "") => Some(FollowUp::Act(action)),
        (Action::Search, words) => {
            screen.view.over.search = Some(Search { query: words.into(), ..Search::default() });
            navigate::search_again(screen);
            None
        }
        (Action::Filter, name) => {
            let name = name.strip_prefix("from:").unwrap_or(name);
            match slash::seat(name, screen.transcript.state()) {
                Ok(seat) => navigate::only(screen, Some(screen.transcript.seat_place(&seat))),
                Err(why) => screen.view.notice = Some(why.into()),
            }
            None
        }
        (Action::Theme, name) => {
            appearance::set_theme(screen, name);
            None
        }
        (Action::Fork, rest) => branches::fork(screen, rest).map(FollowUp::Ask),
        (Action::Versions, number) => {
            navigate::alternatives_of(screen, number);
            None
        }
        (Action::Compare, name) => Some(Request::Beside(name.to_owned()).into()),
        (Action::Export | Action::Picture, name) => match formats().find(|f| *f == name) {
            Some(format) => Some(Request::Export(format).into()),
            None => Some(FollowUp::Act(Action::Export)),
        },
        (_, rest) => {
            screen.view.notice =
                Some(format!("{} takes no arguments (got `{rest}`)", row.command()));
            None
        }
    })
}
