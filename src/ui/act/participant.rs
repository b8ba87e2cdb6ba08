//! What can be done with a seat, or with words that wait, as lists from which Enter does it.

use crate::model::{Command, SeatId, VoiceSpec};
use crate::text;
use crate::ui::Screen;
use crate::ui::action::Action;
use crate::ui::keymap::Place;
use crate::ui::text::links;
use crate::ui::view::list::{Does, Entry, List};
use crate::ui::view::transcript::Story;
use toml::Value;

fn entry(call: &str, title: String, does: Does) -> Entry {
    Entry { does, call: call.into(), title }
}

/// Returns everything that can be done with the seat at a place of the table.
pub fn deeds(screen: &Screen, place: usize) -> Option<List> {
    let story = &screen.story;
    let seat = story.state().seats.get(place)?;
    let (id, name) = (&seat.spec.id, story.name(&seat.spec.id));
    let who = || id.clone();
    let begin = |words: String| Does::Begin(words);
    let change = |key: &str, value: &str| begin(format!("/change @{id} {key} = {}", quoted(value)));
    let mut entries = vec![
        entry("floor", format!("{name} speaks next"), Does::Send(Command::Floor { to: who() })),
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
                Does::Send(Command::Unmute { who: who() }),
            ),
            false => {
                entry("mute", "is passed over".into(), Does::Send(Command::Mute { who: who() }))
            }
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
        Does::Send(Command::Leave { who: who() }),
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
    let waiting: Vec<_> = screen.story.queued().collect();
    let mut entries = Vec::new();
    for (i, (key, words)) in waiting.iter().enumerate().rev() {
        let call = |verb: &str| format!("{verb} {}", i + 1);
        let shown = text::line(words).into_owned();
        let of = key.0.clone();
        entries.push(entry(
            &call("edit"),
            shown.clone(),
            Does::Edit((*key).clone(), words.to_string()),
        ));
        entries.push(entry(&call("drop"), shown, Does::Send(Command::DropQueued { of })));
    }
    (!entries.is_empty()).then(|| List::of("Words that wait".into(), entries))
}

/// Returns what was sent before, the last first, as a list from which Enter takes it into the pen.
pub fn history(sent: &[String]) -> Option<List> {
    let entries = sent.iter().rev().enumerate().map(|(i, words)| {
        entry(&format!("{}", i + 1), text::line(words).into_owned(), Does::Begin(words.clone()))
    });
    let entries: Vec<Entry> = entries.collect();
    (!entries.is_empty()).then(|| List::of("Sent before".into(), entries))
}

/// Returns the links, or the blocks of code, of a message as a list from which Enter looks at one, or copies it.
pub fn pieces(said: &str, what: Pieces) -> Option<List> {
    let (title, found) = match what {
        Pieces::Links => ("Links", links::links(said)),
        Pieces::Code => ("Blocks of code", links::code(said)),
    };
    let entries: Vec<Entry> = found
        .into_iter()
        .enumerate()
        .map(|(i, words)| {
            let first = words.lines().next().unwrap_or_default();
            let title = text::line(first).into_owned();
            let does = match what {
                Pieces::Links => Does::Link(words),
                Pieces::Code => {
                    Does::Copy(text::block(&words).into_owned(), format!("block {}", i + 1))
                }
            };
            entry(&format!("{}", i + 1), title, does)
        })
        .collect();
    (!entries.is_empty()).then(|| List::of(title.into(), entries))
}

/// What is taken out of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Addresses.
    Links,
    /// Blocks of code.
    Code,
}

/// Returns the human seat that has the floor, if any.
pub fn asked(story: &Story) -> Option<SeatId> {
    let state = story.state();
    state.turns.values().find(|t| state.waits_for_human(t)).map(|t| t.seat.clone())
}

/// Puts the seat at a place forward, and says what can be done with it.
pub(in crate::ui) fn pick(screen: &mut Screen, place: usize) {
    let Some(seat) = screen.story.state().seats.get(place) else {
        screen.view.notice = Some(format!("no seat has the number {}", place + 1));
        return;
    };
    let name = screen.story.name(&seat.spec.id);
    let key = |action| screen.keymap.way(action, Place::Table);
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
    screen.view.picked = Some(place);
}

/// Which way the seat put forward moves.
pub(in crate::ui) enum Pick {
    Forward,
    Back,
}

pub(in crate::ui) fn step_pick(screen: &mut Screen, step: Pick) {
    let seats = screen.story.state().seats.len().max(1);
    let place = match (screen.view.picked, step) {
        (None, Pick::Forward) => 0,
        (None, Pick::Back) => seats - 1,
        (Some(place), Pick::Forward) => (place + 1) % seats,
        (Some(place), Pick::Back) => (place + seats - 1) % seats,
    };
    pick(screen, place);
}
