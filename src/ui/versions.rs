//! One message alone: every text it ever had, which one counts, and who read which.

use super::page::{Page, Part};
use super::story::Story;
use crate::state::Entry;
use crate::text;

/// Returns the page of a message.
pub fn page(story: &Story, entry: &Entry, title: String) -> Page {
    let part = |head: String, body: &str| Part {
        head,
        body: text::block(body).into_owned(),
        markdown: true,
        ..Part::default()
    };
    let mut parts = Vec::new();
    if let Some((_, edited)) = &entry.edited {
        parts.push(part("as you edited it, and as it counts".into(), edited));
    }
    let several = entry.versions.len() > 1;
    for (n, version) in entry.versions.iter().enumerate() {
        let counts = n == entry.chosen && entry.edited.is_none();
        let head = match (several, counts) {
            (false, true) => String::new(),
            (false, false) => "as it was said".into(),
            (true, true) => format!("alternative {}, which counts", n + 1),
            (true, false) => format!("alternative {}", n + 1),
        };
        parts.push(part(head, &version.text));
    }
    let mut facts = Vec::new();
    if entry.hidden.is_some() {
        facts.push(("hidden", "left out of later prompts and exports".into()));
    }
    if let (true, Some(number)) = (several, entry.number) {
        facts.push(("choose", format!("/choose {number} N")));
    }
    if entry.changed.is_some() {
        facts.push(("read now by", read_by(story, entry, true)));
        facts.push(("read before by", read_by(story, entry, false)));
    }
    Page { title, facts, parts, ..Page::default() }
}

/// Returns the utterances whose speakers were shown a message as it is now, or as it was before.
fn read_by(story: &Story, entry: &Entry, now: bool) -> String {
    let later = story.state().entries.iter().filter(|e| e.seq > entry.seq);
    let read = later.filter(|e| entry.was_read_as_now(e.version()) == Some(now));
    let numbers: Vec<String> = read.filter_map(|e| Some(format!("u{}", e.number?))).collect();
    if numbers.is_empty() { "nobody".into() } else { numbers.join(", ") }
}
