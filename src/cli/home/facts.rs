//! Contents of the start screen that need no request: scenarios, models, keys, bundled sessions; the cost of a plan.

use crate::cli::args::{ModelOptions, RunOptions, ServerOptions, Topic, usd};
use crate::cli::commands::{run, talk};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::models::agents;
use crate::cli::models::minds::{self, Mind, Usable};
use crate::cli::models::providers::{KeySource, Providers, ResolvedProvider};
use crate::cli::play::next::{Begin, Home};
use crate::cli::source::{self, FoundScenario};
use crate::clock::wall_now;
use crate::export::utterances;
use crate::model::VoiceSpec;
use crate::net::is_local;
use crate::scenario::{self, Loaded, bundled_names};
use crate::state::Seat;
use crate::state::policies::plan;
use crate::ui::start::{
    Forecast, KeyShape, ListedExample, ListedScenario, ModelPlace, OfferedModel, PlannedSeat,
    ScenarioChoice, StartRow, StartScreen, TalkPlan, VoiceChoice,
};
use crate::ui::view::moment::is_paid;
use crate::voice::program;
use crate::voice::remote::vendors;
use crate::{catalogue, policy, text};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Returns the scenario and the options of a plan. A budget that is not a sum is reported by its forecast.
fn begin(plan: &TalkPlan) -> Begin {
    let topic = plan.topic.clone().map(Topic::Text);
    let (take_part, cast) = (plan.take_part, plan.cast);
    let mut options =
        RunOptions { topic, take_part, cast, seed: plan.seed, ..RunOptions::default() };
    options.play.rehearsed = plan.voice == VoiceChoice::Rehearsed;
    options.play.max_utterances = plan.length;
    options.play.max_usd = usd(&plan.budget).ok();
    if let VoiceChoice::Models(models) = &plan.voice {
        let words = models.iter().map(OfferedModel::option).collect::<Vec<_>>();
        let endpoint = models.iter().find_map(|model| model.endpoint.clone());
        options.play.models = ModelOptions {
            model: Some(words.join(",")),
            server: ServerOptions { endpoint, wire: None },
            ..ModelOptions::default()
        };
    }
    Begin { scenario: plan.scenario.clone(), options, chosen_on: None }
}

/// Returns the scenario and the options of a plan, bounded like a talk without a limit.
pub fn bounded(plan: &TalkPlan, context: &Context) -> Begin {
    let mut begin = begin(plan);
    // a plan without a forecast fails at its start, which says why
    if matches!(plan.voice, VoiceChoice::Models(_))
        && let Ok((state, _)) = run::forecast(&begin, context)
    {
        talk::bound(&mut begin.options, &state);
    }
    begin
}

/// Returns the expected usage of a plan, and the prices of all models on offer at its table.
pub fn forecast(plan: &TalkPlan, offers: &[OfferedModel], context: &Context) -> Forecast {
    expected(plan, offers, context)
        .unwrap_or_else(|failure| Forecast { fault: Some(failure.message), ..Forecast::default() })
}

fn expected(
    plan: &TalkPlan,
    offers: &[OfferedModel],
    context: &Context,
) -> Result<Forecast, Failure> {
    if !plan.budget.is_empty() {
        usd(&plan.budget).map_err(|why| Failure::usage(format!("budget: {why}"), ""))?;
    }
    let (state, note) = run::forecast(&begin(plan), context)?;
    let providers = Providers::new(context, &ModelOptions::default())?;
    let models = || state.cast().filter_map(|(_, seat)| Some((seat, seat.spec.voice.as_model()?)));
    let is_paid = state.cast().any(|(_, seat)| is_paid(&seat.spec));
    let is_login = models().any(|(_, model)| model.is_program());
    let free = || match (is_paid, is_login) {
        (false, _) => "free",
        (true, true) => "as your login pays",
        (true, false) => "price not known",
    };
    let usage = models().find_map(|(seat, _)| seat.spent.used()).unwrap_or_default();
    let price = |model: &OfferedModel| {
        let known = providers.settings.facts(&model.name).price;
        let seated = models().find(|(_, spec)| *spec.name == *model.name);
        let own = seated.and_then(|(seat, _)| seat.spent.cost());
        let cost = own.or_else(|| known.map(|price| price.cost(&usage)));
        talk::price_of(&model.name, model.place == ModelPlace::Here, known.is_some(), cost)
    };
    let seat = |(_, seat): (usize, &Seat)| PlannedSeat {
        name: seat.spec.name.to_string(),
        model: seat.spec.voice.as_model().map_or_else(String::new, |model| model.name.to_string()),
    };
    let remote = models().filter(|(seat, _)| !seat.spec.local);
    let services = remote.filter_map(|(_, model)| match program::parts(&model.name) {
        Some((name, _)) => Some(program::label(name).to_owned()),
        None => Some(model.name.split_once(':')?.0.to_owned()),
    });
    Ok(Forecast {
        seats: state.cast().map(seat).collect(),
        length: utterances(state.utterances),
        sum: talk::sum(&state).unwrap_or_else(|| free().into()),
        prices: offers.iter().map(|model| (model.name.clone(), price(model))).collect(),
        to: services.collect::<BTreeSet<_>>().into_iter().collect(),
        note: if is_paid || is_login { note } else { None },
        fault: None,
    })
}

