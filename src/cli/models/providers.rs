//! Providers of models: the known vendors, the providers of the settings, and the endpoint of this run.
//!
//! A file can only name a provider: address and key come from the user's side. A key is looked up when its provider is
//! asked for the first time, and a missing key is reported before anything starts.

use crate::cli::args::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::key_command::{NoPrintedKey, PrintedKeys, bare_key};
use crate::model::near::nearest;
use crate::model::{Secret, Wire};
use crate::net::host;
use crate::settings::{self, Paths, Provider, Settings, SystemRole};
use crate::voice::remote::{Cure, Endpoint, base_address, vendors};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Name of the provider that `--endpoint` defines.
pub const ENDPOINT: &str = "endpoint";
/// Name of the layer that defines that provider.
pub const FROM_OPTION: &str = "--endpoint";

/// Maximum bytes of the version in a query, as in `2024-10-21-preview`; keys are longer.
const VERSION_MAX: usize = 20;

/// Source of a provider's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// No key needed.
    None,
    /// An environment variable, which may be unset.
    Variable(String),
    /// A file that contains the key.
    File(PathBuf),
    /// A command that prints the key.
    Command(Vec<String>),
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeySource::None => f.write_str("none needed"),
            KeySource::Variable(name) => write!(f, "the variable {name}"),
            KeySource::File(path) => write!(f, "the file {}", path.display()),
            KeySource::Command(command) => {
                write!(f, "from `{}`", command.first().map_or("", |program| program))
            }
        }
    }
}

/// A provider as resolved from all layers, without its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedProvider {
    /// Prefix of its models, as in `ollama:llama3`.
    pub name: String,
    /// Wire format of its API.
    pub wire: Wire,
    /// Wire format of calls with tools or effort, if it is another one.
    pub tool_wire: Option<Wire>,
    /// Base URL of its API.
    pub base_url: String,
    /// Source of its key.
    pub key: KeySource,
    /// Header of its key, if it is another one than that of the wire format.
    pub key_header: Option<String>,
    /// Changes to every request, from the settings.
    pub changes: Vec<Cure>,
    /// Name of the layer that defines it.
    pub from: &'static str,
}

impl ResolvedProvider {
    /// Returns the endpoint for calls with a key.
    pub fn with(&self, key: Option<Secret>) -> Arc<Endpoint> {
        let mut endpoint = Endpoint::new(&self.name, self.wire, &self.base_url);
        endpoint.tool_wire = self.tool_wire;
        endpoint.key = key;
        endpoint.key_from = self.key.to_string().into();
        endpoint.key_header = self.key_header.as_deref().map(Into::into);
        endpoint.changes.clone_from(&self.changes);
        endpoint.into()
    }
}

/// Known providers, from the settings and by default.
pub struct Providers {
    /// Settings of the user and of the project.
    pub settings: Settings,
    list: Vec<ResolvedProvider>,
    /// Environment of the program.
    pub environment: settings::Environment,
    /// Folders of the program.
    pub paths: Paths,
    is_client: bool,
}

impl Providers {
    /// Returns whether a provider may be asked for its models.
    pub fn may_ask(&self, provider: &str) -> bool {
        !self.is_client || self.settings.mcp.may_use(provider)
    }

    /// Collects the providers of a run.
    pub fn new(context: &Context, options: &ModelOptions) -> Result<Providers, Failure> {
        let settings = context.settings()?;
        let vendors = vendors().iter().map(|v| {
            let key = match &*v.key_env {
                "" => KeySource::None,
                name => KeySource::Variable(name.into()),
            };
            let name = v.name.clone();
            let (base_url, from) = match address_of(&name, &context.environment) {
                Some((url, variable)) => (url, variable),
                None => (v.base_url.clone(), "known"),
            };
            let (wire, tool_wire) = (v.wire, v.tool_wire);
            let (key_header, changes) = (None, vec![]);
            ResolvedProvider { name, wire, tool_wire, base_url, key, key_header, changes, from }
        });
        let mut list: Vec<ResolvedProvider> = vendors.collect();
        for (name, provider) in &settings.providers {
            let known = list.iter().position(|k| k.name == *name).map(|at| list.remove(at));
            list.push(merged(name, provider, known).map_err(|message| {
                let place = settings.place_of(&format!("providers.{name}"));
                Failure::new(Exit::Invalid, format!("{place}: providers.{name}: {message}"))
            })?);
        }
        if let Some(url) = &options.server.endpoint {
            list.retain(|known| known.name != ENDPOINT);
            let wire = options.server.wire.unwrap_or(Wire::OpenAi);
            // a key belongs to one address, and this address comes without a key
            let key = KeySource::None;
            let from = FROM_OPTION;
            list.push(ResolvedProvider {
                name: ENDPOINT.into(),
                wire,
                tool_wire: None,
                base_url: address(url)?,
                key,
                key_header: None,
                changes: vec![],
                from,
            });
        }
        // a pasted key replaces an unset variable
        for known in &mut list {
            let path = context.paths.key(&known.name);
            let unset = matches!(&known.key, KeySource::Variable(v) if context.environment.get(v).is_none());
            if unset && path.is_file() {
                known.key = KeySource::File(path);
            }
        }
        let environment = context.environment.clone();
        let paths = context.paths.clone();
        Ok(Providers { settings, list, environment, paths, is_client: options.is_client })
    }

