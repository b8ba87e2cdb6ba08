//! `talk`: several models discuss a topic at once.

use crate::cli::args::{RunOptions, Topic};
use crate::cli::commands::run;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::inputs::read_stdin;
use crate::cli::models::minds::{self, Mind, Usable};
use crate::cli::models::providers::Providers;
use crate::cli::play::next::{Begin, Home, Next};
use crate::cli::trust::allowed::confirmed;
use crate::export::utterances;
use crate::model::{Limits, PROGRAM, Usd};
use crate::state::{Seat, State};
use crate::ui::terminal::{CardKey, read_choice};
use crate::voice::program;
use crate::{ledger, text};
use clap::Args;
use std::path::Path;

/// Maximum number of models in an offer.
const OFFERED: usize = 3;

/// Let several models discuss a topic, as in: talk "Why?" claude gpt llama
#[derive(Debug, Args)]
#[command(mut_arg("topic", |arg| arg.hide(true)))]
pub struct TalkArgs {
    /// Topic of the talk; `-` reads it from standard input
    #[arg(value_name = "TOPIC")]
    about: Topic,
    /// Who talks: families (claude, gpt, gemini, llama ...), PROVIDER:NAME, NAME=MODEL [see: colloquium models]
    #[arg(value_name = "MODEL")]
    minds: Vec<String>,
    /// Kind of talk: a scenario
    #[arg(long, value_name = "SCENARIO", default_value = run::ROUND_TABLE)]
    kind: String,
    #[command(flatten)]
    options: RunOptions,
}

impl TalkArgs {
    /// Returns the next action. Models that this command line does not name are shown before anything is sent.
    pub fn next(self, context: &Context) -> Result<Next, Failure> {
        let TalkArgs { about, minds, kind, mut options } = self;
        if options.topic.is_some() {
            return Err(Failure::usage("the topic is given twice", "leave out --topic"));
        }
        options.topic = Some(about);
        let named: Vec<String> =
            minds.into_iter().chain(options.play.models.model.take()).collect();
        let named = named.join(",");
        if options.play.rehearsed
            || (named.is_empty() && options.play.models.server.endpoint.is_some())
        {
            return run::next(kind, options, context);
        }
        let providers = Providers::new(context, &options.play.models)?;
        let mut words = Mind::list(&named);
        let is_named = !words.is_empty();
        if !is_named {
            words = Mind::list(&providers.settings.usual_models());
        }
        let is_usual = !(is_named || words.is_empty());
        let usable = Usable::new(&providers, &words);
        if words.is_empty() {
            let families = usable.families().into_iter().take(OFFERED);
            words = Mind::list(&families.map(|(word, ..)| word).collect::<Vec<_>>().join(","));
        }
        let seated = minds::resolve(&words, &usable)?;
        if seated.is_empty() {
            return Err(Failure::new(Exit::NoModel, "no model can be used yet").hint(
                "`colloquium models` says what is missing; --rehearsed plays the rehearsed debate",
            ));
        }
        if options.topic == Some(Topic::StandardInput) {
            options.topic = Some(Topic::Text(read_stdin("a topic")?.trim().to_owned()));
        }
        let line = words.iter().map(Mind::to_string).collect::<Vec<_>>();
        options.play.models.model = Some(line.join(","));
        let is_headless = options.play.headless || !Context::at_terminal();
        if is_headless && !is_named && !is_usual {
            let again = format!("name them: colloquium talk TOPIC {}", line.join(" "));
            return Err(Failure::new(Exit::NoModel, "no model is named").hint(again));
        }
        let begin = Begin { scenario: kind.clone(), options: options.clone(), chosen_on: None };
        let (state, note) = run::forecast(&begin, context)?;
        bound(&mut options, &state);
        let card = card(&kind, &state, &providers);
        card.iter().for_each(|row| context.say(row));
        if is_named || is_headless {
            return run::next(kind, options, context);
        }
        note.iter().for_each(|note| context.say(&format!("  {note}")));
        match answer(context) {
            CardKey::Begin => run::next(kind, options, context),
            CardKey::Change => {
                let topic = match options.topic {
                    Some(Topic::Text(topic)) => Some(topic),
                    Some(Topic::StandardInput) | None => None,
                };
                let turns = options.play.max_utterances.map(|turns| turns.to_string());
                let numbers = Box::new([turns.unwrap_or_default(), String::new(), String::new()]);
                Ok(Next::Home(Home { topic, scenario: Some(kind), numbers, ..Home::default() }))
            }
            CardKey::Leave => Ok(Next::Over(Exit::Done)),
        }
    }
}

