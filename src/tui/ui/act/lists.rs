//! Lists of the composer and the transcript: sent messages, queued messages, links and code blocks of a message.

use crate::model::Command;
use crate::steer::line;
use crate::text;
use crate::ui::text::links;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::transcript::Transcript;

/// Parts of a message that can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extract {
    /// Addresses in the text, including the targets of named links.
    Links,
    /// Code blocks, without their fences.
    Code,
}

/// Returns a list of numbered entries; `None` without any.
fn numbered(title: &str, entries: impl Iterator<Item = (String, EntryAction)>) -> Option<List> {
    let entry = |(n, (shown, does)): (usize, (String, EntryAction))| {
        ListEntry::new(n.to_string(), shown, does)
    };
    let entries: Vec<ListEntry> = (1..).zip(entries).map(entry).collect();
    (!entries.is_empty()).then(|| List::with_entries(title.into(), entries))
}

/// Returns the links or the code blocks of a message; Enter opens or copies one.
pub fn extracts(said: &str, what: Extract) -> Option<List> {
    let first = |words: &str| text::line(words.lines().next().unwrap_or_default()).into_owned();
    match what {
        Extract::Links => {
            let links = links::links(said).into_iter();
            numbered("Links", links.map(|link| (first(&link), EntryAction::Link(link))))
        }
        Extract::Code => {
            let blocks = links::code(said).into_iter().zip(1..).map(|(code, n)| {
                let copied = text::block(&code).into_owned();
                (first(&code), EntryAction::Copy(copied, format!("code block {n}")))
            });
            numbered("Code blocks", blocks)
        }
    }
}

/// Returns the sent messages, the latest first; Enter puts one into the composer.
pub fn sent(sent: &[String]) -> Option<List> {
    let entries = sent.iter().rev();
    let entries =
        entries.map(|words| (text::line(words).into_owned(), EntryAction::Begin(words.clone())));
    numbered("Input history", entries)
}

/// Returns the queued messages, the last first; Enter drops one.
pub fn queued(transcript: &Transcript) -> Option<List> {
    let waiting: Vec<_> = transcript.queued().collect();
    let mut entries = Vec::new();
    for (i, message) in waiting.iter().enumerate().rev() {
        let of = message.given.key.0.clone();
        entries.push(ListEntry::new(
            format!("drop {}", i + 1),
            text::line(&line::spelled(message)).into_owned(),
            EntryAction::Send(Command::DropQueued { of }),
        ));
    }
    (!entries.is_empty()).then(|| List::with_entries("Queued messages".into(), entries))
}
