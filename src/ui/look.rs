//! Going from message to message and from find to find, and copying what is read.

use super::Screen;
use super::story::Shown;
use super::study::Study;
use super::update::{Request, read};
use crate::export::figures;
use crate::text;

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Towards the beginning.
    Up,
    /// Towards the end.
    Down,
}

/// Goes to the next message.
pub fn message(screen: &mut Screen, way: Way) {
    read(screen, |t, story, look| {
        let (first, whole) = t.first(story, look);
        let to = match way {
            // the beginning of a message that is half read comes before the message above it
            Way::Up if !whole => Some(first),
            Way::Up => Some(first.saturating_sub(1)),
            Way::Down => Some(first + 1),
        };
        if let Some(to) = to.filter(|_| way == Way::Up || !t.following()) {
            t.go(story, look, to);
        }
    });
}

/// Looks anew for what is typed: from what is read now towards the end, else from the beginning.
pub fn anew(screen: &mut Screen) {
    if let Some(search) = &mut screen.view.search {
        search.at = None;
    }
    found(screen, Way::Down);
}

/// Goes to the next place that was found; behind the last one comes the first.
pub fn found(screen: &mut Screen, way: Way) {
    let Some(search) = screen.view.search.clone() else { return };
    let found = search.matches(&screen.story);
    let mut first = 0;
    read(screen, |t, story, look| first = t.first(story, look).0);
    let next = match (way, search.at) {
        (Way::Down, Some(at)) => found.iter().find(|m| **m > at).or(found.first()),
        (Way::Down, None) => found.iter().find(|m| **m >= first).or(found.first()),
        (Way::Up, Some(at)) => found.iter().rev().find(|m| **m < at).or(found.last()),
        (Way::Up, None) => found.iter().rev().find(|m| **m <= first).or(found.last()),
    };
    let Some(at) = next.copied() else { return };
    if let Some(search) = &mut screen.view.search {
        search.at = Some(at);
    }
    read(screen, |t, story, look| t.go(story, look, at));
}

/// Goes from the chosen event of the figures to where it happened.
pub fn event(screen: &mut Screen) {
    let number = screen.view.study.as_ref().and_then(Study::utterance);
    match number.and_then(|number| screen.story.utterance(number)) {
        Some(at) => {
            screen.view.study = None;
            read(screen, |t, story, look| t.go(story, look, at));
        }
        None => screen.view.notice = Some("choose an event that stands at an utterance".into()),
    }
}

/// Copies the message that is read: the first on the screen, or the last one that is whole while the end is followed.
pub fn copy(screen: &mut Screen) -> Option<Request> {
    if let Some(study) = &screen.view.study {
        return Some(Request::Copy(
            figures::md(&study.tables()),
            "the figures of this page".into(),
        ));
    }
    let from = match screen.view.transcript.following() {
        true => screen.story.len().saturating_sub(1),
        false => {
            let mut first = 0;
            read(screen, |t, story, look| first = t.first(story, look).0);
            first
        }
    };
    let story = &screen.story;
    let words = |at: usize| match story.shown(at)? {
        Shown::Words(entry, _) => Some(entry),
        Shown::Speaking(_) | Shown::Aside(..) => None,
    };
    let Some(entry) = (0..=from).rev().find_map(words) else {
        screen.view.notice = Some("nothing to copy yet".into());
        return None;
    };
    let what = match (entry.number, entry.seat()) {
        (Some(number), Some(seat)) => format!("u{number} of {}", story.name(seat)),
        _ => "the operator's words".into(),
    };
    Some(Request::Copy(text::block(entry.text()).into_owned(), what))
}
