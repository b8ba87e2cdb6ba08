//! The ambient view by itself: a conversation that runs while nobody presses a key.

use crate::ui::screen::Screen;
use crate::ui::view::card::card;
use crate::ui::view::floor::Status;

/// Opens the ambient view after the wait, and closes it when a card asks for an answer.
pub fn update(screen: &mut Screen) {
    let now = screen.clock.now();
    let since = *screen.view.rest.since.get_or_insert(now);
    if screen.view.ambient {
        screen.view.ambient = card(screen).is_none();
        return;
    }
    let view = &screen.view;
    let Some(after) = view.rest.after.filter(|after| now.since(since) >= *after) else { return };
    let status = Status::from_state(screen.transcript.state());
    let runs = matches!(status, Status::Running | Status::Stepping | Status::Waiting)
        && screen.transcript.human_turn().is_none();
    let reads = view.page.is_some() || view.list.is_some() || view.analysis.is_some();
    let writes = !view.composer.is_empty();
    if runs && !reads && !writes && view.viewport.following() && card(screen).is_none() {
        screen.view.ambient = after > 0;
    }
}
