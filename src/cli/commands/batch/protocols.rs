//! Protocols of a batch: the scenario and its baselines, with their voices and fingerprints.

use super::args::BatchArgs;
use super::grid::{GridCell, Varied};
use super::questions::only_inserts_fields;
use crate::batch::{Arm, ArmSeat, ArmSide, Equal, Shape, bracketed, calls, digest, first_round};
use crate::cli::args::{Identities, Play};
use crate::cli::commands::run;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::providers::Providers;
use crate::cli::models::resolve::{self, ModelSource};
use crate::cli::play::assemble::{self, opened};
use crate::cli::play::cast::Cast;
use crate::cli::play::toolbox::{decisions, meet_servers, toolbox};
use crate::cli::play::{dry_run, seating};
use crate::cli::source::{self, FoundScenario};
use crate::cli::trust::allowed::{Allowed, Consent, admit_project};
use crate::model::{
    Aggregation, CallRate, Command, Limits, ModelSpec, Participant, SeatId, Text, VoiceSpec,
};
use crate::policy;
use crate::scenario::{self, Loaded, Override, ResultRule, Side, Source};
use crate::tool::Tools;
use crate::voice::Voices;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Baselines with the wording of a bundled scenario, for protocols whose first round is not simultaneous.
const BUNDLED: [(&str, Equal); 4] = [
    ("plain-vote", Equal::No),
    ("self-consistency", Equal::Calls),
    ("single", Equal::No),
    ("reflection", Equal::Calls),
];

/// Baselines of a protocol whose answer is a verdict on two answers.
const JUDGED: [&str; 2] = ["naive-judge", "expert-judge"];

/// Baseline with as many tokens.
const SAME_TOKENS: &str = "self-consistency-tokens";

/// Largest number of its calls per call of the protocol in a plan. Its prompts are shorter.
const TOKENS_TIMES: u64 = 10;

/// Temperature of samples of one model whose own temperature is 0: equal samples cannot vote.
const SAMPLED: f64 = 0.7;

/// Arm that is ready to run.
#[derive(Clone)]
pub struct Prepared {
    /// Name, fingerprint, seats and planned calls.
    pub arm: Arm,
    /// Form of a baseline that is derived from the scenario; `None` to run the scenario itself.
    pub shape: Option<Shape>,
    /// Text of the scenario, with the settings of the command line.
    pub source: Source,
    /// Scenario that provides the topic of a baseline; `None` if this is not a baseline.
    pub topic_of: Option<Source>,
    /// Scenario without an item, with models and prices.
    pub loaded: Loaded,
    /// Voices of the participants.
    pub voices: Arc<dyn Voices>,
    /// Tools of the participants.
    pub tools: Arc<dyn Tools>,
    /// Permissions of the operator, given before each conversation.
    pub commands: Vec<Command>,
    /// Call rates by provider.
    pub rates: BTreeMap<Text, CallRate>,
    /// True if no voice takes real time.
    pub timeless: bool,
}

impl Prepared {
    /// Returns the first template that cannot be filled in for an item, in any round; other seats reply with
    /// placeholders.
    pub fn template_fault(&self, values: &Map<String, Value>) -> Option<String> {
        let calls = self.arm.planned.map(|(_, most)| most);
        let opened =
            self.of_item(values, calls).and_then(|of| opened(of, BTreeMap::new(), 0, false));
        match opened {
            Ok(opened) => {
                let state = dry_run::played(opened);
                let failed = state.seats.iter().find_map(|seat| seat.failed.as_ref());
                failed.map(|error| error.text.to_string())
            }
            Err(failure) => {
                let fault = failure.faults.first().and_then(|faults| faults.list.first());
                Some(fault.map_or(failure.message, ToString::to_string))
            }
        }
    }

