//! `talk`: several models discuss a topic at once.

use crate::cli::args::{RunOptions, Topic};
use crate::cli::commands::run;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::minds::{self, Mind, Seated, Usable};
use crate::cli::models::providers::Providers;
use crate::cli::play::next::Next;
use crate::cli::trust::allowed::confirmed;
use crate::ledger;
use crate::model::{Limits, PROGRAM};
use crate::net::is_local;
use crate::voice::program;
use clap::Args;

/// Maximum number of models that are offered if none is named.
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
        if options.play.rehearsed || (named.is_empty() && options.play.models.endpoint.is_some()) {
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
        let line = words.iter().map(Mind::to_string).collect::<Vec<_>>();
        let rows = table(&seated, &providers);
        if is_named {
            rows.iter().for_each(|row| context.say(row));
        } else if options.play.headless || !Context::at_terminal() {
            if !is_usual {
                let again = format!("name them: colloquium talk TOPIC {}", line.join(" "));
                return Err(Failure::new(Exit::NoModel, "no model is named").hint(again));
            }
            rows.iter().for_each(|row| context.say(row));
        } else if !confirmed(&format!("{}\n  enter begins, n leaves: ", rows.join("\n"))) {
            return Ok(Next::Over(Exit::Done));
        }
        options.play.models.model = Some(line.join(","));
        let limits = options.play.limits();
        let is_priced = |mind: &Seated| providers.settings.facts(&mind.model).price.is_some();
        if limits == Limits::default()
            && !options.play.set.iter().any(|set| set.starts_with("limits"))
        {
            // a limit in dollars needs a price for each model
            let counts = seated.iter().any(is_priced)
                && seated.iter().all(|mind| is_priced(mind) || is_near(mind, &providers));
            options.play.max_usd = counts.then_some(ledger::TALK);
        }
        run::next(kind, options, context)
    }
}

/// Returns true if the model of a mind costs no money.
fn is_near(mind: &Seated, providers: &Providers) -> bool {
    let provider = mind.model.split(':').next().unwrap_or_default();
    providers.find(provider).is_ok_and(|known| is_local(&known.base_url))
}

/// Describes who speaks, and what that costs.
fn table(seated: &[Seated], providers: &Providers) -> Vec<String> {
    let row = |(at, mind): (usize, &Seated)| {
        let head = if at == 0 { "table" } else { "" };
        let model = match program::parts(&mind.model) {
            Some((name, None)) => format!("{}, your login, no tools", program::label(name)),
            Some((name, Some(model))) => format!("{model}, {}, no tools", program::label(name)),
            None => mind.model.to_string(),
        };
        let price = match providers.settings.facts(&mind.model).price {
            Some(price) => format!("${} in, ${} out per million tokens", price.0, price.1),
            None if is_near(mind, providers) => "free".into(),
            None if mind.model.starts_with(PROGRAM) => "as your login pays".into(),
            None => "price unknown".into(),
        };
        let name = mind.seat.as_ref().unwrap_or(&mind.name);
        format!("  {head:<6}  {name:<10}  {model:<40}  {price}")
    };
    seated.iter().enumerate().map(row).collect()
}
