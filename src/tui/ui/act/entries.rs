//! The effect of list entries, and the commands that they start in the composer.

use crate::model::Command;
use crate::model::command::{COMMANDS, CommandRow};
use crate::steer::line;
use crate::steer::slash::{spelled, usage};
use crate::ui::act::send::{self, Delivery};
use crate::ui::act::{appearance, completion, intents, participant};
use crate::ui::action::Action;
use crate::ui::keymap::{Focus, Group, KeyRow, LISTED, ListSection, ListedAction, ROWS};
use crate::ui::request::{FollowUp, Request};
use crate::ui::screen::Screen;
use crate::ui::view::availability::{unfit, unfit_action};
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::transcript::RowView;
use crate::ui::view::{link, moment};

/// Moves to the composer with the start of a command; a draft is kept aside.
pub(in crate::ui) fn begin(screen: &mut Screen, words: &str) {
    if !screen.view.composer.is_empty() {
        screen.view.composer.clear();
        let key = screen.keymap.way(Action::RestoreDraft, Focus::Write);
        screen.view.notice = Some(format!("draft kept: {key} restores it"));
    }
    screen.view.composer.begin(words);
    screen.view.writing = true;
    completion::refresh(screen);
}

/// Returns the list of commands: those of a recording, or of a running conversation.
pub(in crate::ui) fn palette(screen: &Screen) -> List {
    let live = !screen.view.is_recording();
    let can_not = |row: &&CommandRow| live && unfit(&screen.transcript, row.name).is_some();
    let commands = COMMANDS.iter().filter(can_not).map(spelled);
    let has_none = |row: &&KeyRow| live && unfit_action(&screen.transcript, row.action).is_some();
    let actions = ROWS.iter().filter(has_none).map(KeyRow::name);
    List {
        is_commands: true,
        more: if live { of_participants(screen) } else { vec![] },
        unfit: commands.chain(actions).collect(),
        ..List::with_entries("Commands".into(), listed(live))
    }
}

/// Returns the rows of the list of actions for a running conversation, or for a recording.
fn listed(live: bool) -> Vec<ListEntry> {
    let applies = |group| match group {
        Group::Floor | Group::Writing => live,
        Group::Replay => !live,
        Group::Reading | Group::App => true,
        Group::Start => false,
    };
    let entry = |listed: &ListedAction| {
        let action = match (listed.action(), listed.command()) {
            (Some(row), _) if applies(row.group) => EntryAction::Action(row),
            (None, Some(row)) if live => EntryAction::Command(row),
            _ => return None,
        };
        Some(ListEntry::new(listed.line(), listed.meaning(), action))
    };
    LISTED.iter().filter_map(entry).collect()
}

/// Lists the actions for the marked message.
pub(in crate::ui) fn menu(screen: &mut Screen) {
    let at = screen.reading();
    let (number, of_host) = match screen.transcript.shown(at) {
        Some(RowView::Words(entry, _)) => {
            (entry.number, screen.transcript.state().number_of_host(entry))
        }
        Some(RowView::Speaking(turn)) => (turn.number, None),
        Some(RowView::Aside(..)) | None => (None, None),
    };
    let listed = LISTED
        .iter()
        .filter(|listed| matches!(listed.section, ListSection::Text | ListSection::Read));
    let entry = |listed: &ListedAction| {
        let action = match (listed.action(), number) {
            (Some(row), _) => EntryAction::Action(row),
            (None, Some(number)) => EntryAction::Begin(format!("{} {number} ", listed.line())),
            (None, None) if listed.name == "hide" => {
                EntryAction::Begin(format!("{} h{} ", listed.line(), of_host?))
            }
            (None, None) => return None,
        };
        Some(ListEntry::new(listed.name, listed.meaning(), action))
    };
    let title = number.map_or("This message".to_owned(), |number| format!("Turn {number}"));
    screen.open_list(Some(List::with_entries(title, listed.filter_map(entry).collect())));
}

