//! The models that a server lists, and the one that is meant where it lists only one.

use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::models::providers::{ENDPOINT, FROM_OPTION, Providers, ResolvedProvider};
use crate::cli::runtime::block_on;
use crate::model::Text;
use crate::net::Client;
use crate::voice::remote::{Endpoint, models};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long the server at an address that was typed may take to list its models.
pub const SERVER_TIME: Duration = Duration::from_secs(5);
/// How many names of models an error lists.
const NAMES_SHOWN: usize = 12;

/// Returns the only model of the server that `--endpoint` names, and says so; none where it names none.
///
/// # Errors
/// When the server does not answer, has no model, or has several: which one is meant is for the user to say.
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

/// Returns names of models of a provider for a sentence, as far as that is few.
pub fn some_of(provider: &str, names: &[&Text]) -> String {
    let shown = names.iter().take(NAMES_SHOWN).map(|name| format!("{provider}:{name}"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES_SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Returns the models that a place lists, or why there are none.
pub async fn list(endpoint: Arc<Endpoint>, within: Duration) -> Result<Vec<Text>, String> {
    match timeout(within, models(Client::new(), endpoint)).await {
        Ok(listed) => listed.map_err(|failure| failure.text.to_string()),
        Err(_) => Err(no_answer(within)),
    }
}

/// Returns the words for a place that did not answer in time.
pub fn no_answer(within: Duration) -> String {
    format!("no answer within {} ms", within.as_millis())
}
