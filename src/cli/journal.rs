//! What `-v` says and a log file keeps besides: each call, whom it asked, what became of it and what it used.

use crate::export::spent;
use crate::model::{Event, Kind, Outcome, Wall};
use crate::state::Spent;
use crate::text;
use jiff::Timestamp;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// A file that keeps what was said, a line each with its time.
pub struct Journal(File);

impl Journal {
    /// Opens a file to go on with, for its owner alone where it is new.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> io::Result<Journal> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).map(Journal)
    }

    /// Keeps a line.
    pub fn keep(&self, at: Wall, line: &str) {
        let at = Timestamp::from_millisecond(at.0).unwrap_or_default();
        // a log that cannot be written must not stop a talk that can
        let _ = writeln!(&self.0, "{at:.3} {}", text::line(line));
    }
}

/// Returns what an event says of a call, if it does.
pub fn told(event: &Event) -> Option<String> {
    if let Kind::CallStarted(c) = &event.kind {
        let prompt = c.parameters["prompt_tokens"].as_u64();
        let prompt = prompt.map(|n| format!(", ~{n} tokens of prompt")).unwrap_or_default();
        return Some(format!("call {} of turn {}: {}{prompt}", event.seq, c.turn, c.model));
    }
    if let Kind::CallRetried(r) = &event.kind {
        let (call, turn, why) = (r.call, r.turn, &r.error.text);
        return Some(format!(
            "call {call} of turn {turn} failed, again in {} ms: {why}",
            r.wait_ms
        ));
    }
    let Kind::TurnEnded(end) = &event.kind else { return None };
    let outcome = match end.outcome {
        Outcome::Said => "said",
        Outcome::Cut => "cut",
        Outcome::Failed => "failed",
        Outcome::Passed => "passed",
    };
    let mut used = Spent::default();
    if let Some(usage) = &end.usage {
        used.add(usage, end.cost);
    }
    let used = spent(&used).map(|used| format!(", {used}")).unwrap_or_default();
    let why = end.error.as_ref().map(|error| format!(": {}", error.text)).unwrap_or_default();
    Some(format!("turn {} of {}: {outcome} in {} ms{used}{why}", end.turn, event.by, end.took_ms))
}
