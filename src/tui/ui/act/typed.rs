//! After a key of READ: the line that does the same in the input box, and where the keys can be kept.

use crate::model::Command;
use crate::ui::keymap::Focus;
use crate::ui::request::Request;
use crate::ui::screen::Screen;
use crossterm::event::KeyCode;

/// Number of letter keys in READ after which the setting that keeps READ is named.
const LETTERS: u32 = 10;

/// Counts the letter keys in READ, and names once the setting that starts there.
pub(in crate::ui) fn count(screen: &mut Screen, place: Focus, code: KeyCode) {
    let view = &mut screen.view;
    let is_letter = matches!(code, KeyCode::Char(c) if c.is_alphabetic());
    if place != Focus::Read || !is_letter || !view.line {
        return;
    }
    view.letters = view.letters.saturating_add(1);
    if view.letters == LETTERS {
        view.notice =
            Some("esc brings these keys; start = \"read\" in the settings keeps them".into());
    }
}

/// Shows the line that requests the same as a key.
pub(in crate::ui) fn show(screen: &mut Screen, place: Focus, key: &str, asked: Option<&Request>) {
    let is_key = matches!(place, Focus::Read | Focus::Prefix) && screen.view.line;
    screen.view.typed = match asked {
        Some(Request::Send(command)) if is_key => {
            line(command).map(|line| format!("{key} = {line}"))
        }
        _ => None,
    };
}

/// Returns the line of a command that a key sends.
fn line(command: &Command) -> Option<String> {
    match command {
        Command::Mute { who } => Some(format!("/mute {who}")),
        Command::Unmute { who } => Some(format!("/unmute {who}")),
        Command::Floor { to } => Some(format!("/floor {to}")),
        Command::Pause {} => Some("/pause".into()),
        Command::PauseNow {} => Some("/pause-now".into()),
        Command::Resume {} => Some("/resume".into()),
        Command::Step { .. } => Some("/step".into()),
        Command::Skip {} => Some("/skip".into()),
        Command::Retry { .. } => Some("/retry".into()),
        Command::Mark { .. } => Some("/mark".into()),
        _ => None,
    }
}
