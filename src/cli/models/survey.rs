//! `models` and `doctor`: what can really be reached, and why the rest cannot.
//!
//! Servers of this machine are looked for on their usual ports; of the others only those are asked that the user has set
//! up or has a key for. No key is ever shown.

use crate::cli::commands::explain;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::models::providers::{KeySource, ModelOptions, Providers, ResolvedProvider};
use crate::cli::output;
use crate::config::Layer;
use crate::model::{Text, Timeouts};
use crate::net::Client;
use crate::text;
use crate::voice::remote::{Endpoint, Wire, models};
use clap::Args;
use futures::future::join_all;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime;
use tokio::time::timeout;

/// How long a server on this machine may take to answer.
pub const LOCAL_TIME: Duration = Duration::from_millis(300);
/// How long any other may take.
const REMOTE_TIME: Duration = Duration::from_secs(10);
/// The usual servers of this machine: who, how they are spoken to, and where. Ollama is a vendor already.
pub const LOCAL: [(&str, &str); 3] = [
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
    ("vLLM", "http://127.0.0.1:8000/v1"),
];
/// The address of Ollama where nothing else is set.
const OLLAMA: &str = "http://127.0.0.1:11434";

/// List the models that can be reached: servers of this machine, and providers with a key
#[derive(Debug, Args)]
pub struct Models {
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: ModelOptions,
}

/// Explain the settings, and for every provider why it can be used or not
#[derive(Debug, Args)]
pub struct Doctor {
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Only say of every setting where its value comes from; ask nobody
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    options: ModelOptions,
}

/// What was found out about one place.
struct SurveyedPlace {
    name: String,
    base_url: String,
    from: &'static str,
    key: String,
    /// What is typed to use one of its models.
    usage: String,
    has: Result<Vec<Text>, String>,
    /// Whether somebody set it up, or it answered.
    matters: bool,
}

impl Models {
    /// Lists them.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let found = survey(&Providers::new(context, &self.options)?)?;
        if self.json {
            return print(&format!(
                "{:#}\n",
                found.iter().map(SurveyedPlace::json).collect::<Value>()
            ));
        }
        let mut out = String::new();
        for place in found.iter().filter(|place| place.matters) {
            match &place.has {
                Ok(names) => {
                    out.push_str(&format!("{}  {}\n", place.name, place.base_url));
                    names.iter().for_each(|n| out.push_str(&format!("  {}{n}\n", place.usage)));
                }
                Err(why) => out.push_str(&format!("{}  {}: {why}\n", place.name, place.base_url)),
            }
        }
        print(&out)?;
        if !found.iter().any(|place| place.has.as_ref().is_ok_and(|names| !names.is_empty())) {
            context.say("no model can be reached; `colloquium doctor` explains why");
        }
        Ok(Exit::Done)
    }
}

impl Doctor {
    /// Explains everything.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        if self.explain {
            return explain::run(context, self.json);
        }
        let providers = Providers::new(context, &self.options)?;
        let found = survey(&providers)?;
        let settings = &providers.settings;
        let layer = match settings.layer {
            Layer::Flag => "named by --config",
            Layer::Variable => "named by COLLOQUIUM_CONFIG",
            Layer::Folder => "the user's own",
        };
        let there = if settings.found { "read" } else { "not there, nothing is set" };
        let default = settings.default_model.as_deref().unwrap_or("not set");
        let model = self.options.model.as_deref().unwrap_or(default);
        let limits = Timeouts::default();
        if self.json {
            let report = json!({
                "settings": {"path": settings.path.display().to_string(), "layer": layer, "found": settings.found},
                "default_model": settings.default_model,
                "timeouts_ms": limits,
                "providers": found.iter().map(SurveyedPlace::json).collect::<Value>(),
            });
            return print(&format!("{report:#}\n"));
        }
        let mut out = format!(
            "settings       {} ({layer}; {there})\nmodel          {model}\n\
             a call         connect {} s, first words {} s, silence {} s, in all {} s\n",
            settings.path.display(),
            limits.connect / 1000,
            limits.first / 1000,
            limits.silence / 1000,
            limits.total / 1000,
        );
        if let Some((project, trusted)) = context.project()? {
            let standing = if trusted { "trusted" } else { "not trusted, left out" };
            out.push_str(&format!("project        {} ({standing})\n", project.path.display()));
        }
        for place in &found {
            let verdict = match &place.has {
                Ok(names) if names.len() == 1 => "usable, 1 model".into(),
                Ok(names) => format!("usable, {} models", names.len()),
                Err(why) => format!("not usable: {why}"),
            };
            let SurveyedPlace { name, base_url, from, key, .. } = place;
            out.push_str(&format!("\n{name}  {base_url}  ({from})\n  key: {key}\n  {verdict}\n"));
        }
        print(&out)
    }
}

