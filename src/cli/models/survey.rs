//! Finds the reachable models, and the reason why the others are not reachable.
//!
//! Local servers are searched at their default ports; other providers are asked only if the user configured them or has
//! a key for them. Keys are never shown.

use crate::cli::error::Failure;
use crate::cli::models::listed::{list, no_answer, stated_window};
use crate::cli::models::providers::{KeySource, Providers, ResolvedProvider};
use crate::cli::runtime::block_on;
use crate::model::{Price, Text};
use crate::net::is_local;
use crate::ui::view::models::ReachableModel;
use crate::voice::remote::{Endpoint, Wire};
use futures::future::join_all;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Timeout of a server on this machine.
pub const LOCAL_TIME: Duration = Duration::from_millis(300);
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
pub fn survey(providers: &Providers) -> Result<Vec<SurveyedPlace>, Failure> {
    block_on(async { Ok(surveyed(providers).await) })
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
    Arc::new(Endpoint {
        name: name.into(),
        wire: Wire::OpenAi,
        base_url: base_url.into(),
        key: None,
        key_from: KeySource::None.to_string().into(),
    })
}
