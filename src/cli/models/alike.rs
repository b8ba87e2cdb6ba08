//! Warning about debates in which all seats have the same model.

use crate::model::{Debate, Participant, Text};
use crate::scenario::Loaded;
use crate::state::policies;
use std::collections::BTreeSet;

/// Number words for small counts of seats, from two on.
const NUMBERS: [&str; 8] = ["two", "three", "four", "five", "six", "seven", "eight", "nine"];

/// Returns the warning about a debate whose speakers all have the same model; `None` for any other conversation.
pub fn warning(loaded: &Loaded) -> Option<String> {
    let debates = loaded.scenario.debate == Debate::Guided
        && policies::traits(&loaded.scenario.policy.name).debates;
    let speakers: Vec<&Participant> = loaded.participants.iter().filter(|p| p.speaks).collect();
    let models: Option<BTreeSet<&Text>> = speakers.iter().map(|seat| model(seat)).collect();
    if !debates || speakers.len() < 2 || models?.len() != 1 {
        return None;
    }
    let count = speakers.len();
    let number = NUMBERS.get(count - 2).map_or_else(|| count.to_string(), |n| (*n).to_owned());
    Some(format!(
        "{number} seats, one model: expect agreement; `model = \"PROVIDER:NAME\"` gives a participant its own"
    ))
}

/// Returns the name of a seat's model; `None` for other voices and for recordings.
fn model(seat: &Participant) -> Option<&Text> {
    let model = seat.voice.as_model()?;
    (model.recording().is_none() && !model.name.is_empty()).then_some(&model.name)
}
