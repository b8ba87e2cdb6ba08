//! What can be done with a seat, or with words that wait, as lists from which Enter does it.

use crate::model::{Command, SeatId, VoiceSpec};
use crate::text;
use crate::ui::Screen;
use crate::ui::action::Action;
use crate::ui::keymap::Focus;
use crate::ui::text::links;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use crate::ui::view::transcript::Transcript;
use toml::Value;

fn entry(call: &str, title: String, action: EntryAction) -> ListEntry {
    ListEntry { action, call: call.into(), title }
}

/// Returns everything that can be done with the seat at a place of the table.
pub fn deeds(screen: &Screen, place: usize) -> Option<List> {
    let transcript = &screen.transcript;
    let seat = transcript.state().seats.get(place)?;
    let (id, name) = (&seat.spec.id, transcript.name(&seat.spec.id));
    let who = || id.clone();
    let begin = |words: String| EntryAction::Begin(words);
    let change = |key: &str, value: &str| begin(format!("/change @{id} {key} = {}", quoted(value)));
    let mut entries = vec![
        entry(
            "floor",
            format!("{name} speaks next"),
            EntryAction::Send(Command::Floor { to: who() }),
        ),
        entry(
            "whisper",
            format!("a word that only {name} hears"),
            begin(format!("/whisper @{id} ")),
        ),
        entry("note", format!("guidance in what {name} is shown"), begin(format!("/note @{id} "))),
        match seat.muted {
            true => entry(
                "unmute",
                "takes turns again".into(),
                EntryAction::Send(Command::Unmute { who: who() }),
            ),
            false => entry(
                "mute",
                "is passed over".into(),
                EntryAction::Send(Command::Mute { who: who() }),
            ),
        },
        entry(
            "speak as",
            format!("words put into {name}'s mouth"),
            begin(format!("/speak-as @{id} ")),
        ),
    ];
    if let VoiceSpec::Model(model) = &seat.spec.voice {
        entries.push(entry(
            "model",
            "another model from now on".into(),
            change("model", &model.name),
        ));
        let warm = model.temperature.map_or("0.7".into(), |t| t.to_string());
        let warm = begin(format!("/change @{id} temperature = {warm}"));
        entries.push(entry("temperature", "how freely it chooses its words".into(), warm));
    }
    let persona = seat.spec.persona.as_deref().unwrap_or_default();
    entries.push(entry("persona", format!("who {name} is"), change("persona", persona)));
    let weight = begin(format!("/change @{id} weight = {}", seat.spec.weight));
    entries.push(entry("weight", "the share of the floor, where a policy weighs".into(), weight));
    entries.push(entry(
        "leave",
        format!("{name} leaves the table"),
        EntryAction::Send(Command::Leave { who: who() }),
    ));
    let join = "/join id = \"\", model = \"\", persona = \"\"".to_owned();
    entries.push(entry("join", "somebody new comes to the table".into(), begin(join)));
    Some(List::of(format!("{} {name}", place + 1), entries))
}

/// Returns a value as it stands in a `/command`.
fn quoted(value: &str) -> String {
    Value::from(value).to_string()
}

/// Returns what can be done with the words that wait.
pub fn queued(screen: &Screen) -> Option<List> {
    let waiting: Vec<_> = screen.transcript.queued().collect();
    let mut entries = Vec::new();
    for (i, (key, words)) in waiting.iter().enumerate().rev() {
        let call = |command: &str| format!("{command} {}", i + 1);
        let shown = text::line(words).into_owned();
        let of = key.0.clone();
        entries.push(entry(
            &call("edit"),
            shown.clone(),
            EntryAction::Edit((*key).clone(), words.to_string()),
        ));
        entries.push(entry(&call("drop"), shown, EntryAction::Send(Command::DropQueued { of })));
    }
    (!entries.is_empty()).then(|| List::of("Words that wait".into(), entries))
}

/// Returns what was sent before, the last first, as a list from which Enter takes it into the composer.
pub fn history(sent: &[String]) -> Option<List> {
    let entries = sent.iter().rev().enumerate().map(|(i, words)| {
        entry(
            &format!("{}", i + 1),
            text::line(words).into_owned(),
            EntryAction::Begin(words.clone()),
        )
    });
    let entries: Vec<ListEntry> = entries.collect();
    (!entries.is_empty()).then(|| List::of("Sent before".into(), entries))
}

/// Returns the links, or the blocks of code, of a message as a list from which Enter looks at one, or copies it.
pub fn pieces(said: &str, what: Extract) -> Option<List> {
    let (title, found) = match what {
        Extract::Links => ("Links", links::links(said)),
        Extract::Code => ("Blocks of code", links::code(said)),
    };
    let entries: Vec<ListEntry> = found
        .into_iter()
        .enumerate()
        .map(|(i, words)| {
            let first = words.lines().next().unwrap_or_default();
            let title = text::line(first).into_owned();
            let does = match what {
                Extract::Links => EntryAction::Link(words),
                Extract::Code => {
                    EntryAction::Copy(text::block(&words).into_owned(), format!("block {}", i + 1))
                }
            };
            entry(&format!("{}", i + 1), title, does)
        })
        .collect();
    (!entries.is_empty()).then(|| List::of(title.into(), entries))
}

/// What is taken out of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extract {
    /// Addresses.
    Links,
    /// Blocks of code.
    Code,
}

/// Returns the human seat that has the floor, if any.
pub fn human_turn(transcript: &Transcript) -> Option<SeatId> {
    let state = transcript.state();
    state.turns.values().find(|t| state.waits_for_human(t)).map(|t| t.seat.clone())
}

/// Puts the seat at a place forward, and says what can be done with it.
pub(in crate::ui) fn select(screen: &mut Screen, place: usize) {
    let Some(seat) = screen.transcript.state().seats.get(place) else {
        screen.view.notice = Some(format!("no seat has the number {}", place + 1));
        return;
    };
    let name = screen.transcript.name(&seat.spec.id);
    let key = |action| screen.keymap.way(action, Focus::Read);
    let told = |(action, word): &(Action, &str)| format!("  {} {word}", key(*action));
    let deeds = [
        (Action::GiveFloor, "floor"),
        (Action::Mute, "mute"),
        (Action::Whisper, "whisper"),
        (Action::Seat, "all deeds"),
    ];
    let deeds = match screen.view.playback {
        Some(_) => told(&(Action::Filter, "only these words")),
        None => deeds.iter().map(told).collect(),
    };
    screen.view.notice = Some(format!("{name}:{deeds}"));
    screen.view.selected = Some(place);
}

/// Which way the seat put forward moves.
pub(in crate::ui) enum Pick {
    Forward,
    Back,
}

pub(in crate::ui) fn select_next(screen: &mut Screen, step: Pick) {
    let seats = screen.transcript.state().seats.len().max(1);
    let place = match (screen.view.selected, step) {
        (None, Pick::Forward) => 0,
        (None, Pick::Back) => seats - 1,
        (Some(place), Pick::Forward) => (place + 1) % seats,
        (Some(place), Pick::Back) => (place + seats - 1) % seats,
    };
    select(screen, place);
}