/// Waits for the answer to the card.
fn answer(context: &Context) -> CardKey {
    if context.text_mode().is_some() {
        let begins = confirmed("  enter begins, n leaves: ");
        return if begins { CardKey::Begin } else { CardKey::Leave };
    }
    context.say("  enter begin   tab who, and what kind of talk   esc leave");
    read_choice().unwrap_or(CardKey::Leave)
}

/// Bounds a talk without a limit of its own: dollars, which need the price of each model, or calls of programs.
pub fn bound(options: &mut RunOptions, state: &State) {
    let is_bounded = options.play.limits() != Limits::default()
        || options.play.set.iter().any(|set| set.starts_with("limits"));
    if is_bounded {
        return;
    }
    let models = || state.cast().filter_map(|(_, seat)| Some((seat, seat.spec.voice.as_model()?)));
    let is_counted = models().all(|(seat, _)| seat.spec.uncountable().is_none());
    if is_counted && models().any(|(seat, _)| !seat.spec.local) {
        options.play.max_usd = Some(ledger::TALK);
    }
    let limits = &state.scenario.limits;
    let is_long = limits.utterances.is_none_or(|turns| turns > ledger::PROGRAM_CALLS);
    if is_long && models().any(|(_, model)| model.is_program()) {
        options.play.max_utterances = Some(ledger::PROGRAM_CALLS);
    }
}

/// Describes who speaks, and what that costs.
fn card(kind: &str, state: &State, providers: &Providers) -> Vec<String> {
    let mut rows = vec![];
    for (_, seat) in state.cast() {
        let head = if rows.is_empty() { "table" } else { "" };
        let name = text::name(&seat.spec.name);
        let (model, price) = match seat.spec.voice.as_model() {
            Some(model) => (describe(&model.name), price(seat, &model.name, providers)),
            None => ("as its scenario says".into(), String::new()),
        };
        rows.push(format!("  {head:<6}  {name:<10}  {model:<40}  {price}").trim_end().to_owned());
    }
    let kind = Path::new(kind).file_stem().map_or(kind.into(), |name| name.to_string_lossy());
    let kind = kind.replace('-', " ");
    let sum = sum(state).map_or_else(String::new, |sum| format!(", {sum}"));
    let turns = utterances(state.utterances);
    rows.push(format!("  talk    {kind}, {turns}{sum}"));
    rows
}

/// Describes the cost of a talk; `None` if its price is unknown.
pub fn sum(state: &State) -> Option<String> {
    let spent = state.spent();
    let usd = spent.cost().filter(|usd| usd.0 > 0)?;
    let more = if spent.unpriced { " and what has no price" } else { "" };
    Some(format!("about {}{more}", cents(usd)))
}

/// Describes a model by its program or its provider.
fn describe(model: &str) -> String {
    match (program::parts(model), model.split_once(':')) {
        (Some((name, None)), _) => format!("{}, your login, no tools", program::label(name)),
        (Some((name, Some(model))), _) => format!("{model}, {}, no tools", program::label(name)),
        (None, Some((provider, name))) => format!("{provider}: {name}"),
        (None, None) => model.to_owned(),
    }
}

/// Describes the price of a participant's turns.
fn price(seat: &Seat, model: &str, providers: &Providers) -> String {
    let has_price = providers.settings.facts(model).price.is_some();
    price_of(model, seat.spec.local, has_price, seat.spent.cost())
}

/// Describes the price of a model that may have cost so much.
pub fn price_of(model: &str, is_local: bool, has_price: bool, cost: Option<Usd>) -> String {
    if is_local && !has_price {
        return "free".into();
    }
    if model.starts_with(PROGRAM) {
        return "as your login pays".into();
    }
    match cost {
        Some(usd) if has_price => format!("about {}", cents(usd)),
        None if has_price => String::new(),
        Some(_) | None => "price unknown".into(),
    }
}

/// Returns a small sum in cents, as people say it.
fn cents(usd: Usd) -> String {
    let cents = f64::from(usd) * 100.0;
    match cents {
        c if c >= 100.0 => format!("${:.2}", c / 100.0),
        c if c < 0.95 => format!("{c:.1} cents"),
        c if c < 1.5 => "1 cent".into(),
        c => format!("{c:.0} cents"),
    }
}
