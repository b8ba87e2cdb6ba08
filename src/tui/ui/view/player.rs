//! Playback of a recording on the screen.
//!
//! The transport plays, pauses and seeks; its events arrive through the tail, as in a live conversation.

use crate::model::Wall;
use crate::session::replay::{IDLE_LIMIT_MS, Speed, Spot, Transport};
use crate::ui::view::timeline::Timeline;

/// A recording that is played.
pub struct Playback {
    /// Handle of the player.
    pub transport: Transport,
    /// Lanes and marks of the recording.
    pub timeline: Timeline,
    /// Date of the recording.
    pub recorded: Wall,
    /// Maximum pause in milliseconds while pauses are shortened.
    pub idle_limit: u64,
    /// True if the person may continue the finished conversation.
    pub reopens: bool,
}

impl Playback {
    /// Creates the playback of a transport's recording.
    pub fn new(transport: Transport) -> Playback {
        let timeline = Timeline::new(transport.recording());
        Playback::along(transport, timeline)
    }

    /// Creates the playback of a transport's recording with an existing timeline.
    pub fn along(transport: Transport, timeline: Timeline) -> Playback {
        let recorded = transport.recording().records().first().map_or(Wall(0), |r| r.event.at);
        let idle_limit = transport.status().idle_limit.unwrap_or(IDLE_LIMIT_MS);
        Playback { transport, timeline, recorded, idle_limit, reopens: false }
    }

    /// Returns the status and the speed as text.
    pub fn word(&self) -> String {
        let standing = self.transport.status();
        let over = standing.spot >= Spot::after(self.transport.recording().records().len());
        match (standing.playing, over) {
            (true, _) => format!("PLAYING {}", standing.speed),
            (false, true) => "END".into(),
            (false, false) if standing.speed == Speed::RECORDED => "PAUSED".into(),
            (false, false) => format!("PAUSED {}", standing.speed),
        }
    }
}
