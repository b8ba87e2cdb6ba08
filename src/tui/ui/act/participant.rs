//! Selection of a participant, and the list of actions for it.

use crate::model::{Command, VoiceSpec};
use crate::ui::action::{Action, Direction};
use crate::ui::screen::Screen;
use crate::ui::view::list::{EntryAction, List, ListEntry};
use toml::Value;

/// Returns all actions for the seat at an index.
pub fn actions(screen: &Screen, place: usize) -> Option<List> {
    let transcript = &screen.transcript;
    let seat = transcript.state().seats.get(place)?;
    let id = &seat.spec.id;
    let name = transcript.name(&seat.spec.id);
    let who = || id.clone();
    let begin = |words: String| EntryAction::Begin(words);
    let change = |key: &str, value: &str| begin(format!("/change @{id} {key} = {}", quoted(value)));
    let mut entries = vec![
        ListEntry::new(
            "floor",
            format!("give {name} the next turn"),
            EntryAction::Send(Command::Floor { to: who() }),
        ),
        ListEntry::new("whisper", format!("whisper to {name}"), begin(format!("/whisper @{id} "))),
        ListEntry::new("note", format!("note in {name}'s prompt"), begin(format!("/note @{id} "))),
        if seat.muted {
            ListEntry::new(
                "unmute",
                "let the participant speak again",
                EntryAction::Send(Command::Unmute { who: who() }),
            )
        } else {
            ListEntry::new(
                "mute",
                "skip its turns",
                EntryAction::Send(Command::Mute { who: who() }),
            )
        },
        ListEntry::new("speak as", format!("speak as {name}"), begin(format!("/speak-as @{id} "))),
    ];
    if let VoiceSpec::Model(model) = &seat.spec.voice {
        entries.push(ListEntry::new("model", "change the model", change("model", &model.name)));
        let warm = model.temperature.map_or("0.7".into(), |t| t.to_string());
        let warm = begin(format!("/change @{id} temperature = {warm}"));
        entries.push(ListEntry::new("temperature", "change the temperature", warm));
    }
    let persona = seat.spec.persona.as_deref().unwrap_or_default();
    entries.push(ListEntry::new("persona", "edit persona", change("persona", persona)));
    let weight = begin(format!("/change @{id} weight = {}", seat.spec.weight));
    entries.push(ListEntry::new("weight", "change the weight (policies that weigh)", weight));
    entries.push(ListEntry::new(
        "leave",
        format!("remove {name}"),
        EntryAction::Send(Command::Leave { who: who() }),
    ));
    let join = "/join ".to_owned();
    entries.push(ListEntry::new("join", "add a participant", begin(join)));
    Some(List::with_entries(format!("{} {name}", place + 1), entries))
}

/// Returns a value as written in a `/command`.
fn quoted(value: &str) -> String {
    Value::from(value).to_string()
}

/// Selects the participant at an index, and shows the keys for it.
pub(in crate::ui) fn select(screen: &mut Screen, place: usize) {
    let Some(seat) = screen.transcript.state().seats.get(place) else {
        screen.view.notice = Some(format!("no participant {}", place + 1));
        return;
    };
    let name = screen.transcript.name(&seat.spec.id);
    let key = |action| screen.keymap.way(action, screen.view.steering());
    // the line says what it does with the chosen participant
    screen.view.notice = (!screen.view.steers())
        .then(|| format!("{name}:  {} show only these turns", key(Action::Filter)));
    screen.view.selected = Some(place);
}

/// Acts as if the participant at an index were selected; `None` leaves the selection as it is.
pub(in crate::ui) fn as_selected<T>(
    screen: &mut Screen,
    place: Option<usize>,
    act: impl FnOnce(&mut Screen) -> T,
) -> T {
    let before = screen.view.selected;
    screen.view.selected = place.or(before);
    let done = act(screen);
    if place.is_some() {
        screen.view.selected = before;
    }
    done
}

pub(in crate::ui) fn select_next(screen: &mut Screen, step: Direction) {
    let seats = screen.transcript.state().seats.len().max(1);
    let place = match (screen.view.selected, step) {
        (None, Direction::Down) => 0,
        (None, Direction::Up) => seats - 1,
        (Some(place), Direction::Down) => (place + 1) % seats,
        (Some(place), Direction::Up) => (place + seats - 1) % seats,
    };
    select(screen, place);
}