    /// Returns whether its templates use fields of an item only to insert them, as in `{{ item.text | lettered }}`: not in
    /// conditions, loops or expressions.
    pub fn only_inserts_fields(&self) -> bool {
        let sources = [Some(&self.source), self.topic_of.as_ref()];
        sources.into_iter().flatten().all(|source| {
            let set = source.settings.iter().map(|setting| setting.value().to_string());
            [source.text.clone()].into_iter().chain(set).all(|text| only_inserts_fields(&text))
        })
    }

    /// Returns the scenario for an item.
    /// Baselines with as many calls as the examined conversation get their number.
    pub fn of_item(
        &self,
        values: &Map<String, Value>,
        calls: Option<u64>,
    ) -> Result<Loaded, Failure> {
        let mut loaded = match &self.topic_of {
            None => with_item(&self.source, values)?,
            Some(other) => {
                let topic = with_item(other, values)?.scenario.topic;
                let mut source = self.source.clone();
                // the fields of its own topic may have other names
                source.settings.push(Override::from_path(&["topic"], &"?".into()));
                let mut loaded = with_item(&source, values)?;
                loaded.scenario.topic = topic;
                loaded
            }
        };
        match (&self.shape, loaded.scenario.phases.first_mut(), calls) {
            (Some(shape), _, calls) => shape.reduce(&mut loaded, calls.unwrap_or(1)),
            (None, Some(phase), Some(calls)) if self.arm.equal != Equal::No => {
                phase.policy.options.insert("rounds".into(), calls.into());
            }
            _ => {}
        }
        for seat in &mut loaded.participants {
            let ready = self.loaded.participants.iter().find(|p| p.id == seat.id);
            if let Some(ready) = ready {
                // the reply settings depend on the item: quotations are checked against it
                let reply = seat.reply.clone();
                *seat = ready.clone();
                seat.reply = reply;
            }
        }
        loaded.parallel = self.loaded.parallel;
        Ok(loaded)
    }
}

fn with_item(source: &Source, values: &Map<String, Value>) -> Result<Loaded, Failure> {
    let mut source = source.clone();
    if values.contains_key("topic") {
        // use a reference, because the text itself must not be parsed as a template
        source.settings.push(Override::from_path(&["topic"], &"{{ item.topic }}".into()));
    }
    let mut loaded = scenario::load_item(&source, &policy::rows(), values)?;
    loaded.scenario.result = ResultRule::None;
    Ok(loaded)
}

