//! Which model speaks for each seat, and whether it is really there: asked before anything starts, because a debate
//! that fails at its first word is no debate.
//!
//! The seat's own model goes first, then `--model`, then `default_model` of the settings. Each provider is asked once
//! for the models it has.

use super::context::Context;
use super::error::Failure;
use super::exit::Exit;
use super::providers::{ENDPOINT, ModelOptions, Providers};
use crate::model::{ErrorClass, ModelSpec, Participant, Text, VoiceSpec};
use crate::net::{self, Client};
use crate::prompt::UNKNOWN_WINDOW;
use crate::voice::remote::{Endpoint, Remote, Wire, models};
use crate::voice::{self, Voice};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::runtime;

/// Tokens of a reply that nobody bounded, of a server on this machine: small models do not always find an end.
const LOCAL_REPLY_TOKENS: u32 = 320;
/// How many names of models an error lists.
const NAMES_SHOWN: usize = 12;

/// The providers that the seats of a conversation speak through.
pub struct Minds {
    client: Client,
    endpoints: BTreeMap<String, Arc<Endpoint>>,
    default: Option<String>,
}

/// Gives every model seat its model and what is known of it, as the log will keep it.
pub fn assign(
    seats: &mut [Participant],
    providers: &Providers,
    options: &ModelOptions,
) -> Result<(), Failure> {
    let default = options.model.as_ref().or(providers.settings.default_model.as_ref());
    let nameless: Vec<&str> = seats
        .iter()
        .filter(|p| spec(p).is_some_and(|s| s.name.is_empty()))
        .map(|p| &*p.id)
        .collect();
    if let (None, false) = (default, nameless.is_empty()) {
        let path = providers.settings.path.display();
        return Err(Failure::new(Exit::NoModel, format!("no model speaks for {}", nameless.join(", "))).hint(
            format!(
                "name one with --model PROVIDER:NAME, with default_model in {path}, or with `model` of the seat; \
                 `colloquium models` lists what can be reached, and --rehearsed plays the rehearsed cast"
            ),
        ));
    }
    for seat in seats {
        let VoiceSpec::Model(spec) = &mut seat.voice else { continue };
        if let (true, Some(default)) = (spec.name.is_empty(), default) {
            spec.name = default.as_str().into();
        }
        let known = providers.find(parts(&spec.name)?.0)?;
        if is_local(&known.base_url) {
            spec.max_tokens.get_or_insert(LOCAL_REPLY_TOKENS);
        }
        if let Some(facts) = providers.settings.models.get(&*spec.name) {
            (seat.window, seat.price) = (facts.window, facts.price);
        }
    }
    Ok(())
}

/// Says of which models no window is known.
pub fn say_windows<'a>(seats: impl IntoIterator<Item = &'a Participant>, context: &Context) {
    let unknown = |p: &&Participant| p.window.is_none();
    let names = seats.into_iter().filter(unknown).filter_map(spec).map(|s| &*s.name);
    for name in names.collect::<BTreeSet<_>>() {
        context.say(&format!(
            "the window of {name} is not known and is taken as {UNKNOWN_WINDOW} tokens; \
             [models.\"{name}\"] window = N in the settings says otherwise"
        ));
    }
}

impl Minds {
    /// Finds the providers of the seats and sees to it that each has the models it is asked for.
    pub fn meet<'a>(
        seats: impl IntoIterator<Item = &'a Participant>,
        providers: &Providers,
        options: &ModelOptions,
        context: &Context,
    ) -> Result<Minds, Failure> {
        let mut wanted: BTreeMap<String, BTreeSet<Text>> = BTreeMap::new();
        for spec in seats.into_iter().filter_map(spec) {
            let (provider, model) = parts(&spec.name)?;
            wanted.entry(provider.into()).or_default().insert(model.into());
        }
        // a place that seats may take later
        if options.endpoint.is_some() {
            wanted.entry(ENDPOINT.into()).or_default();
        }
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime =
            runtime.map_err(|e| Failure::new(Exit::Failed, format!("the system refused: {e}")))?;
        let endpoints = runtime.block_on(async {
            let mut endpoints = BTreeMap::new();
            for (name, models) in wanted {
                let endpoint = providers.endpoint(providers.find(&name)?).await?;
                check(&endpoint, &models, context).await?;
                endpoints.insert(name, endpoint);
            }
            Ok::<_, Failure>(endpoints)
        })?;
        let default = options.model.clone().or(providers.settings.default_model.clone());
        // connections made here end with their runtime, so the conversation gets a client of its own
        Ok(Minds { client: Client::new(), endpoints, default })
    }

    /// Returns the voice of a model, or why there is none.
    pub fn voice(&self, spec: &ModelSpec) -> Result<Arc<dyn Voice>, String> {
        let name = match (&*spec.name, &self.default) {
            ("", Some(default)) => default.as_str(),
            ("", None) => return Err("no model was named for this seat".into()),
            (name, _) => name,
        };
        let (provider, model) = parts(name).map_err(|failure| failure.message)?;
        let endpoint = self.endpoints.get(provider).ok_or_else(|| {
            format!("the provider `{provider}` was not part of this run when it began")
        })?;
        Ok(Arc::new(Remote::new(self.client.clone(), endpoint.clone(), model.into())))
    }
}

