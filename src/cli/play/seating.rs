//! Seats for the models that the person names: open seats of the scenario, and speakers that sit as themselves.

use crate::cli::args::Identities;
use crate::cli::error::Failure;
use crate::cli::models::minds::Seated;
use crate::scenario::{AsItself, Loaded};
use crate::voice::program;
use std::collections::{BTreeMap, BTreeSet};

/// Gives the scenario as many seats as models are named. If these differ and no file gives people, each sits as itself.
///
/// # Errors
/// If there are more models than seats, or if identities that are to be hidden belong to people.
pub fn seat(
    loaded: &mut Loaded,
    seated: &[Seated],
    is_own_topic: bool,
    identities: Identities,
) -> Result<(), Failure> {
    let distinct: BTreeSet<&str> = seated.iter().map(|mind| &*mind.model).collect();
    let is_named = seated.iter().any(|mind| mind.seat.is_some());
    let is_hidden = identities == Identities::Hidden;
    let people = || {
        let fault = Failure::usage(
            "--anonymous: the participants are people, so there is nothing to hide",
            "leave it out, or name several models for a scenario that gives no people",
        );
        if is_hidden { Err(fault) } else { Ok(()) }
    };
    if distinct.len() < 2 && !(is_named && seated.len() > 1) {
        return people();
    }
    let count = seated.len();
    loaded.open_seats(count).map_err(|most| {
        Failure::usage(
            format!("{count} models, but this scenario has {most} participants without a model"),
            "name fewer models, or a scenario with open seats, as in --set seats.open=8",
        )
    })?;
    let meant = |mind: &Seated| loaded.participants.iter().any(|seat| mind.is_for(seat));
    let is_cast = identities == Identities::Cast || loaded.has_people(is_own_topic);
    if is_cast || seated.iter().any(meant) {
        return people();
    }
    loaded.close_seats(count);
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let speakers = ('A'..).zip(seated.iter().cycle()).take(loaded.unnamed());
    let speakers = speakers.map(|(letter, mind)| {
        if is_hidden {
            let name = format!("Speaker {letter}");
            return AsItself { identity: anonymous(&name), name };
        }
        let name = mind.seat.clone().unwrap_or(mind.name.clone());
        let times = known.entry(name.clone()).or_default();
        *times += 1;
        let name = if *times > 1 { format!("{name} {times}") } else { name };
        AsItself { identity: identity(&name, mind), name }
    });
    let speakers: Vec<AsItself> = speakers.collect();
    loaded.sit_as_themselves(&speakers);
    Ok(())
}

/// Rest of the identity of a model without a person. A model has counted nothing itself.
const AS_ITSELF: &str = ", and you speak as yourself. The others are other AI models. Say how sure you are; invent no source.";

/// Returns the identity of a participant whose model is hidden.
fn anonymous(name: &str) -> String {
    format!("You are {name}{AS_ITSELF}")
}

/// Returns the sentence by which a model knows itself.
fn identity(name: &str, mind: &Seated) -> String {
    let model = match program::parts(&mind.model) {
        Some((_, model)) => model.unwrap_or_default(),
        None => mind.model.split_once(':').map_or(&*mind.model, |(_, model)| model),
    };
    let maker = mind.maker.as_ref().map(|maker| format!("by {maker}"));
    let model = (!model.is_empty() && model != name).then(|| model.to_owned());
    let about: Vec<String> = model.into_iter().chain(maker).collect();
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    format!("You are {name}{about}{AS_ITSELF}")
}