/// Prepares the scenario and, if requested, its baselines.
pub fn prepare(
    scenario: &str,
    args: &BatchArgs,
    context: &Context,
) -> Result<Vec<Prepared>, Failure> {
    let name = Path::new(scenario).file_stem().map(|s| s.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let mut all = vec![];
    if args.model.len() > 1 && args.vary.iter().any(Varied::is_model) {
        let hint = "use one of them; `+` joins a panel in --vary";
        return Err(Failure::usage("--model is repeated, and --vary has models", hint));
    }
    for cell in GridCell::product(&args.model, &args.vary, &args.sides) {
        let play = args.play(&cell);
        let mut found = source::find(&context.paths, scenario)?;
        found.set(&args.set)?;
        found.set(&cell.set)?;
        if !cell.sides.is_empty() {
            seat_sides(&mut found, &cell.sides)?;
        }
        let mut arms = vec![one(name.clone(), found, None, &play, context)?];
        if let ([first], false) = (&mut arms[..], cell.sides.is_empty()) {
            first.arm.sides = sides(&first.loaded);
        }
        if let Some(names) = &args.baselines {
            arms.extend(chosen(baselines(&arms[0], &play, context)?, names)?);
        }
        for Prepared { arm, .. } in &mut arms {
            arm.name = bracketed(&arm.name, &cell.label);
            arm.baseline_of = arm.baseline_of.take().map(|name| bracketed(&name, &cell.label));
        }
        all.extend(arms);
    }
    Ok(all)
}

/// Gives the seats of each side the model of the side, and asks for judgements in both orders.
fn seat_sides(found: &mut FoundScenario, models: &[String]) -> Result<(), Failure> {
    let scenario = scenario::load(&found.source, &policy::rows())?.scenario;
    let sides = scenario.verdict.map(|verdict| verdict.sides).unwrap_or_default();
    if sides.len() != 2 {
        let message =
            format!("--sides needs a verdict on two sides; this scenario has {}", sides.len());
        return Err(Failure::usage(message, "as in [verdict] sides = [\"a\", \"b\"]"));
    }
    let settings = &mut found.source.settings;
    for (side, model) in sides.iter().zip(models) {
        for seat in &side.seats {
            let path = ["participant", &**seat, "model"];
            settings.push(Override::from_path(&path, &model.as_str().into()));
        }
    }
    settings.push(Override::from_path(&["verdict", "swap_test"], &true.into()));
    Ok(())
}

/// Returns the sides of a verdict with the models of their first seats.
fn sides(loaded: &Loaded) -> Vec<ArmSide> {
    let sides = loaded.scenario.verdict.iter().flat_map(|verdict| &verdict.sides);
    let side = |side: &Side| {
        let model = side.seats.first().and_then(|seat| model_name(loaded, seat));
        ArmSide { name: side.name.to_string(), model: model.unwrap_or_default().to_string() }
    };
    sides.map(side).collect()
}

/// Returns the baselines of the examined protocol: derived from its first round if that is simultaneous, else bundled.
fn baselines(first: &Prepared, play: &Play, context: &Context) -> Result<Vec<Prepared>, Failure> {
    let spec = first.loaded.scenario.answer.as_ref();
    if spec.is_some_and(|spec| spec.by == Aggregation::Judge) {
        let prepared = JUDGED.iter().map(|name| {
            let found = source::find(&context.paths, name)?;
            let models = judges_first(&first.loaded);
            let beside = Beside { examined: first, models };
            one((*name).to_owned(), found, Some(&beside), play, context)
        });
        return prepared.collect();
    }
    if !spec.is_some_and(|spec| spec.by.reads_answers()) {
        return Err(Failure::usage(
            format!(
                "{} has no [answer] given by participants, so it cannot have a baseline",
                first.arm.name
            ),
            "leave out --baselines",
        ));
    }
    match first_round(&first.loaded.scenario) {
        Some(seats) => Ok(derived_baselines(first, seats)),
        None => bundled_baselines(first, play, context),
    }
}

/// Returns the baselines with these names, all of them without a name.
fn chosen(mut all: Vec<Prepared>, names: &[String]) -> Result<Vec<Prepared>, Failure> {
    let names: Vec<&str> = names.iter().map(|name| name.trim()).filter(|n| !n.is_empty()).collect();
    let mut known: Vec<&str> = all.iter().map(|prepared| prepared.arm.protocol.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        let message = format!("--baselines: there is no baseline `{unknown}`");
        return Err(Failure::usage(message, format!("the baselines are {}", known.join(", "))));
    }
    if names.contains(&SAME_TOKENS)
        && !names.iter().any(|name| ["plain-vote", "self-consistency"].contains(name))
    {
        return Err(Failure::usage(
            format!(
                "--baselines: {SAME_TOKENS} takes the mean size of a sample from another baseline"
            ),
            "add plain-vote",
        ));
    }
    all.retain(|prepared| names.is_empty() || names.contains(&prepared.arm.protocol.as_str()));
    Ok(all)
}

/// Returns the model of a seat; `None` without a model.
fn model_name(loaded: &Loaded, seat: &str) -> Option<Text> {
    let seat = loaded.participants.iter().find(|other| *other.id.0 == *seat)?;
    seat.voice.as_model().map(|model| model.name.clone())
}

/// Returns the first of these seats for each different model, with the brackets of its arms: empty with one model.
fn models<'a>(loaded: &Loaded, seats: &'a [Text]) -> Vec<(&'a Text, String)> {
    let mut firsts: Vec<(&Text, Option<Text>)> = vec![];
    for seat in seats {
        let model = model_name(loaded, seat);
        if firsts.iter().all(|(_, other)| *other != model) {
            firsts.push((seat, model));
        }
    }
    let is_mixed = firsts.len() > 1;
    let bare = |model: &str| model.split_once(':').map_or(model, |(_, name)| name).to_owned();
    let names: Vec<Option<Text>> = firsts.iter().map(|(_, model)| model.clone()).collect();
    let brackets = |model: Option<Text>, seat: &Text| {
        let Some(model) = model else { return format!(" [{seat}]") };
        let same = names.iter().flatten().filter(|other| bare(other) == bare(&model)).count();
        format!(" [{}]", if same > 1 { model.to_string() } else { bare(&model) })
    };
    let named =
        |(seat, model)| (seat, if is_mixed { brackets(model, seat) } else { String::new() });
    firsts.into_iter().map(named).collect()
}

