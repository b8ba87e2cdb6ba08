//! `run`: plays a scenario.

use crate::cli::args::{RunOptions, Topic};
use crate::cli::commands::check;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::inputs::{one_reader, read_stdin, steer_lines};
use crate::cli::models::providers::Providers;
use crate::cli::models::resolve::{self, ModelSource};
use crate::cli::models::{alike, named};
use crate::cli::play::assemble::{self, REHEARSAL_SEED, opened, rehearsal};
use crate::cli::play::cast::Cast;
use crate::cli::play::gate::{Gate, OperatorGate};
use crate::cli::play::history::{self, History};
use crate::cli::play::next::{Begin, Next, Setup};
use crate::cli::play::toolbox::{decisions, give_files, meet_servers, toolbox};
use crate::cli::play::{casting, dry_run, material, seating, state_file, terminal};
use crate::cli::runtime::block_on;
use crate::cli::source::{self, FoundScenario};
use crate::cli::trust::allowed::{Allowed, Consent, admit_project};
use crate::host::{self, Opening, Parts};
use crate::ledger::RunBudget;
use crate::model::profile::merge;
use crate::model::{CallRate, Key, Limits, SeatId, SteerLine, Text, VoiceSpec, Wall};
use crate::scenario::{self, Advice, Loaded, TakesPart, Wait};
use crate::session::{self, Mode};
use crate::state::{State, policies};
use crate::{policy, text};
use clap::Args;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bits shifted out of a random seed, so that it fits into 53 bits, which every JSON reader can represent.
const SEED_SHIFT: u32 = 11;

/// Scenario of a topic that comes without one.
pub const ROUND_TABLE: &str = "round-table";

/// Run a scenario: a file, `-` for standard input, or a bundled or own name
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Scenario name or file; `round-table` if only --topic is given
    #[arg(value_name = "SCENARIO", required_unless_present = "topic")]
    scenario: Option<String>,
    #[command(flatten)]
    options: RunOptions,
}

impl RunArgs {
    /// Returns the next action.
    pub fn next(self, context: &Context) -> Result<Next, Failure> {
        let scenario = self.scenario.unwrap_or_else(|| ROUND_TABLE.into());
        next(scenario, self.options, context)
    }
}

/// Prints the plan of a dry run, or returns the command that plays the scenario if the terminal permits it.
pub fn next(scenario: String, mut options: RunOptions, context: &Context) -> Result<Next, Failure> {
    if options.dry_run {
        return plan(&Begin { scenario, options, chosen_on: None }, context).map(Next::Over);
    }
    if let Err(fault) = terminal::check(&mut options.play, context) {
        // another way to play it is no help if there is no such scenario
        if scenario != "-" {
            source::find(&context.paths, &scenario)?;
        }
        return Err(fault);
    }
    Ok(Next::Begin(Box::new(Begin { scenario, options, chosen_on: None })))
}

/// Scenario that is ready to be played, with its history and models.
struct Prepared {
    found: FoundScenario,
    loaded: Loaded,
    history: History,
    models: ModelSource,
    budget: Option<RunBudget>,
}

/// Finds the scenario named on the command line.
fn find(begin: &Begin, context: &Context) -> Result<FoundScenario, Failure> {
    one_reader([
        ("SCENARIO", begin.scenario == "-"),
        ("--topic", begin.options.topic == Some(Topic::StandardInput)),
        ("--steer", begin.options.play.reads_commands()),
    ])?;
    source::find(&context.paths, &begin.scenario)
}

/// Loads a scenario and applies the options to it.
fn prepare(
    options: &RunOptions,
    mut found: FoundScenario,
    gate: &dyn Gate,
    context: &Context,
) -> Result<Prepared, Failure> {
    let play = &options.play;
    found.set(&play.set)?;
    let mut loaded = scenario::load(&found.source, &policy::rows())?;
    context.report_warnings(&loaded.warnings);
    let mut history = match &options.history {
        Some(path) => {
            let other = options.history_as.as_deref().unwrap_or(history::OTHER);
            let given = options.topic.is_some();
            history::read(path, &loaded.participants, given, other)?
        }
        None => History::default(),
    };
    history.lines.extend(steer_lines(play)?);
    let own_topic = loaded.scenario.topic.clone();
    apply(&mut loaded, options, history.topic.take())?;
    let part = policy::find(&loaded.scenario.policy.name).map(|policy| policy.row.takes_part);
    if options.take_part
        && let Some(TakesPart::NoTurns(told)) = part
    {
        context.say(&format!("you take part: {told}"));
    }
    if let Some(path) = &play.state {
        merge(&mut loaded.scenario.profile.known, &state_file::read(path)?);
    }
    refuse_waits(&loaded, options)?;
    if !(options.dry_run || loaded.all_rehearsed()) {
        admit_project(Consent::from_options(play), context)?;
    }
    let models = match assign(&mut loaded, own_topic.as_ref(), options, context) {
        Ok(models) => models,
        Err(failure) => {
            let providers = Providers::new(context, &play.models)?;
            return Err(named::placed(failure, &loaded, &found.source, &providers));
        }
    };
    if let Some(warning) = alike::warning(&loaded, || models.usable()) {
        context.say(&warning);
    }
    let budget = gate.admit(&loaded.participants, &mut loaded.scenario.limits, &models)?;
    if options.cast && !options.dry_run {
        let unasked = play.headless || !Context::at_terminal();
        block_on(casting::cast(&mut loaded, &models, unasked, context))?;
    }
    Ok(Prepared { found, loaded, history, models, budget })
}

