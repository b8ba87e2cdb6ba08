//! Translates the options of `resume` and `fork` into operator commands, so that the log records each change and its
//! time.

use crate::cli::args::Play;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::models::minds::{self, Seated};
use crate::cli::models::providers::Providers;
use crate::cli::models::resolve::ModelSource;
use crate::cli::session_file::seats;
use crate::cli::source;
use crate::model::{Command, Limits, Participant, SteerLine, Text, VoiceSpec};
use crate::policy;
use crate::scenario::{self, Override, bundled_names};
use crate::state::State;
use serde_json::{Map, Value, json};

/// Changes that options make to a session on resume or fork.
pub struct Changes {
    /// Seats after the changes.
    pub seats: Vec<Participant>,
    /// Limits set by the options.
    pub limits: Limits,
    /// Commands that record the changes in the log.
    pub commands: Vec<Command>,
}

impl Changes {
    /// Returns true if no seat needs anything but its lines.
    pub fn all_rehearsed(&self) -> bool {
        self.seats.iter().all(|p| p.voice.is_rehearsed())
    }

    /// Changes a seat by the keys of a `[[participant]]`.
    fn change(&mut self, at: usize, set: Map<String, Value>) -> Result<(), String> {
        let seat = self.seats.get_mut(at).ok_or("no such participant")?;
        *seat = scenario::change(seat, &set)?;
        self.commands.push(Command::Change { who: seat.id.clone(), set });
        Ok(())
    }
}

/// Returns the changes that the options request.
pub fn requested(past: &State, play: &Play, context: &Context) -> Result<Changes, Failure> {
    let seats: Vec<Participant> = seats(past).cloned().collect();
    let mut changes = Changes { seats, limits: Limits::default(), commands: vec![] };
    if play.rehearsed {
        rehearse(&mut changes, context)?;
    }
    // first, so that no other change is checked against an unreachable model
    if play.models.model.is_some() {
        let models = ModelSource::new(Providers::new(context, &play.models)?, &play.models);
        swap_models(&mut changes, models.seated()?)?;
    }
    for setting in &play.set {
        set(&mut changes, setting)?;
    }
    if !play.set.is_empty() {
        let models = ModelSource::new(Providers::new(context, &play.models)?, &play.models);
        changes.seats.iter_mut().try_for_each(|seat| models.translate(seat))?;
    }
    changes.limits.merge(&play.limits());
    if changes.limits != Limits::default() {
        changes.commands.push(Command::Limit { set: changes.limits.clone() });
    }
    Ok(changes)
}

/// Switches every seat with a model to another model, in order.
fn swap_models(changes: &mut Changes, seated: &[Seated]) -> Result<(), Failure> {
    let mut seats = changes.seats.clone();
    for seat in &mut seats {
        if let VoiceSpec::Model(spec) = &mut seat.voice {
            spec.name = "".into();
        }
    }
    minds::place(&mut seats, seated);
    let placed =
        |(at, seat): (usize, &Participant)| Some((at, seat.voice.as_model()?.name.clone()));
    let placed: Vec<(usize, Text)> = seats.iter().enumerate().filter_map(placed).collect();
    if placed.is_empty() {
        return Err(Failure::usage("no participant uses a model", "leave out --model"));
    }
    placed.into_iter().try_for_each(|(at, model)| {
        let set = Map::from_iter([("model".to_owned(), (&*model).into())]);
        changes
            .change(at, set)
            .map_err(|why| Failure::usage(format!("--model {model}: {why}"), "use PROVIDER:NAME"))
    })
}

/// Sets a key of the scenario, if it can still change after the start.
fn set(changes: &mut Changes, text: &str) -> Result<(), Failure> {
    let refused = |why: String| {
        Failure::usage(
            format!("--set {text}: {why}"),
            "for a session, --set accepts limits.KEY=VALUE, participant.ID.KEY=VALUE and title=TEXT",
        )
    };
    let setting = Override::parse(text).map_err(|why| refused(why.into()))?;
    let value = setting.value();
    let path: Vec<&str> = setting.path().iter().map(String::as_str).collect();
    let line = match path[..] {
        ["title"] => json!({"do": "rename", "text": value}),
        ["limits", key] => json!({"do": "limit", "set": {key: value}}),
        ["participant" | "participants", who, key] => {
            let number = who.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            let named = || changes.seats.iter().position(|p| *p.id == *who);
            let at = number.or_else(named).filter(|at| *at < changes.seats.len());
            let Some(at) = at else {
                let ids: Vec<&str> = changes.seats.iter().map(|p| &*p.id).collect();
                return Err(refused(format!(
                    "no participant `{who}`; there are {}",
                    ids.join(", ")
                )));
            };
            return changes.change(at, Map::from_iter([(key.to_owned(), value)])).map_err(refused);
        }
        _ => return Err(refused("this key cannot change after the start".into())),
    };
    let line = SteerLine::parse(&line.to_string()).map_err(|e| refused(e.0))?;
    match line.command {
        Command::Limit { set } => changes.limits.merge(&set),
        verb => changes.commands.push(verb),
    }
    Ok(())
}

/// Replaces the voices by the rehearsed lines of the scenario with the same participants. A session contains only the
/// lines that were spoken.
fn rehearse(changes: &mut Changes, context: &Context) -> Result<(), Failure> {
    if changes.all_rehearsed() {
        return Ok(());
    }
    let ids = |seats: &[Participant]| seats.iter().map(|p| p.id.clone()).collect::<Vec<_>>();
    // executors of a plan speak the lines of the participant they were made from
    let seated: Vec<Participant> =
        changes.seats.iter().filter(|p| p.made_from.is_none()).cloned().collect();
    let wanted = ids(&seated);
    let names = bundled_names().map(str::to_owned).chain(source::own_names(&context.paths));
    let mut scenarios = names.filter_map(|name| {
        let found = source::find(&context.paths, &name).ok()?;
        scenario::load(&found.source, &policy::rows()).ok()
    });
    let fits = |loaded: &scenario::Loaded| {
        ids(&loaded.participants) == wanted
            && wanted.iter().all(|id| loaded.rehearsed.contains_key(id))
    };
    let Some(loaded) = scenarios.find(fits) else {
        return Err(Failure::usage(
            "no scenario has rehearsed lines for the participants of this session",
            "leave out --rehearsed, or name another model with --model PROVIDER:NAME",
        ));
    };
    for at in 0..changes.seats.len() {
        let seat = &changes.seats[at];
        let id = seat.made_from.as_ref().unwrap_or(&seat.id);
        if let Some(VoiceSpec::Lines { lines, .. }) = loaded.rehearsed.get(id) {
            let set = Map::from_iter([("lines".to_owned(), json!(lines))]);
            changes.change(at, set).map_err(|why| Failure::usage(why, "leave out --rehearsed"))?;
        }
    }
    Ok(())
}
