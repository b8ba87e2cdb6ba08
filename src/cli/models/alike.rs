//! Warning about debates in which all seats have the same model.

use crate::cli::models::minds::Usable;
use crate::model::{Participant, Text};
use crate::scenario::{Advice, Loaded};
use crate::state::policies;
use std::collections::BTreeSet;

/// Returns the warning about a debate whose speakers all have the same model; `None` for any other conversation.
pub fn warning(loaded: &Loaded, usable: impl FnOnce() -> Usable) -> Option<String> {
    let traits = policies::traits(&loaded.scenario.policy.name);
    let debates = Advice::is_debate(&loaded.scenario, traits, &loaded.participants);
    let speakers: Vec<&Participant> = loaded.participants.iter().filter(|p| p.speaks).collect();
    let models: Option<BTreeSet<&Text>> = speakers.iter().map(|seat| model(seat)).collect();
    if !debates || speakers.len() < 2 || models?.len() != 1 {
        return None;
    }
    let usable = usable();
    let families = usable.families();
    let model = speakers.first().and_then(|seat| model(seat)).map_or("", |name| name);
    let families = families.iter().map(|(word, ..)| *word).filter(|word| !model.contains(word));
    let own = usable.words.iter().filter(|(_, other)| *other != model).map(|(word, _)| &**word);
    let others: Vec<&str> = own.chain(families).collect();
    let also = if others.is_empty() {
        String::new()
    } else {
        format!(". Also here: {}, as in --model a,b", others.join(", "))
    };
    Some(format!("one model for all: expect agreement{also}"))
}

/// Returns the name of a seat's model; `None` for other voices and for recordings.
fn model(seat: &Participant) -> Option<&Text> {
    let model = seat.voice.as_model()?;
    (model.recording().is_none() && !model.name.is_empty()).then_some(&model.name)
}