    /// Returns the variable of a provider's key if it is unset; `None` if the key has another source.
    pub fn unset(&self, known: &ResolvedProvider) -> Option<String> {
        match &known.key {
            KeySource::Variable(name) if self.environment.get(name).is_none() => Some(name.clone()),
            KeySource::Variable(_)
            | KeySource::None
            | KeySource::File(_)
            | KeySource::Command(_) => None,
        }
    }

    /// Returns all providers.
    pub fn all(&self) -> &[ResolvedProvider] {
        &self.list
    }

    /// Returns a provider by its name; the failure lists the known ones.
    pub fn find(&self, name: &str) -> Result<&ResolvedProvider, Failure> {
        self.list.iter().find(|known| known.name == name).ok_or_else(|| {
            if name == ENDPOINT {
                return Failure::new(
                    Exit::NoModel,
                    "the provider `endpoint` has no address",
                )
                .hint(
                    "add --endpoint URL; for safety, addresses are never read from sessions or scenarios",
                );
            }
            let names: Vec<&str> = self.list.iter().map(|known| &*known.name).collect();
            let near = nearest(name, names.iter().copied());
            let near = near.map_or(String::new(), |near| format!("; the nearest is `{near}`"));
            Failure::usage(
                format!("no provider `{name}`{near}"),
                format!(
                    "known providers: {}; define others in the settings under [providers.{name}]",
                    names.join(", ")
                ),
            )
            .about(name)
        })
    }

    /// Returns the endpoint of a provider with its key.
    pub async fn endpoint(&self, known: &ResolvedProvider) -> Result<Arc<Endpoint>, Failure> {
        let key = self.key(known).await.map_err(|why| no_key(known, &why))?;
        let endpoint = known.with(key);
        let KeySource::Command(command) = &known.key else { return Ok(endpoint) };
        let mut endpoint = Arc::unwrap_or_clone(endpoint);
        endpoint.keyring = Some(Arc::new(PrintedKeys::new(command, &self.environment)));
        Ok(endpoint.into())
    }

    /// Checks that a provider's key is available. A program that prints the key is assumed to work and is not run.
    pub fn has_key(&self, known: &ResolvedProvider) -> Result<(), Failure> {
        self.at_hand(&known.key).map(drop).map_err(|why| no_key(known, &why))
    }

    /// Returns the key of a provider; an error message never contains the key.
    pub async fn key(&self, known: &ResolvedProvider) -> Result<Option<Secret>, NoPrintedKey> {
        match &known.key {
            KeySource::Command(command) => {
                PrintedKeys::new(command, &self.environment).print().await.map(Some)
            }
            source => self.at_hand(source),
        }
    }

    /// Returns the endpoint of a provider with its key, unless the key is missing or a program prints it.
    pub fn endpoint_at_hand(&self, known: &ResolvedProvider) -> Arc<Endpoint> {
        known.with(self.at_hand(&known.key).unwrap_or_default())
    }

    /// Returns a key that needs no program to be run; `None` if the provider needs no key or a program prints it.
    fn at_hand(&self, source: &KeySource) -> Result<Option<Secret>, NoPrintedKey> {
        let key = match source {
            KeySource::None | KeySource::Command(_) => return Ok(None),
            KeySource::Variable(name) => match self.environment.get(name) {
                Some(value) => {
                    value.to_str().ok_or(format!("{name} is not valid text"))?.to_owned()
                }
                None => return Err(format!("{name} is not set").into()),
            },
            KeySource::File(path) => settings::read_key_file(path).map_err(String::from)?,
        };
        Ok(Some(bare_key(&key)))
    }
}

/// Variables of other programs with the address of a vendor.
const ADDRESSES: [(&str, &str); 3] =
    [("ollama", "OLLAMA_HOST"), ("openai", "OPENAI_BASE_URL"), ("anthropic", "ANTHROPIC_BASE_URL")];
/// Usual port of Ollama.
const OLLAMA_PORT: u16 = 11_434;

/// Returns the address of a vendor in the variable of another program, with the name of the variable.
fn address_of(vendor: &str, environment: &settings::Environment) -> Option<(String, &'static str)> {
    let (_, variable) = ADDRESSES.iter().find(|(name, _)| *name == vendor)?;
    let set = environment.get(variable)?.to_str()?.trim().to_owned();
    if set.is_empty() || set.contains('@') {
        return None;
    }
    // a server that listens everywhere is reached on this machine
    let set = set.replace("0.0.0.0", "127.0.0.1").replace("[::]", "127.0.0.1");
    let mut url = base_address(&if set.starts_with(':') { format!("127.0.0.1{set}") } else { set });
    let bare = url.split_once("://").is_some_and(|(_, rest)| !rest.contains([':', '/']));
    if vendor == "ollama" && bare {
        url = format!("{url}:{OLLAMA_PORT}");
    }
    Some((url, variable))
}

