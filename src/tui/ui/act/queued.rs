//! The queued messages as a list; Enter drops one.

use crate::model::Command;
use crate::steer::line;
use crate::text;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::transcript::Transcript;

/// Returns the actions for the queued messages; `None` without any.
pub fn list(transcript: &Transcript) -> Option<List> {
    let waiting: Vec<_> = transcript.queued().collect();
    let mut entries = Vec::new();
    for (i, message) in waiting.iter().enumerate().rev() {
        let words = line::spelled(message);
        let shown = text::line(&words).into_owned();
        let of = message.given.key.0.clone();
        entries.push(ListEntry::new(
            format!("drop {}", i + 1),
            shown,
            EntryAction::Send(Command::DropQueued { of }),
        ));
    }
    (!entries.is_empty()).then(|| List::with_entries("Queued messages".into(), entries))
}
