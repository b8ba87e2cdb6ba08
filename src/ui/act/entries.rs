//! What the entry of a list does, and what it begins in the pen.

use crate::model::Key;
use crate::ui::Screen;
use crate::ui::act::appearance;
use crate::ui::act::intents;
use crate::ui::act::participant;
use crate::ui::act::update::{Request, act};
use crate::ui::action::Action;
use crate::ui::keymap::Place;
use crate::ui::slash::{spelled, usage};
use crate::ui::view::completion;
use crate::ui::view::link;
use crate::ui::view::list::{Does, Entry, Of, USED};

pub(in crate::ui) fn whisper(screen: &mut Screen) {
    if let Some(seat) = intents::picked(screen) {
        begin(screen, &format!("/whisper {seat} "));
    }
}

/// Goes to the pen with the beginning of a command; a draft is kept aside.
pub(in crate::ui) fn begin(screen: &mut Screen, words: &str) {
    if !screen.view.pen.is_empty() {
        screen.view.pen.clear();
        let key = screen.keymap.way(Action::RestoreDraft, Place::Pen);
        screen.view.notice = Some(format!("your draft is kept: {key} brings it back"));
    }
    screen.view.pen.begin(words);
    screen.view.editing = None;
    screen.view.writing = true;
    completion::anew(screen);
}

/// Lists everything that can be done with the seat put forward.
pub(in crate::ui) fn seat_deeds(screen: &mut Screen) {
    let place = screen.view.picked.unwrap_or(0);
    screen.view.list = participant::deeds(screen, place);
}

/// Takes the words that wait back into the pen; of several, lists them.
pub(in crate::ui) fn edit_queued(screen: &mut Screen) {
    let waiting = screen.story.queued().map(|(key, words)| (key.clone(), words.to_string()));
    match &waiting.collect::<Vec<_>>()[..] {
        [] => screen.view.notice = Some("nothing is queued".into()),
        [(key, words)] => edit(screen, key.clone(), words),
        [..] => screen.view.list = participant::queued(screen),
    }
}

fn edit(screen: &mut Screen, key: Key, words: &str) {
    begin(screen, words);
    screen.view.editing = Some(key);
    let send = screen.keymap.way(Action::Send, Place::Pen);
    screen.view.notice = Some(format!("words that wait: {send} changes them"));
}

/// Remembers what was run from the list of commands, the last one first.
fn remember(used: &mut Vec<String>, entry: &Entry) {
    if let Some(id) = entry.id() {
        used.retain(|other| *other != id);
        used.insert(0, id);
        used.truncate(USED);
    }
}

/// Runs the entry of a list: an action at once, a verb at once if it needs nothing, else in the pen.
pub(in crate::ui) fn run_entry(screen: &mut Screen) -> Option<Request> {
    let list = screen.view.list.take()?;
    let entry = list.entries(&screen.keymap).get(list.at)?.clone();
    if list.of == Of::Commands {
        remember(&mut screen.view.used, &entry);
    }
    screen.view.picked = None;
    match entry.does {
        Does::Action(row) => act(screen, row.action),
        Does::Export(format) => Some(Request::Export(format)),
        Does::Command(row) if intents::unfit(&screen.story, row.name).is_some() => {
            let why = intents::unfit(&screen.story, row.name).unwrap_or_default();
            screen.view.notice = Some(format!("{}: {why}", spelled(row)));
            None
        }
        Does::Command(row) if row.needs.is_empty() && row.takes.is_empty() => {
            intents::command(screen, &spelled(row))
        }
        Does::Command(row) => {
            begin(screen, &format!("{} ", spelled(row)));
            screen.view.notice = Some(usage(row));
            None
        }
        Does::Send(verb) => intents::ask(screen, verb),
        Does::Begin(words) => {
            begin(screen, &words);
            None
        }
        Does::Edit(key, words) => {
            edit(screen, key, &words);
            None
        }
        Does::Copy(words, what) => Some(Request::Copy(words, what)),
        Does::Link(address) => {
            screen.view.page = Some(link::page(&address));
            None
        }
        Does::Beside(path) => Some(Request::Beside(path)),
        Does::Wear(name) => {
            appearance::wear(screen, &name);
            None
        }
    }
}
