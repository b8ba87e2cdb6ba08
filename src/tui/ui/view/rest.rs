//! The poster by itself: at the end of a conversation, and while one runs and nobody presses a key.

use crate::text::word_count;
use crate::ui::screen::Screen;
use crate::ui::view::card::card;
use crate::ui::view::floor::Status;

/// Opens the poster after the wait, and at the end once the last turn can have been read. Closes it when a card asks for
/// an answer.
pub fn update(screen: &mut Screen) {
    let now = screen.clock.now();
    let since = *screen.view.rest.since.get_or_insert(now);
    let status = Status::from_state(screen.transcript.state());
    let runs = matches!(status, Status::Running | Status::Stepping | Status::Waiting)
        && screen.transcript.human_turn().is_none();
    let asks = card(screen).is_some();
    let over = screen.transcript.state().ended.is_some() || status == Status::Reached;
    if over {
        return at_end(screen, asks);
    }
    screen.view.rest.ended_at = None;
    screen.view.rest.is_reopened &= !runs || screen.view.is_recording();
    let view = &mut screen.view;
    if view.over.poster {
        view.over.poster = !asks && (runs || !view.rest.opened);
        return;
    }
    let waited = view.rest.after.is_some_and(|after| after > 0 && now.since(since) >= after);
    let is_free = !view.over.hides() && view.composer.is_empty() && view.viewport.following();
    view.rest.opened = waited && runs && !asks && is_free;
    view.over.poster = view.rest.opened;
}

/// Words that are read in a minute.
const WORDS_A_MINUTE: u64 = 250;

/// Returns the milliseconds until the last turn of an ended conversation can have been read; `None` if the poster does not
/// wait for it.
pub fn wake(screen: &Screen) -> Option<u64> {
    let state = screen.transcript.state();
    let over = state.ended.is_some() || Status::from_state(state) == Status::Reached;
    let shown = screen.view.rest.ended_at == Some(state.utterances);
    if !over || shown || !screen.transcript.has_outcome_to_draw() {
        return None;
    }
    let last = screen.transcript.turn_log.turns.iter().rev().find(|turn| turn.number > 0)?;
    let words = state.utterance(last.number).map_or(0, |entry| word_count(entry.text()));
    let read = last.ended.0.saturating_add(u64::from(words) * 60_000 / WORDS_A_MINUTE);
    let now = screen.clock.now().0;
    // the clock of a recording stops at its end
    let is_replayed = screen.view.playback().is_some_and(|playback| {
        let status = playback.transport.status();
        status.now >= status.end
    });
    let is_read = screen.view.rest.is_reopened || is_replayed;
    Some(if is_read { 0 } else { read.saturating_sub(now) })
}

/// Returns whether the poster opens by itself if nothing happens.
pub fn follows(screen: &Screen) -> bool {
    wake(screen).is_some() && screen.view.viewport.following() && card(screen).is_none()
}

/// Opens the poster at the end, once.
fn at_end(screen: &mut Screen, asks: bool) {
    let turns = screen.transcript.state().utterances;
    if asks {
        screen.view.over.poster = false;
        return;
    }
    if wake(screen) != Some(0) {
        return;
    }
    let view = &mut screen.view;
    let is_free =
        view.composer.is_empty() && view.viewport.following() && view.over.search.is_none();
    // a person who reads on, or writes, does not want it
    view.over.poster |= is_free && !view.over.hides();
    view.rest.ended_at = Some(turns);
}
