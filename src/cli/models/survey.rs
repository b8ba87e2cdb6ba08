//! Finds the reachable models, and the reason why the others are not reachable; lists the models of a server, with the
//! default if it has only one.
//!
//! Local servers are searched at their default ports; other providers are asked only if the user configured them or has
//! a key for them. Keys are never shown.

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::providers::{ENDPOINT, FROM_OPTION, Providers, ResolvedProvider};
use crate::cli::runtime::wait_for;
use crate::model::{ErrorClass, Price, Text};
use crate::net::{Client, is_local};
use crate::settings::ModelList;
use crate::ui::view::models::ReachableModel;
use crate::voice::remote::{Endpoint, Wire, models, parameters, window};
use futures::future::join_all;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Timeout of a server on this machine, long enough for a busy server.
pub const LOCAL_TIME: Duration = Duration::from_secs(1);
/// Timeout of any other server.
const REMOTE_TIME: Duration = Duration::from_secs(10);
/// Common local servers: name and default address. Ollama is among the vendors.
pub const LOCAL: [(&str, &str); 3] = [
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
    ("vLLM", "http://127.0.0.1:8000/v1"),
];
/// Maximum number of models of a server whose windows are asked for.
const WINDOWS_MAX: usize = 20;
/// Default address of Ollama.
const OLLAMA: &str = "http://127.0.0.1:11434";

/// Result for one server.
pub struct SurveyedPlace {
    /// Name of the server, as in "llama.cpp".
    pub name: String,
    /// Base URL of its API.
    pub base_url: String,
    /// Name of the layer that defines it.
    pub from: &'static str,
    /// Source of its key, as text.
    pub key: String,
    /// Text to type to use one of its models.
    pub usage: String,
    /// Its models, or the reason for the failure.
    pub has: Result<Vec<Text>, String>,
    /// Context windows of its models, if it is local and states them.
    pub windows: BTreeMap<Text, u32>,
    /// True if its key is available or not needed, or if an option or the settings define it.
    pub matters: bool,
}

impl SurveyedPlace {
    /// Returns the result as JSON.
    pub fn json(&self) -> Value {
        json!({
            "provider": self.name,
            "base_url": self.base_url,
            "from": self.from,
            "key": self.key,
            "models": self.has.as_ref().ok(),
            "windows": self.windows,
            "problem": self.has.as_ref().err(),
        })
    }
}

/// Asks all permitted servers concurrently.
pub fn survey(providers: &Providers, context: &Context) -> Result<Vec<SurveyedPlace>, Failure> {
    wait_for("the servers of models", context, async { Ok(surveyed(providers).await) })
}

/// Asks all permitted servers concurrently.
async fn surveyed(providers: &Providers) -> Vec<SurveyedPlace> {
    let known = providers.all().iter().map(async |known| ask(providers, known).await);
    // skip default addresses that the user configured: they are asked already
    let set_up = |base_url: &str| providers.all().iter().any(|known| known.base_url == base_url);
    let usual = LOCAL.iter().filter(|(_, base_url)| !set_up(base_url));
    let usual = usual.map(async |(name, base_url)| look(name, base_url).await);
    let (mut found, usual) = tokio::join!(join_all(known), join_all(usual));
    found.extend(usual);
    found
}

/// Returns the models that a seat can get in a running conversation, each with its price as text.
pub async fn reachable(providers: &Providers) -> Vec<ReachableModel> {
    let asked = providers.all().iter().map(async |known| ask(providers, known).await);
    let places = join_all(asked).await;
    let model = |place: &SurveyedPlace, model: &Text| {
        let name = format!("{}:{model}", place.name);
        let price = match providers.settings.facts(&name).price {
            Some(Price(into, out)) => format!("${into} in, ${out} out per million tokens"),
            None if is_local(&place.base_url) => "local".into(),
            None => "price unknown".into(),
        };
        ReachableModel { name, price }
    };
    let has = |place: &SurveyedPlace| {
        place.has.iter().flatten().map(|name| model(place, name)).collect::<Vec<_>>()
    };
    places.iter().flat_map(has).collect()
}

/// Looks for a server at a default local address.
async fn look(name: &str, base_url: &str) -> SurveyedPlace {
    let endpoint = usual_place(name, base_url);
    let has = list(endpoint.clone(), LOCAL_TIME).await;
    let windows = windows(&endpoint, &has).await;
    SurveyedPlace {
        name: name.into(),
        base_url: base_url.into(),
        from: "default port",
        key: endpoint.key_from.to_string(),
        usage: format!("--endpoint {base_url} --model endpoint:"),
        has,
        windows,
        matters: true,
    }
}

/// Asks a provider; the key and the list share one timeout.
async fn ask(providers: &Providers, known: &ResolvedProvider) -> SurveyedPlace {
    let within = if known.base_url == OLLAMA { LOCAL_TIME } else { REMOTE_TIME };
    let answer = timeout(REMOTE_TIME, async {
        match providers.key(known).await {
            Ok(key) => {
                let endpoint = known.with(key);
                let has = list(endpoint.clone(), within).await;
                let windows = windows(&endpoint, &has).await;
                (Key::Available, has, windows)
            }
            Err(why) => (Key::Missing, Err(why.into()), BTreeMap::new()),
        }
    });
    let late = |_| (Key::Available, Err(no_answer(REMOTE_TIME)), BTreeMap::new());
    let (key, has, windows) = answer.await.unwrap_or_else(late);
    SurveyedPlace {
        name: known.name.clone(),
        base_url: known.base_url.clone(),
        from: known.from,
        key: known.key.to_string(),
        usage: format!("{}:", known.name),
        has,
        windows,
        matters: key == Key::Available || known.from != "known",
    }
}

