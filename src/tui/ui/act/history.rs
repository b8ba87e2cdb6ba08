//! Earlier inputs as a list; Enter puts one back into the composer.

use crate::text;
use crate::ui::view::list::{EntryAction, List, ListEntry};

/// Returns the sent messages, the latest first, as a list; Enter puts one into the composer.
pub fn list(sent: &[String]) -> Option<List> {
    let entries = sent.iter().rev().enumerate().map(|(i, words)| {
        ListEntry::new(format!("{}", i + 1), text::line(words), EntryAction::Begin(words.clone()))
    });
    let entries: Vec<ListEntry> = entries.collect();
    (!entries.is_empty()).then(|| List::with_entries("Input history".into(), entries))
}
