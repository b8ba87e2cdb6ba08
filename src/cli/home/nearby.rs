//! Providers that the start screen discovers: local servers by a request to their default ports, all others by checking
//! for a key. Only this machine is contacted, and no key command is run.

use crate::cli::models::providers::{ENDPOINT, KeySource, Providers, ResolvedProvider};
use crate::cli::models::survey::{LOCAL, LOCAL_TIME, SERVER_TIME, list, usual_place};
use crate::model::{Secret, Text};
use crate::net::is_local;
use crate::settings::Environment;
use crate::ui::start::{Host, OfferedModel};
use std::future::Future;
use std::pin::Pin;

/// A pending check of one server or provider.
pub type Looking = Pin<Box<dyn Future<Output = Host>>>;

/// Starts a check of every server and provider; each resolves independently.
pub fn look(providers: &Providers, environment: &Environment) -> Vec<Looking> {
    let known = providers.all().iter().map(|known| {
        if is_local(&known.base_url) {
            let name = known.name.clone();
            let endpoint = known.with(key(known, environment));
            looking(async move { answered(&name, &name, None, list(endpoint, LOCAL_TIME).await) })
        } else {
            let host = keyed(known, environment);
            looking(async move { host })
        }
    });
    // skip default addresses that the user configured: they are checked under their own names
    let free = |url: &str| !providers.all().iter().any(|known| known.base_url == url);
    let usual = LOCAL.iter().filter(|(_, url)| free(url)).map(|(name, url)| {
        let endpoint = usual_place(name, url);
        looking(
            async move { answered(name, ENDPOINT, Some(url), list(endpoint, LOCAL_TIME).await) },
        )
    });
    known.chain(usual).collect()
}

fn looking(host: impl Future<Output = Host> + 'static) -> Looking {
    Box::pin(host)
}

/// Asks the server at a typed address; the address serves as its name.
pub fn ask(address: String) -> Looking {
    looking(async move {
        let with_version = format!("{address}/v1");
        let mut refused = String::new();
        for url in [&address, &with_version] {
            match list(usual_place(&address, url), SERVER_TIME).await {
                Ok(models) => {
                    return answered(&address, ENDPOINT, Some(&url.as_str()), Ok(models));
                }
                Err(why) if refused.is_empty() => refused = why,
                Err(_) => {}
            }
        }
        Host { name: address, says: refused, usable: false, models: vec![] }
    })
}

/// Returns the key of a local server if it is set as a variable.
fn key(known: &ResolvedProvider, environment: &Environment) -> Option<Secret> {
    let KeySource::Variable(name) = &known.key else { return None };
    let value = environment.get(name)?.to_str()?;
    Some(Secret::new(value.trim().to_owned()))
}

/// Returns the status of a local server from its answer.
fn answered(
    name: &str,
    provider: &str,
    endpoint: Option<&&str>,
    names: Result<Vec<Text>, String>,
) -> Host {
    let model = |name: &Text| OfferedModel {
        name: format!("{provider}:{name}"),
        endpoint: endpoint.map(|url| (*url).to_owned()),
        local: true,
    };
    let models: Vec<OfferedModel> = names.iter().flatten().map(model).collect();
    let says = match models.len() {
        0 if names.is_ok() => "running, but has no model".into(),
        0 => "not running".into(),
        1 => "1 model".into(),
        n => format!("{n} models"),
    };
    Host { name: name.into(), says, usable: !models.is_empty(), models }
}

/// Returns the status of a remote provider, without a request.
fn keyed(known: &ResolvedProvider, environment: &Environment) -> Host {
    let (usable, says) = match &known.key {
        KeySource::None => (true, "set up".into()),
        KeySource::Variable(name) if environment.get(name).is_some() => {
            (true, format!("{name} is set"))
        }
        KeySource::Variable(_) => (false, "no key".into()),
        KeySource::File(_) => (true, "key saved".into()),
        KeySource::Command(_) => (true, "key from a program".into()),
    };
    let says = if usable { format!("{says}; type {}:MODEL", known.name) } else { says };
    Host { name: known.name.clone(), says, usable, models: vec![] }
}
