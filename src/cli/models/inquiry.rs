//! Checks that the models of a conversation exist. Each provider is asked once for its list, all at the same time and
//! before the first turn, so that a missing model fails at the start and not in the middle of a debate.

use crate::cli::error::{Exit, Failure};
use crate::cli::models::places::{Places, parts};
use crate::cli::models::survey::some_of;
use crate::model::{ErrorClass, Text, is_served};
use crate::net::{Client, is_local};
use crate::voice::remote::{Wire, models};
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Note about a model that no list confirms.
const FIRST_CALL: &str = "the first call decides";
/// Maximum wait for a provider's list before the first call if a user is watching.
const BEFORE_CALLS: Duration = Duration::from_secs(1);

/// A request to each provider for the models that the conversation needs. If a user is watching, only local servers are
/// asked and slow ones are skipped: for the others, the first call reports the error.
pub struct Inquiry {
    client: Client,
    places: Arc<Places>,
    /// Models of each seat: its own, then its fallbacks.
    chains: Vec<Vec<Text>>,
    /// Models to check, by provider.
    wanted: BTreeMap<String, BTreeSet<String>>,
    attended: bool,
}

impl Inquiry {
    /// Creates the request for the models of each seat, its own first; no model is called.
    pub(super) fn new(
        client: Client,
        places: Arc<Places>,
        chains: Vec<Vec<Text>>,
        attended: bool,
    ) -> Result<Inquiry, Failure> {
        let mut wanted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for name in chains.iter().flatten().filter(|name| is_served(name)) {
            let (provider, model) = parts(name)?;
            let place = places.providers.find(provider)?;
            if attended && !is_local(&place.base_url) {
                // the network, and loading the certificates for it, would take too long
                continue;
            }
            wanted.entry(provider.into()).or_default().insert(model.into());
        }
        Ok(Inquiry { client, places, chains, wanted, attended })
    }

    /// Sends the requests and returns notes for the user.
    ///
    /// # Errors
    /// If all models of a seat are unavailable. A missing model with an available fallback is not an error.
    pub async fn answer(self) -> Result<Vec<String>, Failure> {
        let asked = self.wanted.iter().map(async |(provider, models)| {
            let asked = self.ask(provider, models);
            if self.attended {
                timeout(BEFORE_CALLS, asked).await.unwrap_or_default()
            } else {
                asked.await
            }
        });
        let mut notes = Vec::new();
        let mut against: BTreeMap<String, Failure> = BTreeMap::new();
        for answer in join_all(asked).await {
            notes.extend(answer.unchecked);
            against.extend(answer.against);
        }
        for chain in &self.chains {
            if let Some(first) = chain.first().and_then(|name| against.get(&**name))
                && chain.iter().all(|name| against.contains_key(&**name))
            {
                return Err(first.clone());
            }
        }
        notes.extend(against.iter().map(|(name, failure)| {
            format!("{name} is not available; using its fallback: {}", failure.message)
        }));
        Ok(notes)
    }

    /// Asks a provider for its models and checks the wanted ones.
    async fn ask(&self, provider: &str, wanted: &BTreeSet<String>) -> Answer {
        let all = |failure: Failure| {
            wanted.iter().map(|m| (format!("{provider}:{m}"), failure.clone())).collect()
        };
        let endpoint = match self.places.endpoint(provider).await {
            Ok(endpoint) => endpoint,
            Err(failure) => return Answer { against: all(failure), unchecked: None },
        };
        let listed = match models(self.client.clone(), endpoint.clone()).await {
            Ok(listed) => listed,
            // no call can succeed either; a server that answers may have another key, or none, for its list
            Err(failure)
                if matches!(
                    failure.class,
                    ErrorClass::Refused | ErrorClass::Dns | ErrorClass::Tls
                ) =>
            {
                let failure = Failure::new(Exit::NoModel, format!("no model: {}", failure.text))
                    .hint("`colloquium doctor` explains each provider");
                return Answer { against: all(failure), unchecked: None };
            }
            Err(failure) => {
                let unchecked =
                    format!("{FIRST_CALL}: the list of models is missing: {}", failure.text);
                let unchecked = Some(format!("{provider}: {unchecked}"));
                return Answer { against: vec![], unchecked };
            }
        };
        let mut missing = wanted.iter().filter(|model| !is_listed(&listed, model));
        // only Ollama lists every name that it takes: others have deployments, aliases and private models
        if endpoint.wire == Wire::Ollama {
            self.places.keep_list(provider, &listed);
            let against =
                missing.map(|m| (format!("{provider}:{m}"), missing_model(provider, m, &listed)));
            return Answer { against: against.collect(), unchecked: None };
        }
        let unchecked = missing.next().map(|first| {
            let mut names: Vec<&Text> = listed.iter().collect();
            names.sort_by_key(|name| strsim::damerau_levenshtein(name, first));
            let near = some_of(provider, &names);
            format!("{provider} does not list `{first}`; {FIRST_CALL}; it lists {near}")
        });
        Answer { against: vec![], unchecked }
    }
}

/// Result for the wanted models of a provider.
#[derive(Default)]
struct Answer {
    /// Unavailable models, with the reason for each.
    against: Vec<(String, Failure)>,
    /// Reason why the models could not be checked, if the conversation can start anyway.
    unchecked: Option<String>,
}

/// Returns whether a list of a server names a model, in any case and without the tag `latest`; an empty list names all.
pub(super) fn is_listed(listed: &[Text], model: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().trim_end_matches(":latest").to_owned();
    listed.is_empty() || listed.iter().any(|name| plain(name) == plain(model))
}

/// Returns the failure of a model that a server lacks, with the names of those it has.
pub(super) fn missing_model(provider: &str, missing: &str, listed: &[Text]) -> Failure {
    let mut names: Vec<&Text> = listed.iter().collect();
    names.sort_by_key(|name| strsim::damerau_levenshtein(name, missing));
    Failure::new(Exit::NoModel, format!("{provider} has no model `{missing}`"))
        .hint(format!("it has {}", some_of(provider, &names)))
}
