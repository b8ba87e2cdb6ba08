//! Notes on the operator's commands that no other event shows.

use super::narrated::{Narrated, place, utterances};
use crate::analysis::name;
use crate::model::command::{COMMANDS, NoteFor};
use crate::model::*;
use crate::state::State;
use crate::text;
use serde_json::Value;

/// Returns the note on a command; messages and pauses are noted when they take effect.
pub(super) fn given(
    state: &State,
    given: &CommandGiven,
    hidden: impl Fn(u32) -> bool,
) -> Vec<Narrated> {
    let seat = |id: &SeatId| name(state, id);
    let note = |note: String| vec![Narrated::Note(text::label(&note).into_owned())];
    let words = |place: String, who: String, body: &str| {
        vec![Narrated::Words { place, who, body: text::block(body).into_owned() }]
    };
    match &given.line.command {
        Command::Note { text, to, lives } => {
            let to = match &to[..] {
                [] => "everybody".into(),
                to => to.iter().map(seat).collect::<Vec<_>>().join(", "),
            };
            let lives = match lives {
                NoteFor::Utterance => "for the next turn",
                NoteFor::Round => "for this round",
                NoteFor::Standing => "until lifted",
            };
            words(place(state), format!("your note to {to}, {lives}"), text)
        }
        Command::Edit { utterance, .. } if hidden(*utterance) => vec![],
        Command::Edit { utterance, text } => {
            let who = state.utterance(*utterance).and_then(|e| e.seat()).map(seat);
            let who = format!("{}, edited by you", who.unwrap_or_default());
            words(utterance.to_string(), who, text)
        }
        Command::Hide { utterance, text } => {
            let why = text.iter().map(|t| format!(": {t}")).collect::<String>();
            note(format!("{utterance} hidden{why}"))
        }
        Command::Unhide { utterance } => note(format!("{utterance} shown again")),
        Command::Join { .. } => match &given.targets.participant {
            Some(p) => {
                let model = p.voice.as_model().map(|model| format!(" ({})", model.name));
                note(format!("{} joins{}", seat(&p.id), model.unwrap_or_default()))
            }
            None => vec![],
        },
        Command::Change { who, set } => {
            let change = |(key, value): (&String, &Value)| match value {
                // the model is part of who speaks
                Value::String(name) if key == "model" => format!("{key} {name}"),
                _ => key.clone(),
            };
            let changes: Vec<String> = set.iter().map(change).collect();
            note(format!("{} changed: {}", seat(who), changes.join(", ")))
        }
        Command::Retry { utterance } | Command::Reroll { utterance } => match utterance {
            Some(n) => note(format!("you asked {} to try again", speaker(state, *n))),
            None => note("you asked for another try".into()),
        },
        Command::EditStep { step, set } => {
            let keys: Vec<&str> = set.keys().map(String::as_str).collect();
            note(format!("step {step} changed: {}", keys.join(", ")))
        }
        Command::AddStep { .. } => match state.plan().and_then(|plan| plan.steps.last()) {
            Some(step) => note(format!("step {} added: {}", step.spec.number, step.spec.goal)),
            None => vec![],
        },
        Command::MoveStep { step, before } => match before {
            Some(before) => note(format!("step {step} moved before step {before}")),
            None => note(format!("step {step} moved to the end")),
        },
        Command::Limit { set } => {
            let each = set.per_seat.map(|n| format!("{} per participant", utterances(n)));
            let words = |limit: Limit| Some(limit.words(set.get(limit)?));
            let mut set: Vec<String> = Limit::ALL.into_iter().filter_map(words).collect();
            set.extend(each);
            note(format!("new limit: {}", set.join(", ")))
        }
        Command::Mark { text } => match text {
            Some(text) => note(format!("mark: {text}")),
            None => note("mark".into()),
        },
        Command::Decide { tool, yes, once } => {
            let how = match (yes, once) {
                (true, true) => "is allowed once",
                (true, false) => "is allowed",
                (false, _) => "is refused",
            };
            note(format!("the tool {tool} {how}"))
        }
        Command::End { final_round: true } => note("you asked for closing statements".into()),
        command => {
            let row = COMMANDS.iter().find(|row| row.name == command.name());
            let text = row.and_then(|row| row.note).map(|note| fill(state, note, command));
            text.map(note).unwrap_or_default()
        }
    }
}

/// Fills the note of a row with the values of the command's keys; participants appear by name.
fn fill(state: &State, note: &str, command: &Command) -> String {
    let keys = serde_json::to_value(command).unwrap_or_default();
    let value = |key: &str| match &keys[key] {
        Value::String(id) if matches!(key, "who" | "to") => {
            name(state, &SeatId(id.as_str().into()))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let parts = note.split(['{', '}']).enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part.to_owned() } else { value(part) }).collect()
}

/// Returns the name of the speaker of a turn; the number of the turn if it is the operator's.
fn speaker(state: &State, number: u32) -> String {
    let seat = state.utterance(number).and_then(|entry| entry.seat());
    seat.map_or_else(|| format!("turn {number}"), |seat| name(state, seat))
}
