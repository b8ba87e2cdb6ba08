//! The last row: where the keyboard is, what became of the last wish, and the keys that matter now.

use super::Bar;
use crate::ui::Screen;
use crate::ui::action::Action;
use crate::ui::floor::Standing;
use crate::ui::keymap::{Place, key_of, row};
use crate::ui::theme::Role;
use crate::ui::wrap::width;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Draws the row; a notice stands in place of the hints until the next key.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let (theme, place) = (&screen.theme, screen.view.place);
    let mut bar = Bar::new();
    let badge = match place {
        Place::Table => ("TABLE", Role::BadgeTable),
    };
    bar.left(format!(" {} ", badge.0), theme.style(badge.1)).left("  ", Style::new());
    let last = [Action::Quit];
    for action in last.iter().rev() {
        hint(&mut bar.right, screen, *action, place, true);
    }
    match &screen.view.notice {
        Some(notice) => _ = bar.left(notice.clone(), theme.style(Role::Notice)),
        None => {
            for action in hints(screen) {
                let mut more = bar.left.clone();
                hint(&mut more, screen, action, place, false);
                let used: usize = more.iter().chain(&bar.right).map(|s| width(&s.content)).sum();
                if used > usize::from(area.width) {
                    break;
                }
                bar.left = more;
            }
        }
    }
    bar.draw(frame, area, " ", Style::new(), screen.glyphs.ellipsis);
}

/// The keys that matter now, the most needed first.
fn hints(screen: &Screen) -> Vec<Action> {
    use Action::{Follow, MoreRound, PageUp, PauseNow, Skip, Step, TogglePause, Top};
    match Standing::of(screen.story.state()) {
        Standing::Running | Standing::Stepping => vec![TogglePause, Skip, PauseNow, PageUp, Follow],
        Standing::Pausing => vec![TogglePause, PauseNow, Skip, PageUp, Follow],
        Standing::Paused => vec![TogglePause, Step, Skip, PageUp, Follow],
        Standing::Waiting => vec![TogglePause, PageUp, Follow],
        Standing::Stopped => vec![MoreRound, PageUp, Top, Follow],
        Standing::Done | Standing::Error => vec![PageUp, Top, Follow],
    }
}

fn hint(
    to: &mut Vec<ratatui::text::Span<'static>>,
    screen: &Screen,
    action: Action,
    place: Place,
    front: bool,
) {
    let (Some(key), Some(row)) = (key_of(action, place), row(action)) else { return };
    let goes_on =
        matches!(Standing::of(screen.story.state()), Standing::Paused | Standing::Pausing);
    let word = match action {
        Action::TogglePause if goes_on => "go on",
        _ => row.hint,
    };
    let key = ratatui::text::Span::styled(key, screen.theme.style(Role::HintKey));
    let word =
        ratatui::text::Span::styled(format!(" {word}  "), screen.theme.style(Role::HintText));
    match front {
        true => _ = to.splice(0..0, [key, word]),
        false => to.extend([key, word]),
    }
}