/// Returns a row for each command and each participant.
fn of_participants(screen: &Screen) -> Vec<ListEntry> {
    let state = screen.transcript.state();
    if state.ended.is_some() {
        return vec![];
    }
    let seats = state.seats.iter().filter(|seat| !seat.gone && seat.spec.speaks);
    let rows = seats.flat_map(|seat| {
        let id = &seat.spec.id;
        let name = screen.transcript.name(id);
        let who = || id.clone();
        let (mute, verb, word) = if seat.muted {
            (Command::Unmute { who: who() }, "unmute", "Unmute")
        } else {
            (Command::Mute { who: who() }, "mute", "Mute")
        };
        let begin = |verb: &str| EntryAction::Begin(format!("/{verb} @{id} "));
        [
            ("floor", format!("{name} next"), EntryAction::Send(Command::Floor { to: who() })),
            (verb, format!("{word} {name}"), EntryAction::Send(mute)),
            ("whisper", format!("Whisper to {name}"), begin("whisper")),
            ("note", format!("Note for {name}"), begin("note")),
            ("change", format!("Change {name}"), begin("change")),
        ]
        .map(|(verb, title, action)| ListEntry::new(format!("/{verb} @{id}"), title, action))
    });
    rows.collect()
}

/// Starts the command that sets the limit that was reached, or any limit.
pub(in crate::ui) fn begin_limit(screen: &mut Screen) {
    let limit = screen.transcript.state().limit.as_ref().map(|held| held.what.key());
    begin(screen, &format!("/limit {} = ", limit.unwrap_or("utterances")));
}

/// Requests the models available to the selected participant, or to the one whose turn failed.
pub(in crate::ui) fn ask_models(screen: &mut Screen) -> Option<Request> {
    let failed = moment::failed(&screen.transcript).map(|turn| turn.seat.clone());
    let chosen = screen.view.selected.is_none().then_some(failed).flatten();
    let who = chosen.or_else(|| intents::selected(screen))?;
    if screen.view.is_recording() {
        return intents::past(screen);
    }
    Some(Request::Models(who))
}

/// Lists the actions for the selected participant.
pub(in crate::ui) fn participant_actions(screen: &mut Screen) {
    if intents::selected(screen).is_some()
        && let Some(place) = screen.view.selected
    {
        screen.open_list(participant::actions(screen, place));
    }
}

/// Takes the last queued message out of the queue and into the composer; the key that leaves the composer puts it back.
pub(in crate::ui) fn withdraw(screen: &mut Screen) -> Option<Request> {
    let message = screen.transcript.queued().next_back()?.clone();
    let words = line::spelled(&message);
    let asked = intents::ask(screen, Command::DropQueued { of: message.given.key.0.clone() })?;
    screen.view.undo = None;
    begin(screen, &words);
    screen.view.withdrawn = Some(Box::new(message));
    let [send, back] =
        [Action::Send, Action::Back].map(|action| screen.keymap.way(action, Focus::Write));
    screen.view.notice =
        Some(format!("not queued now: {send} sends it again, {back} puts it back"));
    Some(asked)
}

/// Runs an entry of the list: an action at once, a command at once if it needs no argument, otherwise in the composer.
pub(in crate::ui) fn run_entry(screen: &mut Screen) -> Option<FollowUp> {
    let list = screen.close_list()?;
    let entry = list.entries().get(list.at)?.clone();
    if !matches!(entry.action, EntryAction::Action(_)) {
        screen.view.selected = None;
    }
    match entry.action {
        EntryAction::Action(row) => Some(FollowUp::Act(row.action)),
        EntryAction::Export(format) => Some(Request::Export(format).into()),
        EntryAction::Command(row) if let Some(why) = unfit(&screen.transcript, row.name) => {
            intents::notice(screen, format!("{}: {why}", spelled(row)))
        }
        EntryAction::Command(row) if row.needs.is_empty() && row.takes.is_empty() => {
            send::command(screen, &spelled(row), Delivery::Queue).map(FollowUp::Ask)
        }
        EntryAction::Command(row) => {
            begin(screen, &format!("{} ", spelled(row)));
            intents::notice(screen, usage(row))
        }
        EntryAction::Send(command) => intents::ask(screen, command).map(FollowUp::Ask),
        EntryAction::Begin(words) => {
            begin(screen, &words);
            None
        }
        EntryAction::Copy(words, what) => Some(Request::Copy(words, what).into()),
        EntryAction::Link(address) => {
            screen.view.over.page = Some(link::page(&address));
            None
        }
        EntryAction::Beside(path) => Some(Request::Beside(path).into()),
        EntryAction::Theme(name) => {
            appearance::set_theme(screen, &name);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_47_rows_and_finds_participants_by_words() {
        let mute = EntryAction::Begin("/mute @bo".into());
        let more = vec![ListEntry::new("/mute @bo", "Mute Bo", mute)];
        let mut list = List { more, ..List::with_entries(String::new(), listed(true)) };
        assert_eq!(list.entries().len(), 47);
        list.filter = "mu bo".into();
        let found = list.entries();
        assert!(matches!(&found[..], [only] if only.call == "/mute @bo"));
    }
}
