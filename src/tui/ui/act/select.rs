//! Selects lines of a message's source: the cursor's line moves, the anchor stays, and the lines between them are
//! copied. Lines of the screen are never copied, because they wrap at its width.

use crate::ui::act::navigate::message_read;
use crate::ui::action::Action;
use crate::ui::request::Request;
use crate::ui::screen::Screen;
use crate::ui::view::page::{LineSelection, Page};

/// Opens the selection of lines of the current message.
pub fn open(screen: &mut Screen) {
    let Some(message) = message_read(screen) else { return };
    let all: Vec<String> = message.said.lines().map(str::to_owned).collect();
    let what = message.name;
    let title = format!("Select lines of {what}: j/k move, v set start, y copy");
    let lines = Some(LineSelection { what, all, from: 0, at: 0 });
    screen.view.over.page = Some(Page { title, lines, ..Page::default() });
}

/// Moves through the lines, or copies them; `None` if the action has another meaning.
pub fn handle(page: &mut Page, action: Action) -> Option<Option<Request>> {
    let lines = page.lines.as_mut()?;
    let last = lines.all.len().saturating_sub(1);
    match action {
        Action::LineUp => lines.at = lines.at.saturating_sub(1),
        Action::LineDown => lines.at = (lines.at + 1).min(last),
        Action::Top => lines.at = 0,
        Action::Follow => lines.at = last,
        Action::SelectLines => lines.from = lines.at,
        Action::Copy => {
            return Some(Some(Request::Copy(lines.chosen(), format!("lines of {}", lines.what))));
        }
        _ => return None,
    }
    Some(None)
}