/// Gives the participants of a scenario their models.
fn assign(
    loaded: &mut Loaded,
    own_topic: Option<&Text>,
    options: &RunOptions,
    context: &Context,
) -> Result<ModelSource, Failure> {
    let named = &options.play.models;
    let mut models = ModelSource::new(Providers::new(context, named)?, named);
    if !loaded.all_rehearsed() {
        let is_own = loaded.scenario.topic.as_ref() == own_topic;
        seating::seat(loaded, models.seated()?, is_own, options.identities())?;
    } else if named.model.is_some() {
        return Err(Failure::usage(
            "--model would ask nobody: every line is rehearsed",
            "leave out --model; `run` without --rehearsed asks models",
        ));
    }
    if let Err(mut failure) = models.assign(&mut loaded.participants, context) {
        let may_rehearse = !options.play.rehearsed && !loaded.rehearsed.is_empty();
        if let (Some(hint), true, Exit::NoModel) = (&mut failure.hint, may_rehearse, failure.code) {
            hint.push_str("; --rehearsed plays the rehearsed lines");
        }
        return Err(failure);
    }
    Ok(models)
}

/// Prints the speaking order and the estimate without calling a model.
fn plan(begin: &Begin, context: &Context) -> Result<Exit, Failure> {
    let found = find(begin, context)?;
    let Prepared { loaded, history, .. } = prepare(&begin.options, found, &OperatorGate, context)?;
    let opened = opened(
        loaded.clone(),
        BTreeMap::new(),
        begin.options.seed.unwrap_or(REHEARSAL_SEED),
        false,
    )?;
    let mut about = check::describe(&begin.scenario, &loaded);
    if begin.options.cast {
        about.push_str(
            "  cast     proposed by the model in a call before the first, not counted below\n",
        );
    }
    dry_run::run(&about, opened, history.lines, begin.options.play.format)
}

/// Starts a conversation.
pub fn start(begin: &Begin, context: &Context) -> Result<Setup, Failure> {
    start_found(&begin.options, find(begin, context)?, vec![], &OperatorGate, context)
}

/// Starts a conversation with a scenario that has been found, if the gate admits it. The operator lines in `first` come
/// before all others.
pub fn start_found(
    options: &RunOptions,
    found: FoundScenario,
    mut first: Vec<(Key, SteerLine)>,
    gate: &dyn Gate,
    context: &Context,
) -> Result<Setup, Failure> {
    let play = &options.play;
    let Prepared { found, mut loaded, history, models, budget } =
        prepare(options, found, gate, context)?;
    let seats = &mut loaded.participants;
    let consent = Consent::from_options(play);
    let allowed = Allowed::by_scenario(seats, &found, &models.chosen()?, consent, context)?;
    meet_servers(seats, &allowed, &found.folder, play, context)?;
    models.read_windows(seats, context)?;
    let traits = policies::traits(&loaded.scenario.policy.name);
    let debates = Advice::is_debate(&loaded.scenario, traits, &*seats);
    if loaded.scenario.layout.is_none() && debates {
        models.read_sizes(seats, context)?;
    }
    material::fit(&mut first, seats, options.cut_material)?;
    give_files(&mut loaded, play);
    let seats = &loaded.participants;
    let tools = toolbox(seats, allowed.clone(), found.folder.clone(), play, context)?;
    let commands = decisions(play, seats, context)?;
    // do not delay the screen by checking models first
    let inquiry = if play.headless || context.text_mode().is_some() {
        models.meet(seats, !play.headless, context).map(|()| None)?
    } else {
        Some(models.inquiry(seats)?)
    };
    resolve::report_unknown_windows(seats, context);
    let virtual_time = play.may_be_virtual() && assemble::is_timeless(seats, play.steered_live());
    let seed = options.seed.unwrap_or_else(|| {
        if virtual_time { REHEARSAL_SEED } else { assemble::random() >> SEED_SHIFT }
    });
    let sessions = context.paths.sessions();
    let date = context.environment.source_date_epoch().map(Wall);
    let fixed = assemble::fixed_epoch(virtual_time, options.seed, date);
    let (at, dice) = assemble::naming(fixed, seed);
    let place = options.keep.place(&sessions, at, dice);
    let cast = Cast::new(allowed.clone(), found.folder, &context.environment, models);
    cast.read_recordings(seats)?;
    let session = session::create(place, Mode::Normal)?;
    let start = Opening::Open(Box::new(opened(loaded, rates(context)?, seed, play.attended())?));
    let clock = assemble::clock(virtual_time, &State::default(), at);
    let conversation = host::assemble(Parts {
        at_reading_pace: context.is_at_reading_pace(play)?,
        attended: play.attended(),
        steered: play.steered_live(),
        commands,
        lines: first.into_iter().chain(history.lines).collect(),
        saved: !options.keep.no_save,
        ..Parts::new(session, start, Arc::new(cast), tools, clock)
    });
    let play = play.clone();
    Ok(Setup { conversation, told: None, play, allowed, inquiry, notice: None, budget })
}

