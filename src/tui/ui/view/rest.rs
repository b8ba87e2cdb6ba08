//! The ambient view by itself: a conversation that runs while nobody presses a key.

use crate::ui::screen::Screen;
use crate::ui::view::card::card;
use crate::ui::view::floor::Status;

/// Opens the ambient view after the wait. Closes it when a card asks for an answer, and at the end if it opened by
/// itself.
pub fn update(screen: &mut Screen) {
    let now = screen.clock.now();
    let since = *screen.view.rest.since.get_or_insert(now);
    let status = Status::from_state(screen.transcript.state());
    let runs = matches!(status, Status::Running | Status::Stepping | Status::Waiting)
        && screen.transcript.human_turn().is_none();
    let asks = card(screen).is_some();
    let view = &mut screen.view;
    if view.ambient {
        view.ambient = !asks && (runs || !view.rest.opened);
        return;
    }
    let waited = view.rest.after.is_some_and(|after| after > 0 && now.since(since) >= after);
    let reads = view.page.is_some() || view.list.is_some() || view.analysis.is_some();
    let is_free = !reads && view.composer.is_empty() && view.viewport.following();
    view.rest.opened = waited && runs && !asks && is_free;
    view.ambient = view.rest.opened;
}
