//! Protocols of a batch: the scenario and its baselines, with their voices and fingerprints.

use super::args::BatchArgs;
use crate::batch::{Protocol, calls, digest};
use crate::cli::commands::run;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::providers::Providers;
use crate::cli::models::resolve::{self, ModelSource};
use crate::cli::play::assemble;
use crate::cli::play::cast::Cast;
use crate::cli::play::toolbox::{decisions, meet_servers, toolbox};
use crate::cli::source::{self, FoundScenario};
use crate::cli::trust::allowed::{Allowed, Consent, admit_project};
use crate::model::{Aggregation, CallRate, Command, Limits, ModelSpec, SeatId, Text, VoiceSpec};
use crate::policy;
use crate::scenario::{self, Loaded, Node, Override, ResultRule, Source};
use crate::tool::Tools;
use crate::voice::Voices;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Baseline scenarios. True if the baseline has as many rounds as the protocol makes calls.
const BASELINES: [(&str, bool); 4] =
    [("single", false), ("self-consistency", true), ("reflection", true), ("plain-vote", false)];

/// Baselines of a protocol whose answer is a verdict on two answers.
const JUDGED_BASELINES: [&str; 2] = ["naive-judge", "expert-judge"];

/// Baseline with an equal number of tokens: its name, its scenario, and the maximum number of its calls per call of the
/// protocol. It needs more calls because its prompts are shorter.
const SAME_TOKENS: (&str, &str, u64) = ("self-consistency-tokens", "self-consistency", 10);

/// Protocol that is ready to run.
pub struct Prepared {
    /// Name, fingerprint and planned calls.
    pub protocol: Protocol,
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
    /// Returns the fields that every item must have because the topic, the answers of the sides, the text of checked
    /// quotations or `[prompt]` use them.
    pub fn needed(&self) -> Vec<String> {
        let Ok(root) = Node::parse(&self.source.text) else { return vec![] };
        let topic = root.get("topic").and_then(Node::text);
        let argues = root.get("verdict").and_then(|verdict| verdict.get("argues"));
        let argues = argues.map(Node::items).unwrap_or_default().iter().filter_map(Node::text);
        let seats = root.get("participant").map(Node::items).unwrap_or_default().iter();
        let quotes = seats.filter_map(|seat| seat.get("reply")?.get("quotes")?.text());
        let prompt = root.get("prompt").map(Node::entries).unwrap_or_default().iter();
        let prompt = prompt.filter_map(|entry| entry.node.text());
        let topic = topic.into_iter().chain(argues).chain(quotes).chain(prompt);
        let topic = topic.collect::<Vec<_>>().join("\n");
        let own = root.get("item").map(Node::entries).unwrap_or_default().iter();
        let asked = own.map(|entry| entry.key.clone()).filter(|key| {
            let name = format!("item.{key}");
            topic.match_indices(&name).any(|(at, _)| {
                let next = topic.get(at + name.len()..).and_then(|rest| rest.chars().next());
                next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
            })
        });
        asked.collect()
    }

