//! What the start screen finds out by itself: servers of this machine by asking their usual ports, every other provider
//! by looking whether its key is there. Nothing but this machine is contacted, and no key is read by a program.

use crate::cli::models::listed::{SERVER_TIME, list};
use crate::cli::models::places::is_local;
use crate::cli::models::providers::{ENDPOINT, KeySource, Providers, ResolvedProvider};
use crate::cli::models::survey::{LOCAL, LOCAL_TIME, usual_place};
use crate::config::Environment;
use crate::model::{Secret, Text};
use crate::ui::start::{Host, Mind};
use std::future::Future;
use std::pin::Pin;

/// A place that is being looked at.
pub type Looking = Pin<Box<dyn Future<Output = Host>>>;

/// Returns how every place stands, each as soon as it is known.
pub fn look(providers: &Providers, environment: &Environment) -> Vec<Looking> {
    let known = providers.all().iter().map(|known| match is_local(&known.base_url) {
        true => {
            let (name, endpoint) = (known.name.clone(), known.with(key(known, environment)));
            looking(async move { answered(&name, &name, None, list(endpoint, LOCAL_TIME).await) })
        }
        false => {
            let host = keyed(known, environment);
            looking(async move { host })
        }
    });
    // one that the user has set up is asked as such
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

/// Asks the server at an address that was typed; what it is called is the address.
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
        Host { name: address, says: refused, usable: false, minds: vec![] }
    })
}

/// The key of a server of this machine, where one is set as a variable.
fn key(known: &ResolvedProvider, environment: &Environment) -> Option<Secret> {
    let KeySource::Variable(name) = &known.key else { return None };
    let value = environment.get(name)?.to_str()?;
    Some(Secret::new(value.trim().to_owned()))
}

/// How a server of this machine stands, after it was asked.
fn answered(
    name: &str,
    provider: &str,
    endpoint: Option<&&str>,
    models: Result<Vec<Text>, String>,
) -> Host {
    let mind = |model: &Text| Mind {
        name: format!("{provider}:{model}"),
        endpoint: endpoint.map(|url| (*url).to_owned()),
        local: true,
    };
    let minds: Vec<Mind> = models.iter().flatten().map(mind).collect();
    let says = match minds.len() {
        0 if models.is_ok() => "running, but has no model".into(),
        0 => "not running".into(),
        1 => "1 model".into(),
        n => format!("{n} models"),
    };
    Host { name: name.into(), says, usable: !minds.is_empty(), minds }
}

/// How a provider elsewhere stands, as far as that is known without asking it.
fn keyed(known: &ResolvedProvider, environment: &Environment) -> Host {
    let (usable, says) = match &known.key {
        KeySource::None => (true, "set up".into()),
        KeySource::Variable(name) if environment.get(name).is_some() => {
            (true, format!("{name} is set"))
        }
        KeySource::Variable(_) => (false, "no key".into()),
        KeySource::File(_) => (true, "key in a file".into()),
        KeySource::Command(_) => (true, "key from a program".into()),
    };
    let says = if usable { format!("{says}; type {}:MODEL", known.name) } else { says };
    Host { name: known.name.clone(), says, usable, minds: vec![] }
}
