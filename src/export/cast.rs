//! The screen as an asciinema recording (asciicast, version 2).
//!
//! The frames come in as data: only a screen can draw. Each utterance gets a marker to jump to.

use super::Document;
use crate::analysis::name;
use crate::model::{Kind, Ms};
use serde_json::json;

/// Seconds to which a player shortens longer waits.
const IDLE_SECONDS: u32 = 3;

/// The sequence that clears a terminal.
const CLEAR: &str = "\u{1b}[2J";

/// The screen's output at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// When, on the session's clock.
    pub at: Ms,
    /// The bytes for a terminal of the recording's size.
    pub drawn: String,
}

/// Returns the recording; `size` is in columns and rows.
pub fn spell(document: &Document, size: (u16, u16), frames: &[Frame]) -> String {
    let first = document.records.first();
    let begin = frames.first().map_or(Ms(0), |f| f.at);
    let mut header = json!({"version": 2, "width": size.0, "height": size.1});
    header["timestamp"] = first.map(|r| r.event.at.0 / 1000).into();
    header["duration"] = frames.last().map_or(0.0, |f| seconds(f.at, begin)).into();
    header["idle_time_limit"] = IDLE_SECONDS.into();
    header["title"] = document.title().into();
    header["env"] = json!({"TERM": "xterm-256color"});
    let mut lines: Vec<(Ms, String)> = frames
        .iter()
        .enumerate()
        .map(|(n, f)| {
            // earlier content of the player's terminal is not part of it
            let drawn = if n == 0 { format!("{CLEAR}{}", f.drawn) } else { f.drawn.clone() };
            (f.at, json!([seconds(f.at, begin), "o", drawn]).to_string())
        })
        .collect();
    for record in &document.records {
        if let Kind::FloorGranted(granted) = &record.event.kind
            && let Some(number) = granted.number
        {
            let mark = format!("{number} {}", name(&document.state, &granted.participant));
            let at = record.event.ms;
            lines.push((at, json!([seconds(at, begin), "m", mark]).to_string()));
        }
    }
    // marks stand among the frames in order of time, which a player relies on
    lines.sort_by_key(|(at, _)| *at);
    let lines = lines.into_iter().map(|(_, line)| line);
    [header.to_string()].into_iter().chain(lines).map(|line| line + "\n").collect()
}

fn seconds(at: Ms, begin: Ms) -> f64 {
    at.since(begin) as f64 / 1000.0
}
