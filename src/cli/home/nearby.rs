//! Models of local servers, by a request to their default ports, and of the server at a typed address. Nothing else is
//! contacted, and no key command is run.

use crate::cli::models::minds::Usable;
use crate::cli::models::providers::{ENDPOINT, Providers};
use crate::cli::models::survey::{
    LOCAL, LOCAL_TIME, NoList, SERVER_TIME, list, listed, usual_place,
};
use crate::model::{Secret, Text};
use crate::net::is_local;
use crate::settings::ModelList;
use crate::ui::start::{Host, ModelPlace, OfferedModel};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A pending check of one server.
pub type Looking = Pin<Box<dyn Future<Output = Host>>>;

/// Starts a check of every local server; each resolves independently.
pub fn look(providers: &Providers) -> Vec<Looking> {
    let local = providers.all().iter().filter(|known| is_local(&known.base_url));
    let local = local.map(|known| (&*known.name, None, providers.endpoint_at_hand(known)));
    // skip default addresses that the user configured: they are checked under their own names
    let free = |url: &str| !providers.all().iter().any(|known| known.base_url == url);
    let usual = LOCAL.iter().filter(|(_, url)| free(url));
    let usual = usual.map(|(name, url)| (*name, Some(*url), usual_place(name, url)));
    let all = local.chain(usual).map(|(name, url, endpoint)| -> Looking {
        let name = name.to_owned();
        Box::pin(async move {
            let found = list(endpoint, LOCAL_TIME).await.unwrap_or_default();
            host(&name, url, &found)
        })
    });
    all.collect()
}

/// Asks the server at a typed address; the address serves as its name.
pub fn ask(address: String) -> Looking {
    Box::pin(async move {
        match answer(&address, None).await {
            Ok((url, models)) => host(&address, Some(&url), &models),
            Err(NoList { text: says, wants_key }) => {
                Host { name: address, says, wants_key, models: vec![] }
            }
        }
    })
}

/// Returns the base address of a server, as typed or below `/v1`, and its models.
///
/// # Errors
/// The first failure, or the refusal of the key.
pub async fn answer(address: &str, key: Option<Secret>) -> Result<(String, Vec<Text>), NoList> {
    let mut refused: Option<NoList> = None;
    let versioned = (!address.ends_with("/v1")).then(|| format!("{address}/v1"));
    for url in [Some(address.to_owned()), versioned].into_iter().flatten() {
        let mut place = Arc::unwrap_or_clone(usual_place(address, &url));
        if key.is_some() {
            place.key.clone_from(&key);
            place.key_from = "pasted here".into();
        }
        match listed(Arc::new(place), SERVER_TIME).await {
            Ok(models) => return Ok((url, models)),
            Err(failure) if refused.is_none() || failure.wants_key => refused = Some(failure),
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or(NoList { text: "no answer".into(), wants_key: false }))
}

/// Returns the status of a server from its models; `endpoint` is the address of a server outside the settings.
fn host(name: &str, endpoint: Option<&str>, names: &[Text]) -> Host {
    let provider = if endpoint.is_some() { ENDPOINT } else { name };
    let place = if endpoint.is_none_or(is_local) { ModelPlace::Here } else { ModelPlace::Key };
    let usable = Usable { list: ModelList::bundled().clone(), ..Usable::default() };
    let model = |model: &Text| {
        let family = usable.family_of(model).map_or(model.to_string(), |f| f.name.to_lowercase());
        OfferedModel {
            endpoint: endpoint.map(str::to_owned),
            place,
            family,
            is_usual: true,
            ..OfferedModel::from_name(&format!("{provider}:{model}"))
        }
    };
    let says = if names.is_empty() { "running, but has no model".into() } else { String::new() };
    let models = names.iter().map(model).collect();
    Host { name: name.into(), says, wants_key: false, models }
}
