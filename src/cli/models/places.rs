//! Endpoints of the providers: address and key, looked up at the first use.

use crate::cli::error::{Exit, Failure};
use crate::cli::models::providers::Providers;
use crate::model::Text;
use crate::voice::remote::Endpoint;
use parking_lot::Mutex as SyncMutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The providers, and a cache of the endpoints used so far.
pub(super) struct Places {
    pub(super) providers: Providers,
    met: Mutex<BTreeMap<String, Arc<Endpoint>>>,
    /// The models of each provider that was asked for them.
    listed: SyncMutex<BTreeMap<String, Vec<Text>>>,
}

impl Places {
    /// Creates the cache without any endpoint.
    pub(super) fn new(providers: Providers) -> Places {
        Places { providers, met: Mutex::default(), listed: SyncMutex::default() }
    }

    /// Returns the endpoint of a provider with its key; cached after the first lookup.
    pub(super) async fn endpoint(&self, provider: &str) -> Result<Arc<Endpoint>, Failure> {
        if let Some(endpoint) = self.met.lock().await.get(provider) {
            return Ok(endpoint.clone());
        }
        let endpoint = self.providers.endpoint(self.providers.find(provider)?).await?;
        self.met.lock().await.insert(provider.into(), endpoint.clone());
        Ok(endpoint)
    }

    /// Keeps the models of a provider whose list has every name.
    pub(super) fn keep_list(&self, provider: &str, models: &[Text]) {
        let mut listed = self.listed.lock();
        listed.insert(provider.into(), models.to_vec());
    }

    /// Returns the models of a provider that was asked for them.
    pub(super) fn kept_list(&self, provider: &str) -> Option<Vec<Text>> {
        self.listed.lock().get(provider).cloned()
    }
}

/// Splits `provider:name`.
pub(super) fn parts(name: &str) -> Result<(&str, &str), Failure> {
    if name.is_empty() {
        return Err(Failure::new(Exit::NoModel, "a participant has no model"));
    }
    let parts = name.split_once(':').filter(|(p, m)| !p.is_empty() && !m.is_empty());
    parts.ok_or_else(|| {
        Failure::usage(
            format!("not a model: `{name}`"),
            "expected PROVIDER:NAME, as in ollama:llama3; `colloquium models` lists them",
        )
    })
}
