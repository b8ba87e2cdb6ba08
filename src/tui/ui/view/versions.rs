//! Versions of a message: all its texts, the current one, and the readers of each.

use crate::model::{Command, MessageNumber};
use crate::state::{Entry, Version};
use crate::text;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::page::{Page, Section};
use crate::ui::view::transcript::Transcript;

/// A text of a message and its origin.
struct VersionText<'a> {
    head: String,
    text: &'a str,
    /// Number of the version, from 1; `None` for an edit.
    alternative: Option<u32>,
    counts: bool,
}

/// Returns every text of a message: the edit first, then the versions.
fn texts(entry: &Entry) -> Vec<VersionText<'_>> {
    let edited = entry.edited.as_ref().map(|(_, text)| VersionText {
        head: "your edit".into(),
        text,
        alternative: None,
        counts: true,
    });
    let several = entry.versions.len() > 1;
    let said = entry.versions.iter().enumerate().map(|(n, Version { text, .. })| VersionText {
        head: if several { format!("version {}", n + 1) } else { "original".into() },
        text,
        alternative: u32::try_from(n + 1).ok(),
        counts: n == entry.chosen && entry.edited.is_none(),
    });
    edited.into_iter().chain(said).collect()
}

/// Returns the page of a message.
pub fn page(transcript: &Transcript, entry: &Entry, title: &str) -> Page {
    let texts = texts(entry);
    let alone = texts.len() == 1;
    let part = |version: &VersionText<'_>| Section {
        head: match (alone, version.counts) {
            (true, _) => String::new(),
            (false, true) => format!("{} (current)", version.head),
            (false, false) => version.head.clone(),
        },
        body: text::block(version.text).into_owned(),
        markdown: true,
        ..Section::default()
    };
    let mut facts = Vec::new();
    if entry.hidden.is_some() {
        facts.push(("hidden", "left out of later prompts and exports".into()));
    }
    if let (false, Some(number)) = (alone, entry.number) {
        facts.push(("choose", format!("/choose {number} N")));
    }
    if entry.changed.is_some() {
        facts.push(("seen by", read_by(transcript, entry, Read::AsNow)));
        facts.push(("seen before by", read_by(transcript, entry, Read::Before)));
    }
    let parts = texts.iter().map(part).collect();
    Page { title: title.to_owned(), facts, parts, ..Page::default() }
}

/// Returns the list of a turn's versions, where Enter selects one, and of further actions on the turn. `None` for
/// messages without a number.
pub fn list(transcript: &Transcript, entry: &Entry, name: &str) -> Option<List> {
    let utterance = entry.number?;
    let listed = |call: &str, title: String, action| ListEntry::new(call, title, action);
    let mut entries: Vec<ListEntry> = Vec::new();
    for version in texts(entry) {
        let words = text::line(version.text).into_owned();
        let (call, does) = match version.alternative {
            Some(alternative) => {
                (version.head, EntryAction::Send(Command::Choose { utterance, alternative }))
            }
            None => {
                (version.head, EntryAction::Begin(format!("/edit {utterance} {}", version.text)))
            }
        };
        let title = if version.counts { format!("current: {words}") } else { words };
        entries.push(listed(&call, title, does));
    }
    if entry.changed.is_some() {
        for (call, read) in [("seen by", Read::AsNow), ("seen before by", Read::Before)] {
            let by = read_by(transcript, entry, read);
            entries.push(listed(
                call,
                by.clone(),
                EntryAction::Copy(by, format!("{call} of {name}")),
            ));
        }
    }
    let last = transcript.state().last.as_ref().and_then(|l| l.number) == Some(utterance);
    let reroll = EntryAction::Send(Command::Reroll { utterance: Some(utterance) });
    let title = if last {
        "generate another version"
    } else {
        "generate another version here; what follows stays and answers the earlier text"
    };
    entries.push(listed("reroll", title.into(), reroll));
    if !last {
        let fork = EntryAction::Begin(format!("/fork {}", utterance.saturating_sub(1)));
        entries.push(listed("branch", "retry in a new branch".into(), fork));
    }
    if entry.version().cut.is_some() || entry.version().capped {
        let on = EntryAction::Send(Command::Continue { utterance: Some(utterance) });
        entries.push(listed("continue", "go on where it was cut, as one message".into(), on));
    }
    let edit = EntryAction::Begin(format!("/edit {utterance} {}", entry.text()));
    entries.push(listed("edit", "edit what later prompts contain".into(), edit));
    if entry.hidden.is_none() {
        let hide = EntryAction::Send(Command::Hide {
            utterance: MessageNumber::Turn(utterance),
            text: None,
        });
        entries.push(listed("hide", "hide from later prompts and exports".into(), hide));
    }
    Some(List::with_entries(format!("Versions of {name}"), entries))
}

/// Text of a message that was read: the current one, or an earlier one.
#[derive(Clone, Copy, PartialEq)]
enum Read {
    AsNow,
    Before,
}

/// Lists the later turns in whose prompts a message appeared, in its current or in its earlier text.
fn read_by(transcript: &Transcript, entry: &Entry, read: Read) -> String {
    let state = transcript.state();
    let later = state.entries.iter().filter(|e| e.seq > entry.seq);
    let readers = later.filter(|by| {
        let shown = state.shown_to(by).contains(&entry.seq);
        shown && by.reads_earlier(entry) == (read == Read::Before)
    });
    let numbers: Vec<String> = readers.filter_map(|e| Some(format!("#{}", e.number?))).collect();
    if numbers.is_empty() { "nobody".into() } else { numbers.join(", ") }
}