    /// Returns the scenario for an item.
    pub fn of_item(&self, values: &Map<String, Value>) -> Result<Loaded, Failure> {
        let mut loaded = with_item(&self.source, values)?;
        if let Some(other) = &self.topic_of {
            loaded.scenario.topic = with_item(other, values)?.scenario.topic;
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
    for (key, value) in values {
        source.settings.push(Override::from_path(&["item", key], value));
    }
    if values.contains_key("topic") {
        // use a reference, because the text itself must not be parsed as a template
        source.settings.push(Override::from_path(&["topic"], &"{{ item.topic }}".into()));
    }
    let mut loaded = scenario::load(&source, &policy::rows())?;
    loaded.scenario.result = ResultRule::None;
    Ok(loaded)
}

/// Prepares the scenario and, if requested, its baselines.
pub fn prepare(
    scenario: &str,
    args: &BatchArgs,
    context: &Context,
) -> Result<Vec<Prepared>, Failure> {
    let mut found = source::find(&context.paths, scenario)?;
    found.set(&args.set)?;
    let name = Path::new(scenario).file_stem().map(|s| s.to_string_lossy().into_owned());
    let first = one(name.unwrap_or_default(), found, None, args, context)?;
    let mut all = vec![first];
    if args.baselines {
        let beside = baselines(&all[0], args, context)?;
        all.extend(beside);
    }
    Ok(all)
}

fn baselines(
    first: &Prepared,
    args: &BatchArgs,
    context: &Context,
) -> Result<Vec<Prepared>, Failure> {
    let spec = first.loaded.scenario.answer.as_ref();
    if spec.is_some_and(|spec| spec.by == Aggregation::Judge) {
        let prepared = JUDGED_BASELINES.iter().map(|name| {
            let found = source::find(&context.paths, name)?;
            one((*name).to_owned(), found, Some(first), args, context)
        });
        return prepared.collect();
    }
    let Some(spec) = spec.filter(|spec| spec.by.reads_answers()) else {
        return Err(Failure::usage(
            format!(
                "{} has no [answer] given by participants, so it cannot have a baseline",
                first.protocol.name
            ),
            "leave out --baselines",
        ));
    };
    let most = first.protocol.planned.map(|(_, most)| most);
    let mut all = vec![];
    let beside = BASELINES.iter().filter(|(name, _)| *name != first.protocol.name);
    let mut beside: Vec<(&str, &str, Option<u64>)> =
        beside.map(|(name, alike)| (*name, *name, if *alike { most } else { None })).collect();
    // rehearsed lines use no tokens to compare
    if !first.loaded.all_rehearsed() {
        let (name, scenario, times) = SAME_TOKENS;
        beside.push((name, scenario, Some(most.unwrap_or(times) * times)));
    }
    for (name, scenario, rounds) in beside {
        let mut found = source::find(&context.paths, scenario)?;
        let settings = &mut found.source.settings;
        settings.push(Override::from_path(&["answer", "form"], &json!(spec.form)));
        if spec.object {
            settings.push(Override::from_path(&["answer", "object"], &true.into()));
        }
        if let Some(rounds) = rounds {
            settings.push(Override::from_path(&["phase", "1", "rounds"], &rounds.into()));
        }
        let mut prepared = one(name.to_owned(), found, Some(first), args, context)?;
        if name == SAME_TOKENS.0 {
            prepared.protocol.as_many_tokens = true;
            prepared.protocol.planned = rounds.map(|most| (1, most));
        }
        all.push(prepared);
    }
    Ok(all)
}

/// Prepares one protocol. A baseline uses a model of the protocol that it is compared with: the judge's, or else the first.
fn one(
    name: String,
    found: FoundScenario,
    beside: Option<&Prepared>,
    args: &BatchArgs,
    context: &Context,
) -> Result<Prepared, Failure> {
    let play = args.play();
    let mut loaded = scenario::load(&found.source, &policy::rows())?;
    // a batch counts answers; nobody reads a result of each conversation
    loaded.scenario.result = ResultRule::None;
    context.report_warnings(&loaded.warnings);
    if args.rehearsed {
        loaded.rehearse();
    }
    loaded.unattended(false);
    let waits = loaded.waits(&policy::rows());
    if let Some(wait) = waits.first() {
        let message = format!("no one is at the keyboard in a batch: {wait}");
        return Err(Failure::new(Exit::Invalid, message).hint("give the participant a stand_in"));
    }
    let model = beside.and_then(|beside| {
        let verdict = beside.loaded.scenario.verdict.as_ref();
        let is_judge = |id: &SeatId| verdict.is_some_and(|v| v.judges.contains(&id.0));
        let seats = beside.loaded.participants.iter();
        let judges = seats.clone().filter(|seat| is_judge(&seat.id));
        judges.chain(seats).find_map(|seat| seat.voice.as_model())
    });
    for seat in &mut loaded.participants {
        if let (VoiceSpec::Model(spec), Some(model)) = (&mut seat.voice, model)
            && spec.name.is_empty()
        {
            // without a temperature in the protocol, keep the baseline's own: at temperature 0 all samples would be
            // equal
            let temperature = model.temperature.or(spec.temperature);
            *spec = ModelSpec { temperature, ..model.clone() };
        }
    }
    if !loaded.all_rehearsed() {
        admit_project(Consent::from_options(&play), context)?;
    }
    let mut models = ModelSource::new(Providers::new(context, &play.models)?, &play.models);
    models.assign(&mut loaded.participants, context)?;
    let mut limits = loaded.scenario.limits.clone();
    limits.merge(&Limits { usd: args.max_usd, ..Limits::default() });
    models.count(&loaded.participants, &limits)?;
    let consent = Consent::from_options(&play);
    let chosen = models.chosen()?;
    let allowed = Allowed::by_scenario(&loaded.participants, &found, &chosen, consent, context)?;
    meet_servers(&mut loaded.participants, &allowed, &found.folder, &play, context)?;
    models.meet(&loaded.participants, false, context)?;
    models.read_windows(&mut loaded.participants)?;
    if beside.is_none() {
        resolve::report_unknown_windows(&loaded.participants, context);
    }
    // local models would compete for the machine's memory
    if loaded.participants.iter().any(|seat| seat.local) {
        loaded.parallel = 1;
    }
    let (fingerprint, judge) = fingerprints(&loaded);
    let planned = calls(&loaded.scenario);
    let timeless = assemble::is_timeless(&loaded.participants, false);
    let tools =
        toolbox(&loaded.participants, allowed.clone(), found.folder.clone(), &play, context)?;
    let commands = decisions(&play, &loaded.participants, context)?;
    let cast = Cast::new(allowed, found.folder, &context.environment, models);
    Ok(Prepared {
        commands,
        protocol: Protocol { name, fingerprint, judge, planned, as_many_tokens: false },
        topic_of: beside.map(|beside| beside.source.clone()),
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
