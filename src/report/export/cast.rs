//! The screen as an asciinema recording (asciicast, version 2).
//!
//! The caller supplies the frames, because only a screen can draw them. Each utterance gets a marker to jump to.

use super::Document;
use crate::analysis::name;
use crate::model::{Kind, Ms};
use serde_json::json;
use std::io::{self, Write};

/// Maximum wait during playback, in seconds; the player shortens longer waits.
const IDLE_SECONDS: u32 = 3;

/// Output of the screen at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastFrame {
    /// Time of the frame on the session's clock.
    pub at: Ms,
    /// Output for a terminal of the recording's size.
    pub drawn: String,
}

/// Writes the recording as its frames arrive, for a terminal of `columns` by `rows`.
///
/// # Errors
/// If the recording cannot be written, or a frame cannot be drawn.
pub fn spell(
    document: &Document,
    columns: u16,
    rows: u16,
    frames: &mut dyn Iterator<Item = io::Result<CastFrame>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut failed = Ok(());
    let mut frames = frames.map_while(|frame| frame.map_err(|e| failed = Err(e)).ok()).peekable();
    let begin = frames.peek().map_or(Ms(0), |f| f.at);
    let mut header = json!({"version": 2, "width": columns, "height": rows});
    header["timestamp"] = document.survey.began.map(|at| at.0 / 1000).into();
    header["duration"] = seconds(document.state.ms, begin).into();
    header["idle_time_limit"] = IDLE_SECONDS.into();
    header["title"] = document.title().into();
    header["env"] = json!({"TERM": "xterm-256color"});
    writeln!(out, "{header}")?;
    let frame = |f: &CastFrame| format!("{}\n", json!([seconds(f.at, begin), "o", f.drawn]));
    document.write_each(out, |record| {
        let Kind::FloorGranted(granted) = &record.event.kind else { return String::new() };
        let Some(number) = granted.number else { return String::new() };
        let at = record.event.ms;
        let mut lines = String::new();
        // players need markers and frames in order of time
        while let Some(drawn) = frames.next_if(|f| f.at <= at) {
            lines.push_str(&frame(&drawn));
        }
        let mark = format!("{number} {}", name(&document.state, &granted.participant));
        lines + &format!("{}\n", json!([seconds(at, begin), "m", mark]))
    })?;
    frames.try_for_each(|drawn| out.write_all(frame(&drawn).as_bytes()))?;
    failed
}

fn seconds(at: Ms, begin: Ms) -> f64 {
    at.since(begin) as f64 / 1000.0
}
