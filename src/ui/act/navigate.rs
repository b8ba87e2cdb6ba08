//! Going from message to message and from find to find, and copying what is read.

use crate::export::figures;
use crate::model::Seq;
use crate::state::Entry;
use crate::text;
use crate::ui::Screen;
use crate::ui::act::branches::Leaf;
use crate::ui::act::intents;
use crate::ui::act::participant::{self, Pieces};
use crate::ui::act::update::{Request, read};
use crate::ui::action::Action;
use crate::ui::keymap::Place;
use crate::ui::text::markdown;
use crate::ui::view::analysis::Study;
use crate::ui::view::inspector;
use crate::ui::view::link;
use crate::ui::view::list::{Does, Entry as Listed};
use crate::ui::view::transcript::{Id, Shown};
use crate::ui::view::versions;

/// The width at which plain text is laid out, in cells: no line of a message breaks at it.
const PLAIN_WIDTH: usize = 10_000;

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
            Way::Up => (0..first).rev().find(|at| t.shows(story, look, *at)).or(Some(0)),
            Way::Down => (first + 1..story.len()).find(|at| t.shows(story, look, *at)),
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
    let Some(search) = &mut screen.view.search else { return };
    let (from, found) = (search.at, search.matches(&screen.story).to_vec());
    let mut first = 0;
    read(screen, |t, story, look| first = t.first(story, look).0);
    let next = match (way, from) {
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

/// A message, as it was written and as it is called.
pub(in crate::ui) struct Message {
    pub at: usize,
    pub said: String,
    pub name: String,
}

/// Returns the message that is read, or the last one that is whole before it; says so if there is none.
pub(in crate::ui) fn message_read(screen: &mut Screen) -> Option<Message> {
    let from = screen.reading();
    let (story, only) = (&screen.story, screen.view.reading.only);
    let words = |at: usize| match story.shown(at)? {
        Shown::Words(entry, _) => {
            let place = entry.seat().map(|seat| story.seat_place(seat));
            (only.is_none() || place == only).then_some((at, entry))
        }
        Shown::Speaking(_) | Shown::Aside(..) => None,
    };
    let Some((at, entry)) = (0..=from).rev().find_map(words) else {
        screen.view.notice = Some("nothing was said yet".into());
        return None;
    };
    let name = match (entry.number, entry.seat()) {
        (Some(number), Some(seat)) => format!("u{number} of {}", story.name(seat)),
        _ => "the operator's words".into(),
    };
    Some(Message { at, said: text::block(entry.text()).into_owned(), name })
}

/// Copies the message that is read, as it was written.
pub fn copy(screen: &mut Screen) -> Option<Request> {
    if let Some(study) = &screen.view.study {
        let tables = figures::md(&study.tables());
        return Some(Request::Copy(tables, "the figures of this page".into()));
    }
    message_read(screen).map(|m| Request::Copy(m.said, m.name))
}

/// Copies the message that is read without its marks of form.
pub fn copy_plain(screen: &mut Screen) -> Option<Request> {
    let message = message_read(screen)?;
    let rows = markdown::rows(&message.said, PLAIN_WIDTH, &screen.theme);
    let plain = rows.iter().map(|l| l.to_string().trim_end().to_owned() + "\n").collect::<String>();
    Some(Request::Copy(plain.trim_end().to_owned(), format!("{}, plain", message.name)))
}

/// Lists what can be taken out of the message that is read; the only one there is, is taken at once.
pub fn take_out(screen: &mut Screen, what: Pieces) -> Option<Request> {
    let message = message_read(screen)?;
    let Some(list) = participant::pieces(&message.said, what) else {
        let none = match what {
            Pieces::Links => "links",
            Pieces::Code => "blocks of code",
        };
        screen.view.notice = Some(format!("{} has no {none}", message.name));
        return None;
    };
    match (&list.own.1[..], what) {
        ([Listed { does: Does::Copy(words, what), .. }], Pieces::Code) => {
            Some(Request::Copy(words.clone(), format!("{what} of {}", message.name)))
        }
        ([Listed { does: Does::Link(address), .. }], _) => {
            screen.view.page = Some(link::page(address));
            None
        }
        _ => {
            screen.view.list = Some(list);
            None
        }
    }
}

/// Shows the message that is read alone.
pub fn zoom(screen: &mut Screen) {
    let Some(message) = message_read(screen) else { return };
    let page = entry(screen, &message).map(|e| versions::page(&screen.story, e, &message.name));
    screen.view.page = page;
}

/// Puts the message that is read into the middle.
pub fn centre(screen: &mut Screen) {
    let Some(message) = message_read(screen) else { return };
    read(screen, |t, story, look| {
        t.go(story, look, message.at);
        t.up(story, look, t.page() / 2);
    });
}

/// Shows what the speaker of the message that is read was shown.
pub fn prompt(screen: &mut Screen) {
    let at = screen.reading();
    let speaks = matches!(screen.story.shown(at), Some(Shown::Speaking(_)));
    let at = if speaks { Some(at) } else { message_read(screen).map(|m| m.at) };
    let Some(at) = at else { return };
    match inspector::prompt_of(&screen.story, at) {
        Ok(page) => screen.view.page = Some(page),
        Err(why) => screen.view.notice = Some(why.into()),
    }
}

/// Shows the words of the seat put forward alone, else of who is read; or those of all again.
pub fn filter(screen: &mut Screen) {
    let by = |screen: &mut Screen| {
        let at = screen.reading();
        let story = &screen.story;
        (0..=at).rev().find_map(|at| match story.shown(at)? {
            Shown::Words(entry, _) => entry.seat().map(|s| story.seat_place(s)),
            Shown::Speaking(turn) => Some(story.seat_place(&turn.seat)),
            Shown::Aside(..) => None,
        })
    };
    let place = match screen.view.reading.only {
        Some(_) => None,
        None => screen.view.picked.or_else(|| by(screen)),
    };
    only(screen, place);
}

/// Shows the words of the seat at a place of the table alone, or those of all.
pub fn only(screen: &mut Screen, place: Option<usize>) {
    screen.view.reading.only = place;
    screen.view.transcript.forget();
    let seat = place.and_then(|place| screen.story.state().seats.get(place));
    let name = seat.map(|seat| screen.story.name(&seat.spec.id));
    let key = screen.keymap.way(Action::Filter, Place::Table);
    screen.view.notice = Some(match name {
        Some(name) => format!("{name} alone; {key} shows all again"),
        None => "all are shown".into(),
    });
}

/// Opens or folds the reasoning of the message that is read.
pub fn reasoning(screen: &mut Screen) {
    let at = screen.reading();
    let speaks = matches!(screen.story.shown(at), Some(Shown::Speaking(_)));
    let at = if speaks { Some(at) } else { message_read(screen).map(|m| m.at) };
    let Some(id) = at.and_then(|at| screen.story.id(at)) else { return };
    let others = &mut screen.view.reading.others;
    if !others.remove(&id) {
        others.insert(id);
    }
    screen.view.transcript.forget();
}

/// Goes to the next bookmark.
pub fn mark(screen: &mut Screen, way: Way) {
    let at = screen.reading();
    let story = &screen.story;
    let places = story.state().marks.iter().filter_map(|(seq, _)| story.place(Id::Event(*seq)));
    let next = match way {
        Way::Down => places.filter(|place| *place > at).min(),
        Way::Up => places.filter(|place| *place < at).max(),
    };
    match next {
        Some(place) => read(screen, |t, story, look| t.go(story, look, place)),
        None => screen.view.notice = Some("no bookmark there".into()),
    }
}

/// Asks for a branch behind the message that is read.
pub fn fork(screen: &mut Screen) -> Option<Request> {
    if screen.view.unsaved {
        return intents::unsaved(screen);
    }
    leaf(screen).map(|at| Request::Fork(Leaf { at, seed: None }))
}

/// Returns the last event of the message that is read.
pub fn leaf(screen: &mut Screen) -> Option<Seq> {
    let message = message_read(screen)?;
    Some(entry(screen, &message)?.versions.last()?.seq)
}

/// Lists every text of the message that is read, so that another one can be chosen.
pub fn alternatives(screen: &mut Screen) {
    let Some(message) = message_read(screen) else { return };
    let list =
        entry(screen, &message).and_then(|e| versions::list(&screen.story, e, &message.name));
    if list.is_none() {
        screen.view.notice = Some("your own words stand as you said them".into());
    }
    screen.view.list = list;
}

/// Lists every text of an utterance by its number.
pub fn alternatives_of(screen: &mut Screen, number: &str) {
    let story = &screen.story;
    let of = number.trim_start_matches('u').parse().ok().and_then(|n| story.state().utterance(n));
    let name = |e: &Entry| format!("u{} of {}", e.number.unwrap_or(0), story.names(e.seat()));
    let list = of.and_then(|e| versions::list(story, e, &name(e)));
    if list.is_none() {
        screen.view.notice = Some(format!("no utterance {number} has ended"));
    }
    screen.view.list = list;
}

fn entry<'a>(screen: &'a Screen, message: &Message) -> Option<&'a Entry> {
    screen.story.entry(message.at).and_then(|at| screen.story.state().entries.get(at))
}