fn derived_baselines(first: &Prepared, seats: &[Text]) -> Vec<Prepared> {
    let models = models(&first.loaded, seats);
    let one = |seat: &Text| vec![seat.clone()];
    let all = || Shape::Samples(seats.to_vec());
    let mut shapes = vec![
        ("plain-vote", String::new(), Shape::Once(seats.to_vec()), Equal::No),
        ("self-consistency", String::new(), all(), Equal::Calls),
    ];
    for (seat, brackets) in &models {
        shapes.push(("single", brackets.clone(), Shape::Once(one(seat)), Equal::No));
        if models.len() > 1 {
            shapes.push((
                "self-consistency",
                brackets.clone(),
                Shape::Samples(one(seat)),
                Equal::Calls,
            ));
        }
        shapes.push((
            "reflection",
            brackets.clone(),
            Shape::Reflection((*seat).clone()),
            Equal::Calls,
        ));
    }
    // rehearsed lines use no tokens to compare
    if !first.loaded.all_rehearsed() {
        shapes.push((SAME_TOKENS, String::new(), all(), Equal::Tokens));
    }
    shapes.retain(|(name, brackets, ..)| *name != first.arm.name || !brackets.is_empty());
    let made = shapes
        .into_iter()
        .map(|(name, brackets, shape, equal)| derived(first, name, &brackets, shape, equal));
    made.collect()
}

/// Prepares a baseline that is derived from the first round of the examined scenario, with its models and voices.
fn derived(first: &Prepared, name: &str, brackets: &str, shape: Shape, equal: Equal) -> Prepared {
    let mut loaded = first.loaded.clone();
    shape.reduce(&mut loaded, 1);
    let mut notes = vec![];
    let seats = &mut loaded.participants;
    let model = seats.first().and_then(|seat| seat.voice.as_model().cloned());
    let is_one = |seat: &Participant| {
        seat.voice.as_model().zip(model.as_ref()).is_some_and(|(one, other)| one.name == other.name)
    };
    if matches!(shape, Shape::Samples(_)) && seats.iter().all(is_one) {
        for seat in seats {
            if let VoiceSpec::Model(spec) = &mut seat.voice
                && spec.temperature == Some(0.0)
            {
                spec.temperature = Some(SAMPLED);
                notes.push(format!("{} samples at {SAMPLED} in place of 0", seat.id));
            }
        }
    }
    let (fingerprint, judge) = fingerprints(&loaded);
    let planned = match (&shape, equal) {
        (Shape::Once(seats), _) => Some((seats.len() as u64, seats.len() as u64)),
        (_, Equal::Tokens) => first.arm.planned.map(|(_, most)| (1, most * TOKENS_TIMES)),
        _ => first.arm.planned,
    };
    Prepared {
        arm: Arm {
            name: format!("{name}{brackets}"),
            protocol: name.to_owned(),
            baseline_of: Some(first.arm.name.clone()),
            equal,
            seats: arm_seats(&loaded),
            notes,
            fingerprint,
            judge,
            planned,
            parallel: Some(loaded.parallel),
            ..Arm::default()
        },
        shape: Some(shape),
        loaded,
        ..first.clone()
    }
}

