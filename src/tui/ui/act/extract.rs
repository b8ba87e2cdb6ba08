//! The links and the code blocks of a message, as lists; Enter opens or copies one.

use crate::text;
use crate::ui::text::links;
use crate::ui::view::list::{EntryAction, List, ListEntry};

/// Parts of a message that can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extract {
    /// Addresses in the text, including the targets of named links.
    Links,
    /// Code blocks, without their fences.
    Code,
}

/// Returns the links or the code blocks of a message as a list; Enter opens or copies one.
pub fn list(said: &str, what: Extract) -> Option<List> {
    let (title, found) = match what {
        Extract::Links => ("Links", links::links(said)),
        Extract::Code => ("Code blocks", links::code(said)),
    };
    let entries: Vec<ListEntry> = found
        .into_iter()
        .enumerate()
        .map(|(i, words)| {
            let first = words.lines().next().unwrap_or_default();
            let title = text::line(first).into_owned();
            let does = match what {
                Extract::Links => EntryAction::Link(words),
                Extract::Code => EntryAction::Copy(
                    text::block(&words).into_owned(),
                    format!("code block {}", i + 1),
                ),
            };
            ListEntry::new(format!("{}", i + 1), title, does)
        })
        .collect();
    (!entries.is_empty()).then(|| List::with_entries(title.into(), entries))
}
