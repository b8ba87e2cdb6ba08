//! The operator's deeds in words: those that no other event shows.

use super::Told;
use super::teller::{place, utterances};
use crate::analysis::name;
use crate::model::command::NoteFor;
use crate::model::*;
use crate::state::State;
use crate::text;

/// Returns what a command tells by itself; words and pauses are told where they take effect.
pub(super) fn given(state: &State, given: &Given, hidden: impl Fn(u32) -> bool) -> Vec<Told> {
    let seat = |id: &SeatId| name(state, id);
    let note = |note: String| vec![Told::Note(text::label(&note).into_owned())];
    let words = |place: String, who: String, body: &str| {
        vec![Told::Words { place, who, body: text::block(body).into_owned() }]
    };
    match &given.line.verb {
        Verb::Note { text, to, lives } => {
            let to = match &to[..] {
                [] => "everybody".into(),
                to => to.iter().map(seat).collect::<Vec<_>>().join(", "),
            };
            let lives = match lives {
                NoteFor::Utterance => "for the next utterance",
                NoteFor::Round => "for this round",
                NoteFor::Standing => "until it is lifted",
            };
            words(place(state), format!("operator's note to {to}, {lives}"), text)
        }
        Verb::Edit { utterance, .. } if hidden(*utterance) => vec![],
        Verb::Edit { utterance, text } => {
            let who = state.utterance(*utterance).and_then(|e| e.seat()).map(seat);
            let who = format!("{}, as the operator edited it", who.unwrap_or_default());
            words(utterance.to_string(), who, text)
        }
        Verb::Hide { utterance, text } => {
            let why = text.iter().map(|t| format!(": {t}")).collect::<String>();
            note(format!("utterance {utterance} is hidden{why}"))
        }
        Verb::Choose { utterance, alternative } => {
            note(format!("alternative {alternative} of utterance {utterance} counts"))
        }
        Verb::LiftNote { note: lifted } => note(format!("the note {lifted} is lifted")),
        Verb::Floor { to } => note(format!("the operator gives the floor to {}", seat(to))),
        Verb::Skip {} => note("the operator skips a turn".into()),
        Verb::Mute { who } => note(format!("{} is muted", seat(who))),
        Verb::Unmute { who } => note(format!("{} is unmuted", seat(who))),
        Verb::Leave { who } => note(format!("{} leaves", seat(who))),
        Verb::Join { .. } => match &given.targets.participant {
            Some(p) => note(format!("{} joins", seat(&p.id))),
            None => vec![],
        },
        Verb::Change { who, set } => {
            let keys: Vec<&str> = set.keys().map(String::as_str).collect();
            note(format!("{} is changed: {}", seat(who), keys.join(", ")))
        }
        Verb::Retry {} | Verb::Reroll { .. } => {
            note("the operator asks for the last utterance anew".into())
        }
        Verb::Limit { set } => {
            let each = set.per_seat.map(|n| format!("{} a seat", utterances(n)));
            let words = |limit: Limit| Some(limit.words(set.of(limit)?));
            let mut set: Vec<String> = Limit::ALL.into_iter().filter_map(words).collect();
            set.extend(each);
            note(format!("new limit: {}", set.join(", ")))
        }
        Verb::Mark { text } => match text {
            Some(text) => note(format!("mark: {text}")),
            None => note("mark".into()),
        },
        Verb::End { final_round: true } => note("the operator asks for a final word".into()),
        Verb::Pause {}
        | Verb::PauseNow {}
        | Verb::Resume {}
        | Verb::Step { .. }
        | Verb::Say { .. }
        | Verb::CutIn { .. }
        | Verb::Whisper { .. }
        | Verb::SpeakAs { .. }
        | Verb::Speak { .. }
        | Verb::Pass { .. }
        | Verb::EditQueued { .. }
        | Verb::DropQueued { .. }
        | Verb::Rename { .. }
        | Verb::Vote { .. }
        | Verb::Verdict { .. }
        | Verb::Decide { .. }
        | Verb::End { final_round: false } => vec![],
    }
}