impl SurveyedPlace {
    fn json(&self) -> Value {
        json!({
            "provider": self.name,
            "base_url": self.base_url,
            "from": self.from,
            "key": self.key,
            "models": self.has.as_ref().ok(),
            "problem": self.has.as_ref().err(),
        })
    }
}

fn print(out: &str) -> Result<Exit, Failure> {
    output::data(text::block(out).as_bytes())?;
    Ok(Exit::Done)
}

/// Asks all places that may be asked, at the same time.
fn survey(providers: &Providers) -> Result<Vec<SurveyedPlace>, Failure> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|e| Failure::new(Exit::Failed, format!("the system refused: {e}")))?;
    let known = providers.all().iter().map(async |known| ask(providers, known).await);
    // one that the user has set up is asked already
    let set_up = |base_url: &str| providers.all().iter().any(|known| known.base_url == base_url);
    let usual = LOCAL.iter().filter(|(_, base_url)| !set_up(base_url));
    let usual = usual.map(async |(name, base_url)| look(name, base_url).await);
    let (mut found, usual) =
        runtime.block_on(async { tokio::join!(join_all(known), join_all(usual)) });
    found.extend(usual);
    Ok(found)
}

/// Looks for a server at a usual place of this machine.
async fn look(name: &str, base_url: &str) -> SurveyedPlace {
    let endpoint = Endpoint {
        name: name.into(),
        wire: Wire::OpenAi,
        base_url: base_url.into(),
        key: None,
        key_from: KeySource::None.to_string().into(),
    };
    SurveyedPlace {
        name: name.into(),
        base_url: base_url.into(),
        from: "a usual place",
        key: endpoint.key_from.to_string(),
        usage: format!("--endpoint {base_url} --model endpoint:"),
        has: list(endpoint.into(), LOCAL_TIME).await,
        matters: true,
    }
}

/// Asks a provider; one time limit holds for its key and its list.
async fn ask(providers: &Providers, known: &ResolvedProvider) -> SurveyedPlace {
    let within = if known.base_url == OLLAMA { LOCAL_TIME } else { REMOTE_TIME };
    let answer = timeout(REMOTE_TIME, async {
        match providers.key(known).await {
            Ok(key) => (Key::SurveyedPlace, list(known.with(key), within).await),
            Err(why) => (Key::Missing, Err(why)),
        }
    });
    let late = |_| (Key::SurveyedPlace, Err(no_answer(REMOTE_TIME)));
    let (key, has) = answer.await.unwrap_or_else(late);
    SurveyedPlace {
        name: known.name.clone(),
        base_url: known.base_url.clone(),
        from: known.from,
        key: known.key.to_string(),
        usage: format!("{}:", known.name),
        has,
        matters: key == Key::SurveyedPlace || known.from != "known",
    }
}

/// Whether a provider's key is there, or none is needed.
#[derive(PartialEq, Eq)]
enum Key {
    SurveyedPlace,
    Missing,
}

/// Returns the models that a place lists, or why there are none.
pub async fn list(endpoint: Arc<Endpoint>, within: Duration) -> Result<Vec<Text>, String> {
    match timeout(within, models(Client::new(), endpoint)).await {
        Ok(listed) => listed.map_err(|failure| failure.text.to_string()),
        Err(_) => Err(no_answer(within)),
    }
}

fn no_answer(within: Duration) -> String {
    format!("no answer within {} ms", within.as_millis())
}
