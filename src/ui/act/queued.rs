//! The queued messages as a list; Enter edits or drops one.

use crate::model::Command;
use crate::text;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::transcript::Transcript;

/// Returns the actions for the queued messages; `None` without any.
pub fn list(transcript: &Transcript) -> Option<List> {
    let waiting: Vec<_> = transcript.queued().collect();
    let mut entries = Vec::new();
    for (i, (key, words)) in waiting.iter().enumerate().rev() {
        let call = |command: &str| format!("{command} {}", i + 1);
        let shown = text::line(words).into_owned();
        let of = key.0.clone();
        entries.push(ListEntry::new(
            call("edit"),
            shown.clone(),
            EntryAction::Edit((*key).clone(), words.to_string()),
        ));
        entries.push(ListEntry::new(
            call("drop"),
            shown,
            EntryAction::Send(Command::DropQueued { of }),
        ));
    }
    (!entries.is_empty()).then(|| List::with_entries("Queued messages".into(), entries))
}
