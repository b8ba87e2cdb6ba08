//! A recording on the screen: what the keys of its player do.
//!
//! Playing, pausing and seeking are the transport's; whatever they show comes back through the tail like anything else.

use crate::model::Wall;
use crate::session::replay::{IDLE_LIMIT_MS, Speed, Spot, Transport};
use crate::ui::view::timeline::Timeline;

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