/// Returns the windows of the first models of a local server, as far as it states them.
async fn windows(endpoint: &Arc<Endpoint>, has: &Result<Vec<Text>, String>) -> BTreeMap<Text, u32> {
    if !is_local(&endpoint.base_url) {
        return BTreeMap::new();
    }
    let models = has.iter().flatten().take(WINDOWS_MAX);
    let read = models.map(async |model| {
        Some((model.clone(), stated_window(endpoint.clone(), model, LOCAL_TIME).await?))
    });
    join_all(read).await.into_iter().flatten().collect()
}

/// Availability of a provider's key: `Missing` only if a key is needed and cannot be found.
#[derive(PartialEq, Eq)]
enum Key {
    Available,
    Missing,
}

/// Returns the endpoint of a local server at its default address.
pub fn usual_place(name: &str, base_url: &str) -> Arc<Endpoint> {
    Arc::new(Endpoint::new(name, Wire::OpenAi, base_url))
}

/// Maximum time for the server at a typed address to list its models.
pub const SERVER_TIME: Duration = Duration::from_secs(5);
/// Maximum number of model names in an error.
const NAMES_SHOWN: usize = 12;

/// Returns the only model of the server at `--endpoint` and reports it; `None` without `--endpoint`.
///
/// # Errors
/// If the server does not answer, lists no models, or lists several: the user has to choose one.
pub fn only_model(providers: &Providers, context: &Context) -> Result<Option<String>, Failure> {
    let named = |known: &&ResolvedProvider| known.name == ENDPOINT && known.from == FROM_OPTION;
    let Some(known) = providers.all().iter().find(named) else { return Ok(None) };
    let asked = async { Ok(list(known.with(None), SERVER_TIME).await) };
    let listed = wait_for(&format!("the server at {}", known.base_url), context, asked)?;
    let refused = |why: String, hint: String| Failure::new(Exit::NoModel, why).hint(hint);
    let listed = listed.map_err(|why| {
        let hint = "start the server, correct --endpoint, or name a model: --model endpoint:NAME";
        refused(format!("no model: {why}"), hint.into())
    })?;
    let url = &known.base_url;
    match &listed[..] {
        [model] => {
            let name = format!("{ENDPOINT}:{model}");
            context.say(&format!("using {name}, the only model at {url}"));
            Ok(Some(name))
        }
        [] => Err(refused(format!("the server at {url} has no model"), "load one there".into())),
        several => {
            let names = some_of(ENDPOINT, &several.iter().collect::<Vec<_>>());
            Err(refused(
                format!("the server at {url} has {} models and none is chosen", several.len()),
                format!("add --model endpoint:NAME; it has {names}"),
            ))
        }
    }
}

/// Returns a list of a provider's models for a sentence, with at most `NAMES_SHOWN` names.
pub fn some_of(provider: &str, names: &[&Text]) -> String {
    let shown = names.iter().take(NAMES_SHOWN).map(|name| format!("{provider}:{name}"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES_SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Failure of a server to list its models.
pub struct NoList {
    /// Reason.
    pub text: String,
    /// True if it answers, and refuses the key or its absence.
    pub wants_key: bool,
}

/// Returns the models of a server that can talk, or the reason for the failure.
pub async fn list(endpoint: Arc<Endpoint>, within: Duration) -> Result<Vec<Text>, String> {
    listed(endpoint, within).await.map_err(|failure| failure.text)
}

/// Returns the models of a server that can talk, or the failure.
pub async fn listed(endpoint: Arc<Endpoint>, within: Duration) -> Result<Vec<Text>, NoList> {
    let Ok(listed) = timeout(within, models(Client::new(), endpoint)).await else {
        return Err(NoList { text: no_answer(within), wants_key: false });
    };
    let mut names = listed.map_err(|failure| NoList {
        text: failure.text.to_string(),
        wants_key: failure.class == ErrorClass::Credentials,
    })?;
    names.retain(|name| ModelList::bundled().can_talk(name));
    Ok(names)
}

/// Returns the context window of a model as its server states it; `None` if it does not, or not in time.
pub async fn stated_window(endpoint: Arc<Endpoint>, model: &str, within: Duration) -> Option<u32> {
    timeout(within, window(Client::new(), endpoint, model)).await.ok().flatten()
}

/// Returns the number of parameters of a model as its server states it; `None` if it does not, or not in time.
pub async fn stated_parameters(
    endpoint: Arc<Endpoint>,
    model: &str,
    within: Duration,
) -> Option<u64> {
    timeout(within, parameters(Client::new(), endpoint, model)).await.ok().flatten()
}

/// Returns the message for a server that did not answer in time.
pub fn no_answer(within: Duration) -> String {
    format!("no answer within {} ms", within.as_millis())
}
