//! Contents of the start screen that need no request: scenarios, models, keys, bundled sessions.

use crate::catalogue;
use crate::cli::args::{ModelOptions, RunOptions, ServerOptions, Topic};
use crate::cli::commands::run;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::models::agents;
use crate::cli::models::minds::Mind;
use crate::cli::models::providers::{KeySource, Providers, ResolvedProvider};
use crate::cli::play::next::Begin;
use crate::cli::source::{self, FoundScenario};
use crate::clock::wall_now;
use crate::export::utterances;
use crate::model::VoiceSpec;
use crate::net::is_local;
use crate::scenario::{self, Loaded, bundled_names};
use crate::state::policies::plan;
use crate::ui::start::{
    Choice, ListedScenario, OfferedModel, ScenarioChoice, StartScreen, VoiceChoice,
};
use crate::ui::view::moment::is_paid;
use crate::voice::remote::vendors;
use crate::{policy, text};
use std::fs;
use std::rc::Rc;

/// Returns the options for a choice.
pub fn options(
    topic: Option<String>,
    voice: VoiceChoice,
    take_part: bool,
    cast: bool,
) -> RunOptions {
    let mut options =
        RunOptions { topic: topic.map(Topic::Text), take_part, cast, ..RunOptions::default() };
    options.play.rehearsed = voice == VoiceChoice::Rehearsed;
    options.play.models = match voice {
        VoiceChoice::Model(model) => ModelOptions {
            model: Some(model.name),
            server: ServerOptions { endpoint: model.endpoint, wire: None },
            ..ModelOptions::default()
        },
        VoiceChoice::Rehearsed | VoiceChoice::Own => ModelOptions::default(),
    };
    options
}

/// Returns the estimated usage of a choice as text, or the reason why it is unknown.
pub fn estimate(choice: &Choice, context: &Context) -> String {
    let Choice::Begin { scenario, topic, voice, take_part, .. } = choice else {
        return String::new();
    };
    let options = options(topic.clone(), voice.clone(), *take_part, false);
    let begin = Begin { scenario: scenario.clone(), options };
    run::estimate(&begin, context).unwrap_or_else(|failure| failure.message)
}

/// Fills in everything that needs no request.
pub fn prepared(mut start: StartScreen, providers: &Providers, context: &Context) -> StartScreen {
    let sessions = context.paths.sessions();
    let unused = fs::read_dir(&sessions).map_or(true, |mut entries| entries.next().is_none());
    start.first = unused && !providers.settings.found;
    start.now = wall_now();
    start.scripts = scripts(context);
    start.known = known(providers);
    start.examples = examples();
    let all = providers.all().iter();
    start.keyless =
        all.filter_map(|known| Some((known.name.clone(), providers.unset(known)?))).collect();
    let is_saved = |known: &&ResolvedProvider| matches!(&known.key, KeySource::File(file) if *file == context.paths.key(&known.name));
    start.saved = providers.all().iter().filter(is_saved).map(|known| known.name.clone()).collect();
    start.shapes = vendors().iter().map(|vendor| (&*vendor.name, &*vendor.key_prefixes)).collect();
    start.kept = context.paths.keys().display().to_string();
    start.set_up = format!(
        "A provider can be used once its key is in its variable (OPENAI_API_KEY, ANTHROPIC_API_KEY, ...) or set in \
             {} under [providers.NAME]; `colloquium doctor` explains each",
        providers.settings.path.display()
    );
    start
}

/// Returns the names and titles of the bundled sessions.
fn examples() -> Vec<(String, String)> {
    let text = |line: Option<&str>, place: &str| {
        let event: serde_json::Value = serde_json::from_str(line?).ok()?;
        Some(event.pointer(place)?.as_str()?.to_owned())
    };
    let title = |log: &str| {
        // the last event may be a new title
        let last = text(log.lines().next_back(), "/data/title");
        last.or_else(|| text(log.lines().next(), "/data/scenario/title")).unwrap_or_default()
    };
    catalogue::EXAMPLES.iter().map(|(name, log)| ((*name).to_owned(), title(log))).collect()
}