/// Refuses what would fail for certain; a server that lists nothing is believed.
async fn check(
    endpoint: &Arc<Endpoint>,
    wanted: &BTreeSet<Text>,
    context: &Context,
) -> Result<(), Failure> {
    let listed = match models(Client::new(), endpoint.clone()).await {
        Ok(listed) => listed,
        Err(failure) if is_final(&failure) => {
            return Err(Failure::new(Exit::NoModel, format!("no model: {}", failure.text))
                .hint("`colloquium doctor` explains every provider"));
        }
        Err(failure) => {
            context.say(&format!("not checked: {}", failure.text));
            return Ok(());
        }
    };
    // these have names that their lists do not show
    if listed.is_empty() || matches!(endpoint.wire, Wire::Anthropic | Wire::Gemini) {
        return Ok(());
    }
    let has = |model: &Text| listed.iter().any(|l| l == model || **l == format!("{model}:latest"));
    let Some(missing) = wanted.iter().find(|model| !has(model)) else { return Ok(()) };
    let provider = &endpoint.name;
    let mut names: Vec<&Text> = listed.iter().collect();
    names.sort_by_key(|name| strsim::damerau_levenshtein(name, missing));
    let more = names.len().saturating_sub(NAMES_SHOWN);
    let shown: Vec<String> =
        names.iter().take(NAMES_SHOWN).map(|name| format!("{provider}:{name}")).collect();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Err(Failure::new(Exit::NoModel, format!("{provider} has no model `{missing}`"))
        .hint(format!("it has {}{more}", shown.join(", "))))
}

/// Returns whether no call could do better.
fn is_final(failure: &voice::Failure) -> bool {
    match failure.class {
        ErrorClass::Credentials
        | ErrorClass::Credit
        | ErrorClass::Refused
        | ErrorClass::Dns
        | ErrorClass::Tls => true,
        ErrorClass::NotFound
        | ErrorClass::Failed
        | ErrorClass::NoProtocol
        | ErrorClass::Empty
        | ErrorClass::TooLarge
        | ErrorClass::Silence
        | ErrorClass::Broken
        | ErrorClass::NoVoice
        | ErrorClass::UnknownModel
        | ErrorClass::BadRequest
        | ErrorClass::Rate
        | ErrorClass::Overload
        | ErrorClass::Context
        | ErrorClass::Filter
        | ErrorClass::Form => false,
    }
}

/// Returns the model that a seat is asked with, if it is one.
fn spec(seat: &Participant) -> Option<&ModelSpec> {
    match &seat.voice {
        VoiceSpec::Model(spec) => Some(spec),
        VoiceSpec::Script(_) | VoiceSpec::Human { .. } | VoiceSpec::Lines { .. } => None,
    }
}

/// Splits `provider:name`.
fn parts(name: &str) -> Result<(&str, &str), Failure> {
    let parts = name.split_once(':').filter(|(p, m)| !p.is_empty() && !m.is_empty());
    parts.ok_or_else(|| {
        Failure::usage(
            format!("`{name}` is no model"),
            "a model is spelled PROVIDER:NAME, as in ollama:llama3; `colloquium models` lists them",
        )
    })
}

/// Returns whether a server is on this machine.
fn is_local(base_url: &str) -> bool {
    let host = net::host(base_url).unwrap_or_default();
    ["localhost", "127.", "[::1]"].iter().any(|local| host.starts_with(local))
}