fn bundled_baselines(
    first: &Prepared,
    play: &Play,
    context: &Context,
) -> Result<Vec<Prepared>, Failure> {
    let Some(spec) = &first.loaded.scenario.answer else { return Ok(vec![]) };
    let specs = |seat: &Text| {
        let mut seats = first.loaded.participants.iter();
        seats.find(|other| other.id.0 == *seat).and_then(|seat| seat.voice.as_model().cloned())
    };
    let every: Vec<ModelSpec> = spec.of.iter().filter_map(specs).collect();
    let mut arms = vec![];
    for (name, equal) in BUNDLED.into_iter().filter(|(name, _)| *name != first.arm.name) {
        if name == "plain-vote" {
            arms.push((name, name, String::new(), every.clone(), equal));
            continue;
        }
        for (seat, brackets) in models(&first.loaded, &spec.of) {
            arms.push((name, name, brackets, specs(seat).into_iter().collect(), equal));
        }
    }
    if !first.loaded.all_rehearsed() {
        arms.push((SAME_TOKENS, "self-consistency", String::new(), every, Equal::Tokens));
    }
    let mut all = vec![];
    for (name, scenario, brackets, models, equal) in arms {
        let mut found = source::find(&context.paths, scenario)?;
        let settings = &mut found.source.settings;
        settings.push(Override::from_path(&["answer", "form"], &json!(spec.form)));
        if spec.object {
            settings.push(Override::from_path(&["answer", "object"], &true.into()));
        }
        let beside = Beside { examined: first, models };
        let mut prepared = one(name.to_owned(), found, Some(&beside), play, context)?;
        let arm = &mut prepared.arm;
        arm.name.push_str(&brackets);
        arm.equal = equal;
        arm.planned = match equal {
            Equal::No => arm.planned,
            Equal::Calls => first.arm.planned,
            Equal::Tokens => first.arm.planned.map(|(_, most)| (1, most * TOKENS_TIMES)),
        };
        all.push(prepared);
    }
    Ok(all)
}

/// Returns the models of a scenario, those of its judges first.
fn judges_first(loaded: &Loaded) -> Vec<ModelSpec> {
    let verdict = loaded.scenario.verdict.as_ref();
    let is_judge = |id: &SeatId| verdict.is_some_and(|v| v.judges.contains(&id.0));
    let seats = loaded.participants.iter();
    let judges = seats.clone().filter(|seat| is_judge(&seat.id));
    judges.chain(seats).find_map(|seat| seat.voice.as_model().cloned()).into_iter().collect()
}

fn arm_seats(loaded: &Loaded) -> Vec<ArmSeat> {
    let seat = |seat: &Participant| {
        let model = seat.voice.as_model();
        ArmSeat {
            id: seat.id.to_string(),
            model: model.map(|model| model.name.to_string()),
            temperature: model.and_then(|model| model.temperature),
            max_tokens: model.and_then(|model| model.max_tokens),
        }
    };
    loaded.participants.iter().map(seat).collect()
}

/// Examined protocol of a bundled baseline, and the models of the baseline's seats in turn.
struct Beside<'a> {
    examined: &'a Prepared,
    models: Vec<ModelSpec>,
}