/// Returns the end of a conversation with estimated usage, and the warning about it. Calls no model and saves nothing.
pub fn forecast(begin: &Begin, context: &Context) -> Result<(State, Option<String>), Failure> {
    let mut found = source::find(&context.paths, &begin.scenario)?;
    found.set(&begin.options.play.set)?;
    let mut loaded = scenario::load(&found.source, &policy::rows())?;
    let own_topic = loaded.scenario.topic.clone();
    apply(&mut loaded, &begin.options, None)?;
    let models = assign(&mut loaded, own_topic.as_ref(), &begin.options, context)?;
    let warning = alike::warning(&loaded, || models.usable());
    Ok((dry_run::played(rehearsal(loaded)?), warning))
}

/// Returns whether a `--set` gives a participant a persona or a role.
fn gives_persona(set: &str) -> bool {
    let key = set.split_once('=').map_or("", |(key, _)| key.trim());
    key.starts_with("participant") && [".persona", ".role"].iter().any(|end| key.ends_with(end))
}

/// Applies the options to a loaded scenario.
fn apply(loaded: &mut Loaded, options: &RunOptions, asked: Option<String>) -> Result<(), Failure> {
    if options.play.rehearsed {
        loaded.rehearse();
    }
    let topic = match &options.topic {
        Some(Topic::StandardInput) => Some(read_stdin("a topic")?.trim().to_owned()),
        Some(Topic::Text(topic)) => Some(topic.clone()),
        None => asked,
    };
    if options.topic.is_some() && topic.as_ref().is_some_and(|topic| topic.trim().is_empty()) {
        return Err(Failure::usage("the topic is empty", "say what the conversation is about"));
    }
    if let Some(topic) = topic {
        let speaks_lines = |v: &VoiceSpec| matches!(v, VoiceSpec::Lines { .. });
        let rehearsed = loaded.participants.iter().any(|p| speaks_lines(&p.voice));
        match &loaded.scenario.topic {
            Some(own) if rehearsed && **own != topic => {
                return Err(Failure::usage(
                    format!("the rehearsed lines are about another topic: {}", text::line(own)),
                    "leave out --topic",
                ));
            }
            Some(own) if **own == *topic => {}
            Some(_) | None => {
                loaded.set_topic(&topic, options.play.set.iter().any(|set| gives_persona(set)));
            }
        }
    }
    // after the topic: a person's substitute speaks lines, which fit any topic
    if options.play.headless {
        loaded.unattended(!options.keep.no_save);
    }
    if options.take_part {
        loaded.seat_person();
    }
    let limits: Limits = options.play.limits();
    loaded.scenario.limits.merge(&limits);
    Ok(())
}

/// Rejects scenarios that would wait for an operator who is absent.
fn refuse_waits(loaded: &Loaded, options: &RunOptions) -> Result<(), Failure> {
    let play = &options.play;
    let mut waits = loaded.waits(&policy::rows());
    // a person with a link needs no terminal, but the socket of a saved conversation
    let seat = |id: &SeatId| loaded.participants.iter().find(|seat| seat.id == *id);
    let has_link = |id: &SeatId| seat(id).is_some_and(|seat| seat.voice.has_link());
    waits.retain(|wait| options.keep.no_save || !matches!(wait, Wait::Human(id) if has_link(id)));
    if waits.is_empty() || play.steer.is_some() || !play.headless {
        return Ok(());
    }
    let waits: Vec<String> = waits.iter().map(ToString::to_string).collect();
    let message = format!("this run would wait for a person: {}", waits.join("; "));
    Err(Failure::new(Exit::Invalid, message)
        .hint("add --steer FILE or --steer -, or give the participant a stand_in"))
}

/// Returns the call rates of the providers, from the settings.
pub fn rates(context: &Context) -> Result<BTreeMap<Text, CallRate>, Failure> {
    let settings = context.settings()?;
    let providers = settings.providers.iter();
    Ok(providers.filter_map(|(name, set)| Some((name.as_str().into(), set.rate?))).collect())
}
