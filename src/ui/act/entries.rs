//! What the entry of a list does, and what it begins in the composer.

use crate::model::Key;
use crate::ui::act::appearance;
use crate::ui::act::completion;
use crate::ui::act::intents;
use crate::ui::act::participant;
use crate::ui::act::queued;
use crate::ui::action::Action;
use crate::ui::keymap::Focus;
use crate::ui::request::{FollowUp, Request};
use crate::ui::screen::Screen;
use crate::ui::slash::{spelled, usage};
use crate::ui::view::availability::unfit;
use crate::ui::view::link;
use crate::ui::view::list::{EntryAction, ListEntry, ListKind, USED};

pub(in crate::ui) fn whisper(screen: &mut Screen) {
    if let Some(seat) = intents::selected(screen) {
        begin(screen, &format!("/whisper {seat} "));
    }
}

/// Goes to the composer with the beginning of a command; a draft is kept aside.
pub(in crate::ui) fn begin(screen: &mut Screen, words: &str) {
    if !screen.view.composer.is_empty() {
        screen.view.composer.clear();
        let key = screen.keymap.way(Action::RestoreDraft, Focus::Write);
        screen.view.notice = Some(format!("draft kept: {key} restores it"));
    }
    screen.view.composer.begin(words);
    screen.view.editing = None;
    screen.view.writing = true;
    completion::refresh(screen);
}

/// Lists the actions for the selected participant.
pub(in crate::ui) fn participant_actions(screen: &mut Screen) {
    let place = screen.view.selected.unwrap_or(0);
    screen.view.list = participant::actions(screen, place);
}

/// Takes the queued messages back into the composer; of several, lists them.
pub(in crate::ui) fn edit_queued(screen: &mut Screen) {
    let waiting = screen.transcript.queued().map(|(key, words)| (key.clone(), words.to_string()));
    match &waiting.collect::<Vec<_>>()[..] {
        [] => screen.view.notice = Some("no queued messages".into()),
        [(key, words)] => edit(screen, key.clone(), words),
        [..] => screen.view.list = queued::list(&screen.transcript),
    }
}

fn edit(screen: &mut Screen, key: Key, words: &str) {
    begin(screen, words);
    screen.view.editing = Some(key);
    let send = screen.keymap.way(Action::Send, Focus::Write);
    screen.view.notice = Some(format!("editing a queued message: {send} saves it"));
}

/// Remembers what was run from the list of commands, the last one first.
fn remember(used: &mut Vec<String>, entry: &ListEntry) {
    if let Some(id) = entry.id() {
        used.retain(|other| *other != id);
        used.insert(0, id);
        used.truncate(USED);
    }
}

/// Runs the entry of a list: an action at once, a command at once if it needs nothing, else in the composer.
pub(in crate::ui) fn run_entry(screen: &mut Screen) -> Option<FollowUp> {
    let list = screen.view.list.take()?;
    let entry = list.entries(&screen.keymap).get(list.at)?.clone();
    if list.kind == ListKind::Commands {
        remember(&mut screen.view.used, &entry);
    }
    screen.view.selected = None;
    match entry.action {
        EntryAction::Action(row) => Some(FollowUp::Act(row.action)),
        EntryAction::Export(format) => Some(Request::Export(format).into()),
        EntryAction::Command(row) if unfit(&screen.transcript, row.name).is_some() => {
            let why = unfit(&screen.transcript, row.name).unwrap_or_default();
            screen.view.notice = Some(format!("{}: {why}", spelled(row)));
            None
        }
        EntryAction::Command(row) if row.needs.is_empty() && row.takes.is_empty() => {
            intents::command(screen, &spelled(row)).map(FollowUp::Ask)
        }
        EntryAction::Command(row) => {
            begin(screen, &format!("{} ", spelled(row)));
            screen.view.notice = Some(usage(row));
            None
        }
        EntryAction::Send(command) => intents::ask(screen, command).map(FollowUp::Ask),
        EntryAction::Begin(words) => {
            begin(screen, &words);
            None
        }
        EntryAction::Edit(key, words) => {
            edit(screen, key, &words);
            None
        }
        EntryAction::Copy(words, what) => Some(Request::Copy(words, what).into()),
        EntryAction::Link(address) => {
            screen.view.page = Some(link::page(&address));
            None
        }
        EntryAction::Beside(path) => Some(Request::Beside(path).into()),
        EntryAction::Theme(name) => {
            appearance::set_theme(screen, &name);
            None
        }
    }
}
