//! What can really be reached, and why the rest cannot.
//!
//! Servers of this machine are looked for on their usual ports; of the others only those are asked that the user has set
//! up or has a key for. No key is ever shown.

use crate::cli::error::Failure;
use crate::cli::models::listed::{list, no_answer};
use crate::cli::models::places::is_local;
use crate::cli::models::providers::{KeySource, Providers, ResolvedProvider};
use crate::cli::runtime::block_on;
use crate::model::{Price, Text};
use crate::ui::view::models::ReachableModel;
use crate::voice::remote::{Endpoint, Wire};
use futures::future::join_all;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
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

/// What was found out about one place.
pub struct SurveyedPlace {
    /// What the server is called, as in "llama.cpp".
    pub name: String,
    /// The base URL of its API.
    pub base_url: String,
    /// Which layer defines it, in words.
    pub from: &'static str,
    /// Where its key comes from, in words.
    pub key: String,
    /// What is typed to use one of its models.
    pub usage: String,
    /// Its models, or why there are none.
    pub has: Result<Vec<Text>, String>,
    /// Whether somebody set it up, or it answered.
    pub matters: bool,
}

impl SurveyedPlace {
    /// Returns it as JSON.
    pub fn json(&self) -> Value {
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

/// Asks all places that may be asked, at the same time.
pub fn survey(providers: &Providers) -> Result<Vec<SurveyedPlace>, Failure> {
    block_on(async { Ok(surveyed(providers).await) })
}

/// Asks all places that may be asked, at the same time.
async fn surveyed(providers: &Providers) -> Vec<SurveyedPlace> {
    let known = providers.all().iter().map(async |known| ask(providers, known).await);
    // one that the user has set up is asked already
    let set_up = |base_url: &str| providers.all().iter().any(|known| known.base_url == base_url);
    let usual = LOCAL.iter().filter(|(_, base_url)| !set_up(base_url));
    let usual = usual.map(async |(name, base_url)| look(name, base_url).await);
    let (mut found, usual) = tokio::join!(join_all(known), join_all(usual));
    found.extend(usual);
    found
}

/// Returns the models that a seat can be given in a conversation that runs, each with its price in words.
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

/// Looks for a server at a usual place of this machine.
async fn look(name: &str, base_url: &str) -> SurveyedPlace {
    let endpoint = usual_place(name, base_url);
    SurveyedPlace {
        name: name.into(),
        base_url: base_url.into(),
        from: "default port",
        key: endpoint.key_from.to_string(),
        usage: format!("--endpoint {base_url} --model endpoint:"),
        has: list(endpoint, LOCAL_TIME).await,
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

/// Returns a server at a usual place of this machine.
pub fn usual_place(name: &str, base_url: &str) -> Arc<Endpoint> {
    Arc::new(Endpoint {
        name: name.into(),
        wire: Wire::OpenAi,
        base_url: base_url.into(),
        key: None,
        key_from: KeySource::None.to_string().into(),
    })
}