/// Returns every named scenario, the bundled ones first.
fn scripts(context: &Context) -> Vec<ListedScenario> {
    let own = source::own_names(&context.paths);
    let paths = Rc::new(context.paths.clone());
    let listed = bundled_names().map(str::to_owned).chain(own).map(|name| {
        let paths = Rc::clone(&paths);
        let of = name.clone();
        // loaded on demand: the first frame shows only one of them
        ListedScenario::new(name, move || {
            let found = source::find(&paths, &of);
            script(of, found)
        })
    });
    listed.collect()
}

fn script(name: String, found: Result<FoundScenario, Failure>) -> ScenarioChoice {
    match found.and_then(|found| Ok(scenario::load(&found.source, &policy::rows())?)) {
        Err(failure) => {
            let first = failure.message.lines().next().unwrap_or_default();
            let fault = format!("{}; run `colloquium check`", text::line(first));
            ScenarioChoice {
                title: name.clone(),
                fault: Some(fault),
                name,
                ..ScenarioChoice::default()
            }
        }
        Ok(loaded) => {
            let rules = rules(&loaded);
            let is_open = |v: &VoiceSpec| matches!(v, VoiceSpec::Model(m) if m.name.is_empty());
            ScenarioChoice {
                name,
                title: loaded.scenario.title.to_string(),
                topic: loaded.scenario.topic.as_ref().map(ToString::to_string),
                cast: cast(&loaded),
                rules,
                takes_part: policy::find(&loaded.scenario.policy.name)
                    .map_or("", |policy| policy.row().takes_part.description()),
                rehearsed: !loaded.rehearsed.is_empty(),
                recasts: !loaded.any_topic.is_empty(),
                open: loaded.participants.iter().any(|p| is_open(&p.voice)),
                paid: loaded.participants.iter().any(is_paid),
                fault: None,
            }
        }
    }
}

/// Returns the names of the participants, without templates of executors.
fn cast(loaded: &Loaded) -> Vec<String> {
    let phases = loaded.scenario.phases.iter().map(|phase| &phase.policy);
    let policies = phases.chain([&loaded.scenario.policy]);
    let templates: Vec<&str> = policies.filter_map(plan::executor).collect();
    let seats = loaded.participants.iter().filter(|seat| !templates.contains(&&*seat.id.0));
    seats.map(|seat| seat.name.to_string()).collect()
}

/// Returns the policy and the limit of a scenario as text.
fn rules(loaded: &Loaded) -> String {
    let policy = loaded.scenario.policy.name.replace('_', " ");
    let limits = &loaded.scenario.limits;
    let bound = match (limits.utterances, limits.rounds) {
        (Some(n), _) => format!(", {}", utterances(n)),
        (None, Some(n)) => format!(", {n} rounds"),
        (None, None) => String::new(),
    };
    format!("{policy}{bound}")
}

/// Returns the models from the settings, the usual ones first, then the installed agents.
fn known(providers: &Providers) -> Vec<OfferedModel> {
    let settings = &providers.settings;
    let is_near = |mind: Mind| {
        let provider = mind.word.split_once(':').and_then(|(name, _)| providers.find(name).ok());
        provider.is_some_and(|known| is_local(&known.base_url))
    };
    let local = |names: &str| Mind::list(names).into_iter().all(is_near);
    let usual = Some(settings.usual_models()).filter(|usual| !usual.is_empty());
    let named = settings.models.keys().filter(|name| usual.as_ref() != Some(name));
    let names = usual.iter().chain(named);
    let models =
        names.map(|name| OfferedModel { name: name.clone(), endpoint: None, local: local(name) });
    let found =
        agents::KNOWN.iter().filter(|a| providers.environment.program(a.program()).is_some());
    let found = found.map(|a| OfferedModel { name: a.model(), endpoint: None, local: false });
    models.chain(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_that_comes_with_the_program_has_its_title() {
        let titles: Vec<String> = examples().into_iter().map(|(_, title)| title).collect();
        let begin = ["Should cities ban", "Sea wall, or move", "Should all see"];
        assert_eq!(titles.len(), begin.len());
        for (title, begin) in titles.iter().zip(begin) {
            assert!(title.starts_with(begin), "{title}");
        }
    }
}