fn no_key(known: &ResolvedProvider, why: &NoPrintedKey) -> Failure {
    let name = &known.name;
    Failure::new(Exit::NoModel, format!("no key for the provider `{name}`: {why}")).hint(format!(
        "set it, or set api_key_env, api_key_file or api_key_command under [providers.{name}] in the settings"
    ))
}

/// Merges a provider of the settings into the known provider of that name.
fn merged(
    name: &str,
    set: &Provider,
    known: Option<ResolvedProvider>,
) -> Result<ResolvedProvider, String> {
    // a key belongs to one address: the default key is not sent to another address
    let usual = set.base_url.is_none();
    let key = match (&set.api_key_env, &set.api_key_file, &set.api_key_command, &known) {
        (Some(name), _, _, _) => KeySource::Variable(name.clone()),
        (_, Some(path), _, _) => KeySource::File(path.clone()),
        (_, _, Some(command), _) => KeySource::Command(command.clone()),
        (None, None, None, Some(known)) if usual => known.key.clone(),
        (None, None, None, Some(_) | None) => KeySource::None,
    };
    let base_url = set.base_url.clone().or(known.as_ref().map(|k| k.base_url.clone()));
    Ok(ResolvedProvider {
        name: name.into(),
        wire: set.wire.or(known.as_ref().map(|k| k.wire)).unwrap_or(Wire::OpenAi),
        // a stated format is that of all calls
        tool_wire: if set.wire.is_none() { known.and_then(|k| k.tool_wire) } else { None },
        base_url: base_url
            .map(|url| base_address(&url))
            .ok_or("base_url is missing, as in \"http://127.0.0.1:8080/v1\"")?,
        key,
        key_header: set.key_header.clone(),
        changes: changes(set)?,
        from: "settings",
    })
}

/// Returns the changes to requests that the settings of a provider state.
fn changes(set: &Provider) -> Result<Vec<Cure>, String> {
    let known = |start: &str| {
        let all: Vec<String> = Cure::of_fields().map(|cure| cure.to_string()).collect();
        let all = all.iter().filter_map(|cure| cure.strip_prefix(start)).collect::<Vec<_>>();
        all.join(", ")
    };
    let left_out = set.leave_out.iter().map(|name| {
        Cure::parse(&format!("leave out {name}")).ok_or_else(|| {
            format!("leave_out cannot leave out `{name}`; it takes {}", known("leave out "))
        })
    });
    let renamed = set.rename.iter().map(|(name, to)| {
        Cure::parse(&format!("rename {name} to {to}")).ok_or_else(|| {
            format!("rename cannot rename `{name}` to `{to}`; it takes {}", known("rename "))
        })
    });
    let system = (set.system == SystemRole::User).then_some(Ok(Cure::SystemIntoUser));
    left_out.chain(renamed).chain(system).collect()
}

/// Returns the normalised address of `--endpoint`.
///
/// # Errors
/// If it is not a web address, or if it may contain a key, which would end up in error messages.
pub fn address(url: &str) -> Result<String, Failure> {
    let base = base_address(url);
    let plain = base.starts_with("http://") || base.starts_with("https://");
    // a query may have a key, other than the version that Azure wants
    let query = base.split_once('?').map_or("", |(_, query)| query);
    let plain_char = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let is_version = query
        .strip_prefix("api-version=")
        .is_some_and(|version| version.len() <= VERSION_MAX && version.chars().all(plain_char));
    if plain
        && (query.is_empty() || is_version)
        && !base.contains(['@', ' '])
        && host(&base).is_ok()
    {
        return Ok(base);
    }
    Err(Failure::usage(
        "--endpoint must be the address of a server and contain no key",
        "as in --endpoint http://127.0.0.1:8080/v1; define a server that needs a key in the settings under \
             [providers.NAME]",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_has_no_key_in_its_address() {
        let azure = "https://x.openai.azure.com/openai/deployments/prod-chat";
        for (url, is_taken) in [
            ("http://127.0.0.1:8080/v1".to_owned(), true),
            (format!("{azure}?api-version=2024-10-21-preview"), true),
            (format!("{azure}?api-version=2024-10-21&key=abc"), false),
            (format!("{azure}?api-version=0123456789abcdef0123456789"), false),
            ("http://127.0.0.1:8080/v1?key=abc".to_owned(), false),
            ("http://me:abc@127.0.0.1:8080/v1".to_owned(), false),
        ] {
            assert_eq!(address(&url).is_ok(), is_taken, "{url}");
        }
    }
}
