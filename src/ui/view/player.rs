//! The player of a recording on the screen.
//!
//! Playing, pausing and seeking are the transport's; whatever they show comes back through the tail like anything else.

use crate::model::Wall;
use crate::session::replay::{IDLE_LIMIT_MS, Speed, Spot, Transport};
use crate::ui::view::timeline::Timeline;

/// A recording on the screen.
pub struct Playback {
    /// The handle of the player.
    pub transport: Transport,
    /// The lanes and marks of the recording.
    pub timeline: Timeline,
    /// The date of the recording.
    pub recorded: Wall,
    /// How long a wait may be where waits are shortened, in milliseconds.
    pub idle_limit: u64,
}

impl Playback {
    /// Returns the player of a transport's recording.
    pub fn new(transport: Transport) -> Playback {
        let timeline = Timeline::of(transport.recording());
        Playback::along(transport, timeline)
    }

    /// Returns the player of a transport's recording, whose timeline was made already.
    pub fn along(transport: Transport, timeline: Timeline) -> Playback {
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
