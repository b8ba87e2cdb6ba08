//! The list of a server's models, and the default if it has only one.

use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::models::providers::{ENDPOINT, FROM_OPTION, Providers, ResolvedProvider};
use crate::cli::runtime::block_on;
use crate::model::Text;
use crate::net::Client;
use crate::voice::remote::{Endpoint, models, parameters, window};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

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
    let listed = block_on(async { Ok(list(known.with(None), SERVER_TIME).await) })?;
    let refused = |why: String, hint: String| Failure::new(Exit::NoModel, why).hint(hint);
    let listed = listed.map_err(|why| {
        refused(format!("no model: {why}"), "start the server, or correct --endpoint".into())
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

/// Returns the models of a server, or the reason for the failure.
pub async fn list(endpoint: Arc<Endpoint>, within: Duration) -> Result<Vec<Text>, String> {
    match timeout(within, models(Client::new(), endpoint)).await {
        Ok(listed) => listed.map_err(|failure| failure.text.to_string()),
        Err(_) => Err(no_answer(within)),
    }
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