/// Fills in everything that needs no request, and the fields as they were left.
pub fn prepared(
    mut start: StartScreen,
    home: &Home,
    providers: &Providers,
    context: &Context,
) -> StartScreen {
    start.now = wall_now();
    start.scripts = scripts(context);
    let chosen = home.scenario.as_ref().or(home.writing.as_ref());
    let at = chosen.and_then(|name| start.scripts.iter().position(|s| s.name == *name));
    start.script = at.unwrap_or_default();
    start.writing = home.writing.clone();
    start.server = home.server.clone();
    start.ticked = home.table.clone();
    start.numbers = (*home.numbers).clone();
    start.take_part = home.take_part;
    start.notice = home.notice.clone();
    if start.writing.is_some() {
        start.at = StartRow::Kind;
    }
    // a scenario that was just written brings its own topic
    let is_written = home.scenario.is_some() && start.script > 0;
    let own =
        if is_written { start.script().map(|script| script.own_topic().clone()) } else { None };
    home.topic.clone().or(own).into_iter().for_each(|topic| start.about(&topic));
    let usable = Usable::without_servers(providers);
    start.known = known(providers, &usable);
    start.usual = Mind::list(&providers.settings.usual_models())
        .into_iter()
        .map(|mind| usual(mind, providers, &usable))
        .collect();
    // the empty box plays the first one
    start.examples = examples().split_off(1);
    let all = providers.all().iter();
    start.keyless =
        all.filter_map(|known| Some((known.name.clone(), providers.unset(known)?))).collect();
    let is_saved = |known: &&ResolvedProvider| matches!(&known.key, KeySource::File(file) if *file == context.paths.key(&known.name));
    start.saved = providers.all().iter().filter(is_saved).map(|known| known.name.clone()).collect();
    start.shapes =
        vendors().iter().map(|v| -> KeyShape<'_> { (&*v.name, &*v.key_prefixes) }).collect();
    start.kept = context.paths.keys().display().to_string();
    start
}

/// Returns the start screen as it is filled in, without a notice.
pub fn filled_in(start: &StartScreen, home: &Home) -> Home {
    Home {
        topic: start.topic(),
        scenario: start.script().map(|script| script.name.clone()),
        table: start.ticked.clone(),
        numbers: Box::new(start.numbers.clone()),
        take_part: start.take_part,
        notice: None,
        ..home.clone()
    }
}

/// Outcomes of the bundled sessions, in their order; the first frame is drawn before they are read.
const HEADLINES: [&str; 3] = [
    "Ada and Bo say the same, Cy is 1 step away",
    "Marit and Jonna stand in the same place, Otto is 1 step away",
    "\"against\" gains 1 vote",
];

/// Returns the bundled sessions.
fn examples() -> Vec<ListedExample> {
    let text = |line: Option<&str>, place: &str| {
        let event: serde_json::Value = serde_json::from_str(line?).ok()?;
        Some(event.pointer(place)?.as_str()?.to_owned())
    };
    let title = |log: &str| {
        // the last event may be a new title
        let last = text(log.lines().next_back(), "/data/title");
        last.or_else(|| text(log.lines().next(), "/data/scenario/title")).unwrap_or_default()
    };
    let listed = |((name, log), headline): (&(&str, &str), &str)| ListedExample {
        name: (*name).to_owned(),
        title: title(log),
        headline: headline.to_owned(),
    };
    catalogue::EXAMPLES.iter().zip(HEADLINES).map(listed).collect()
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
            let length = length(&loaded);
            let is_open = |v: &VoiceSpec| matches!(v, VoiceSpec::Model(m) if m.name.is_empty());
            ScenarioChoice {
                name,
                title: loaded.scenario.title.to_string(),
                topic: loaded.scenario.topic.as_ref().map(ToString::to_string),
                cast: cast(&loaded),
                rules: rules(&loaded, &length),
                length,
                takes_part: policy::find(&loaded.scenario.policy.name)
                    .map_or("", |policy| policy.row.takes_part.description()),
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

/// Returns the limit of a scenario as text.
fn length(loaded: &Loaded) -> String {
    let limits = &loaded.scenario.limits;
    match (limits.utterances, limits.rounds) {
        (Some(n), _) => utterances(n),
        (None, Some(n)) => format!("{n} rounds"),
        (None, None) => String::new(),
    }
}

/// Returns the policy and the limit of a scenario as text.
fn rules(loaded: &Loaded, length: &str) -> String {
    let policy = loaded.scenario.policy.name.replace('_', " ");
    if length.is_empty() { policy } else { format!("{policy}, {length}") }
}

/// Returns the models that need no request: those of the families, of other providers with a key, of the settings, and
/// the installed agents.
fn known(providers: &Providers, usable: &Usable) -> Vec<OfferedModel> {
    let mut models: Vec<OfferedModel> = vec![];
    for (word, _, ways) in usable.families() {
        models.extend(ways.into_iter().enumerate().map(|(at, way)| OfferedModel {
            word: if at == 0 { word.to_owned() } else { way.model.clone() },
            family: word.to_owned(),
            is_usual: at == 0,
            ..offered(&way.model, providers)
        }));
    }
    let has_key = |name: &&String| {
        let provider = name.split_once(':').and_then(|(name, _)| providers.find(name).ok());
        provider.is_some_and(|known| providers.has_key(known).is_ok())
    };
    let named = usable.list.defaults.values().chain(providers.settings.models.keys());
    models.extend(named.filter(has_key).map(|name| offered(name, providers)));
    let found =
        agents::KNOWN.iter().filter(|a| providers.environment.program(a.program()).is_some());
    models.extend(found.map(|agent| offered(&agent.model(), providers)));
    models
}

/// Returns a model by its full name.
fn offered(name: &str, providers: &Providers) -> OfferedModel {
    let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
    let is_near = || providers.find(prefix).is_ok_and(|known| is_local(&known.base_url));
    let place = match prefix {
        program::PROVIDER | "agent" => ModelPlace::Program,
        _ if is_near() => ModelPlace::Here,
        _ => ModelPlace::Key,
    };
    OfferedModel { place, ..OfferedModel::from_name(name) }
}

/// Returns the model of a word in the settings; a word that needs a server is resolved later.
fn usual(mind: Mind, providers: &Providers, usable: &Usable) -> OfferedModel {
    let found = minds::resolve(std::slice::from_ref(&mind), usable).ok();
    let model = found.and_then(|found| Some(found.first()?.model.to_string()));
    let model = model.unwrap_or_else(|| mind.word.clone());
    OfferedModel { seat: mind.seat, word: mind.word, ..offered(&model, providers) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::headline;
    use crate::session::decode;
    use crate::state::State;

    #[test]
    fn every_session_that_comes_with_the_program_has_its_title() {
        let titles: Vec<String> = examples().into_iter().map(|example| example.title).collect();
        let begin = ["Should cities ban", "A library without", "May parents read"];
        assert_eq!(titles.len(), begin.len());
        for (title, begin) in titles.iter().zip(begin) {
            assert!(title.starts_with(begin), "{title}");
        }
    }

    #[test]
    fn the_outcomes_of_the_bundled_sessions_are_those_of_their_logs() {
        for (example, (_, log)) in examples().iter().zip(catalogue::EXAMPLES) {
            let mut state = State::default();
            log.lines().for_each(|line| state.apply(&decode(line.as_bytes()).unwrap()));
            assert_eq!(headline(&state).unwrap_or_default(), example.headline, "{}", example.name);
        }
    }
}
