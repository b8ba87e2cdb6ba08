//! A recording on the screen: what the keys of its player do.
//!
//! Playing, pausing and seeking are the transport's; whatever they show comes back through the tail like anything else.

use crate::model::Wall;
use crate::session::replay::{IDLE_LIMIT_MS, Speed, Spot, Step, Transport};
use crate::ui::act::navigate::Way;
use crate::ui::act::update::ViewState;
use crate::ui::view::timeline::Timeline;

/// Both ends and the tenths between them.
const TENTHS: usize = 11;

/// A recording that is played.
pub struct Playback {
    /// The player.
    pub transport: Transport,
    /// Who spoke when.
    pub timeline: Timeline,
    /// When it was recorded.
    pub recorded: Wall,
    /// How long a wait may be where waits are shortened, in milliseconds.
    pub idle_limit: u64,
}

impl Playback {
    /// Returns what plays a transport's recording on a screen.
    pub fn new(transport: Transport) -> Playback {
        let timeline = Timeline::of(transport.recording());
        let recorded = transport.recording().records().first().map_or(Wall(0), |r| r.event.at);
        let idle_limit = transport.standing().idle_limit.unwrap_or(IDLE_LIMIT_MS);
        Playback { transport, timeline, recorded, idle_limit }
    }

    /// Returns how it plays, in words.
    pub fn word(&self) -> String {
        let standing = self.transport.standing();
        let over = standing.spot >= Spot::after(self.transport.recording().records().len());
        match (standing.playing, over) {
            (true, _) => format!("PLAYING {}", standing.speed),
            (false, true) => "END".into(),
            (false, false) if standing.speed == Speed::RECORDED => "PAUSED".into(),
            (false, false) => format!("PAUSED {}", standing.speed),
        }
    }
}

/// Plays, or stands still.
pub fn toggle(view: &mut ViewState) {
    with(view, |p| match p.transport.standing().playing {
        true => p.transport.pause(),
        false => p.transport.play(),
    });
}

/// Goes a step.
pub fn step(view: &mut ViewState, step: Step) {
    with(view, |p| p.transport.step(step));
}

/// Goes to the next mark, or the one before.
pub fn mark(view: &mut ViewState, way: Way) {
    let mut found = true;
    with(view, |p| {
        let spot = p.transport.standing().spot;
        let mark = match way {
            Way::Down => p.timeline.next_mark(spot),
            Way::Up => p.timeline.previous_mark(spot),
        };
        found = mark.is_some();
        mark.into_iter().for_each(|mark| p.transport.seek(mark.spot));
    });
    if !found {
        view.notice = Some("no mark that way".into());
    }
}

/// Goes so many tenths from the beginning.
pub fn tenth(view: &mut ViewState, tenth: u8) {
    with(view, |p| p.transport.seek_time(p.timeline.moment(usize::from(tenth), TENTHS)));
}

/// Goes to the moment of a column out of so many.
pub fn scrub(view: &mut ViewState, column: usize, columns: usize) {
    with(view, |p| p.transport.seek_time(p.timeline.moment(column, columns)));
}

/// Plays faster, or slower.
pub fn speed(view: &mut ViewState, change: fn(Speed) -> Speed) {
    with(view, |p| p.transport.set_speed(change(p.transport.standing().speed)));
}

/// Shortens waits, or no longer.
pub fn waits(view: &mut ViewState) {
    with(view, |p| {
        let cut = p.transport.standing().idle_limit.is_some();
        p.transport.set_idle_limit((!cut).then_some(p.idle_limit));
    });
}

/// Does something with the player, and follows what it shows.
fn with(view: &mut ViewState, act: impl FnOnce(&Playback)) {
    if let Some(playback) = &view.playback {
        act(playback);
        view.viewport.follow();
    }
}