/// Prepares one protocol. The seats of a bundled baseline take their models in turn.
fn one(
    name: String,
    found: FoundScenario,
    beside: Option<&Beside<'_>>,
    play: &Play,
    context: &Context,
) -> Result<Prepared, Failure> {
    let mut loaded = scenario::load(&found.source, &policy::rows())?.with_known_names()?;
    // a batch counts answers; nobody reads a result of each conversation
    loaded.scenario.result = ResultRule::None;
    context.report_warnings(&loaded.warnings);
    if play.rehearsed {
        loaded.rehearse();
    }
    loaded.unattended(false);
    let waits = loaded.waits(&policy::rows());
    if let Some(wait) = waits.first() {
        let message = format!("no one is at the keyboard in a batch: {wait}");
        return Err(Failure::new(Exit::Invalid, message).hint("give the participant a stand_in"));
    }
    let models = beside.map_or(&[][..], |beside| &beside.models);
    for (seat, model) in loaded.participants.iter_mut().zip(models.iter().cycle()) {
        if let VoiceSpec::Model(spec) = &mut seat.voice
            && spec.name.is_empty()
        {
            // without a temperature in the protocol, keep the baseline's own: at temperature 0 all samples would be
            // equal
            let temperature = model.temperature.or(spec.temperature);
            *spec = ModelSpec { temperature, ..model.clone() };
        }
    }
    if !loaded.all_rehearsed() {
        admit_project(Consent::from_options(play), context)?;
    }
    let mut models = ModelSource::new(Providers::new(context, &play.models)?, &play.models);
    if !loaded.all_rehearsed() && beside.is_none() {
        // every item brings a topic, so the people of the file stay
        seating::seat(&mut loaded, models.seated()?, true, Identities::Cast)?;
    }
    models.assign(&mut loaded.participants, context)?;
    let mut limits = loaded.scenario.limits.clone();
    limits.merge(&Limits { usd: play.max_usd, ..Limits::default() });
    models.check(&loaded.participants, &limits)?;
    let consent = Consent::from_options(play);
    let chosen = models.chosen()?;
    let allowed = Allowed::by_scenario(&loaded.participants, &found, &chosen, consent, context)?;
    meet_servers(&mut loaded.participants, &allowed, &found.folder, play, context)?;
    models.meet(&loaded.participants, false, context)?;
    models.read_windows(&mut loaded.participants, context)?;
    if beside.is_none() {
        resolve::report_unknown_windows(&loaded.participants, context);
    }
    // local models would compete for the machine's memory
    if loaded.is_parallel_default && loaded.participants.iter().any(|seat| seat.local) {
        loaded.parallel = 1;
    }
    let (fingerprint, judge) = fingerprints(&loaded);
    let planned = calls(&loaded.scenario);
    let timeless = assemble::is_timeless(&loaded.participants, false);
    let tools =
        toolbox(&loaded.participants, allowed.clone(), found.folder.clone(), play, context)?;
    let commands = decisions(play, &loaded.participants, context)?;
    let cast = Cast::new(allowed, found.folder, &context.environment, models);
    Ok(Prepared {
        commands,
        arm: Arm {
            protocol: name.clone(),
            name,
            baseline_of: beside.map(|beside| beside.examined.arm.name.clone()),
            seats: arm_seats(&loaded),
            notes: beside.map(|_| "own words".to_owned()).into_iter().collect(),
            fingerprint,
            judge,
            planned,
            parallel: Some(loaded.parallel),
            ..Arm::default()
        },
        shape: None,
        topic_of: beside.map(|beside| beside.examined.source.clone()),
        source: found.source,
        loaded,
        voices: Arc::new(cast),
        tools,
        rates: run::rates(context)?,
        timeless,
    })
}

/// Returns the digest of everything that influences the outcome, and of the judge alone.
fn fingerprints(loaded: &Loaded) -> (String, Option<String>) {
    let all = json!([loaded.scenario, loaded.participants]).to_string();
    let spec = loaded.scenario.verdict.as_ref();
    let judge = spec.map(|spec| {
        let judges = loaded.participants.iter().filter(|p| spec.judges.contains(&p.id.0));
        digest(&[&json!([spec, judges.collect::<Vec<_>>()]).to_string()])
    });
    (digest(&[&all]), judge)
}
