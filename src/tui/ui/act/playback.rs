//! The keys of the player. Playing, pausing and seeking are done by the transport, and the resulting events arrive
//! through the tail like any others.

use crate::session::replay::{Speed, Step};
use crate::ui::action::Direction;
use crate::ui::screen::ViewState;
use crate::ui::view::player::Playback;

/// Number of positions: the two ends, and the tenths between them.
const TENTHS: usize = 11;

/// Starts or pauses playback.
pub fn toggle(view: &mut ViewState) {
    with(
        view,
        |p| if p.transport.status().playing { p.transport.pause() } else { p.transport.play() },
    );
}

/// Moves by one step, forward or back.
pub fn step(view: &mut ViewState, step: Step) {
    with(view, |p| p.transport.step(step));
}

/// Jumps to the next or previous mark.
pub fn mark(view: &mut ViewState, way: Direction) {
    let mut found = true;
    with(view, |p| {
        let spot = p.transport.status().spot;
        let mark = match way {
            Direction::Down => p.timeline.marks.iter().find(|m| m.spot > spot),
            Direction::Up => p.timeline.marks.iter().rev().find(|m| m.spot < spot),
        };
        found = mark.is_some();
        mark.into_iter().for_each(|mark| p.transport.seek(mark.spot));
    });
    if !found {
        view.notice = Some("no more marks".into());
    }
}

/// Jumps to a tenth of the recording, from 0 to 9.
pub fn tenth(view: &mut ViewState, tenth: u8) {
    with(view, |p| p.transport.seek_time(p.timeline.moment(usize::from(tenth), TENTHS)));
}

/// Jumps to the end of the recording.
pub fn finish(view: &mut ViewState) {
    with(view, |p| p.transport.seek_time(p.timeline.end));
}

/// Jumps to the time of one of `columns` columns.
pub fn scrub(view: &mut ViewState, column: usize, columns: usize) {
    with(view, |p| p.transport.seek_time(p.timeline.moment(column, columns)));
}

/// Changes the playback speed.
pub fn speed(view: &mut ViewState, change: fn(Speed) -> Speed) {
    with(view, |p| p.transport.set_speed(change(p.transport.status().speed)));
}

/// Toggles the shortening of idle time.
pub fn waits(view: &mut ViewState) {
    with(view, |p| {
        let cut = p.transport.status().idle_limit.is_some();
        p.transport.set_idle_limit((!cut).then_some(p.idle_limit));
    });
}

/// Changes the player, and makes the view follow it.
fn with(view: &mut ViewState, act: impl FnOnce(&Playback)) {
    if let Some(playback) = view.playback() {
        act(playback);
        view.viewport.follow();
    }
}
