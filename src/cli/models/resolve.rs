//! Resolves the model of each seat.
//!
//! The seat's own model takes precedence, then `--model`, then the only model of `--endpoint`, then `default_model` of
//! the settings. A seat that joins later, or gets another model, may name any provider that was available at the start; its address and key are looked
//! up at its first call.

use crate::cli::args::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::memory::adaptations::{LearntAdaptations, without_secrets};
use crate::cli::models::inquiry::{Inquiry, is_listed, missing_model};
use crate::cli::models::minds::{self, Mind, Seated, Usable};
use crate::cli::models::places::{Places, parts};
use crate::cli::models::providers::{ENDPOINT, FROM_OPTION, Providers};
use crate::cli::models::survey::{LOCAL_TIME, only_model, stated_parameters, stated_window};
use crate::cli::models::{agents, programs};
use crate::cli::runtime::wait_for;
use crate::model::{
    ErrorClass, Fallback, Limits, ModelSpec, PROGRAM, Participant, Text, VoiceSpec,
};
use crate::net::{Client, is_local};
use crate::prompt::assumed_window;
use crate::settings::{ToolForm, make_private};
use crate::spawn::ChildEnvironment;
use crate::voice::remote::{Cure, Endpoint, Memory, Remote};
use crate::voice::{self, CallRequest, Chunk, NoVoice, Out, Speaking, Voice, program};
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// Number of parameters from which a model is not small.
const SMALL_PARAMETERS: u64 = 3_000_000_000;
/// Context window, in tokens, of the models that programs choose.
const PROGRAM_WINDOW: u32 = 200_000;
/// Context window, in tokens, of a model that is replayed from a session.
const RECORDING_WINDOW: u32 = 131_072;
/// Option that continues a session whose models are gone.
pub const CHANGE_ALL: [&str; 2] = ["--model", "PROVIDER:NAME"];

/// Models available to the seats of a conversation.
pub struct ModelSource {
    client: Client,
    places: Arc<Places>,
    memory: Arc<LearntAdaptations>,
    /// Models that the options or the settings name.
    minds: Vec<Mind>,
    /// The same, as far as they were needed.
    seated: OnceLock<Vec<Seated>>,
}

impl ModelSource {
    /// Creates the source; no provider is contacted.
    pub fn new(providers: Providers, options: &ModelOptions) -> ModelSource {
        let mut default = providers.settings.default_model.clone();
        if options.server.endpoint.is_some() {
            // the named server speaks, or nothing does
            default = default.filter(|model| is_at(model, ENDPOINT));
        }
        let minds = options.model.clone().or(default).map_or(vec![], |words| Mind::list(&words));
        let memory = Arc::new(LearntAdaptations::read(&providers.paths.state));
        let places = Arc::new(Places::new(providers));
        let seated = OnceLock::new();
        ModelSource { client: Client::new(), places, memory, minds, seated }
    }

    /// Returns the models that the options or the settings name, resolved once.
    ///
    /// # Errors
    /// The first word without a model.
    pub fn seated(&self) -> Result<&[Seated], Failure> {
        if self.seated.get().is_none() {
            let found = match &self.minds[..] {
                [] => vec![],
                minds => minds::resolve(minds, &Usable::new(&self.places.providers, minds))?,
            };
            let _ = self.seated.set(found);
        }
        Ok(self.seated.get().map_or(&[], Vec::as_slice))
    }

    /// Returns the models that the options or the settings name.
    ///
    /// # Errors
    /// As [`ModelSource::seated`].
    pub fn chosen(&self) -> Result<Vec<Text>, Failure> {
        Ok(self.seated()?.iter().map(|seated| seated.model.clone()).collect())
    }

    /// Returns the usable models without a request, so without the models of servers on this machine.
    pub fn usable(&self) -> Usable {
        Usable::without_servers(&self.places.providers)
    }

    /// Returns the default model, if there is one.
    fn default(&self) -> Result<Option<Text>, Failure> {
        Ok(self.seated()?.first().map(|seated| seated.model.clone()))
    }

    /// Returns the model that a word means; a full name is kept.
    fn meaning(&self, word: &Text) -> Result<Text, Failure> {
        let provider = word.split_once(':').map(|(provider, _)| provider);
        let is_full = provider.is_some_and(|name| self.places.providers.find(name).is_ok());
        if is_full || word.is_empty() {
            return Ok(word.clone());
        }
        let minds = [Mind { seat: None, word: word.to_string() }];
        let usable = Usable::new(&self.places.providers, &minds);
        let seated = minds::resolve(&minds, &usable)?;
        Ok(seated.into_iter().next().map_or(word.clone(), |seated| seated.model))
    }

    /// Replaces the words for the models of a seat by the models.
    ///
    /// # Errors
    /// The first word without a model.
    pub fn translate(&self, seat: &mut Participant) -> Result<(), Failure> {
        let VoiceSpec::Model(spec) = &mut seat.voice else { return Ok(()) };
        spec.name = self.meaning(&spec.name)?;
        for fallback in &mut spec.fallbacks {
            fallback.name = self.meaning(&fallback.name)?;
        }
        Ok(())
    }

    /// Gives every model seat its model and the known facts about it, as recorded in the log. If no model is named, the
    /// only model of `--endpoint` is used.
    pub fn assign(&mut self, seats: &mut [Participant], context: &Context) -> Result<(), Failure> {
        let nameless: Vec<Text> = seats
            .iter()
            .flat_map(Participant::everyone)
            .filter(|p| p.voice.as_model().is_some_and(|s| s.name.is_empty()))
            .map(|p| p.id.0.clone())
            .collect();
        let mut seated = self.seated()?.to_vec();
        if seated.is_empty() && !nameless.is_empty() {
            let only = only_model(&self.places.providers, context)?;
            seated.extend(only.map(|model| Seated::from_model(&model)));
            self.seated = seated.clone().into();
        }
        if seated.is_empty() && !nameless.is_empty() {
            let path = self.places.providers.settings.path.display();
            return Err(Failure::new(Exit::NoModel, format!("no model for {}", nameless.join(", "))).hint(
                format!(
                    "use --model PROVIDER:NAME or --endpoint URL, set default_model in {path}, or give the participant \
                         a `model`; `colloquium models` lists available models"
                ),
            ));
        }
        minds::place(seats, &seated);
        let mut notes = BTreeSet::new();
        self.complete_all(seats, &mut notes)?;
        notes.iter().for_each(|note| context.say(note));
        Ok(())
    }

    /// Completes seats and the members of their teams.
    fn complete_all(
        &self,
        seats: &mut [Participant],
        notes: &mut BTreeSet<String>,
    ) -> Result<(), Failure> {
        for seat in seats {
            if let VoiceSpec::Team(team) = &mut seat.voice {
                self.complete_all(&mut team.participants, notes)?;
            }
            notes.extend(self.complete(seat)?);
        }
        Ok(())
    }

    /// Fills in the model of a seat and the known facts about it and its fallbacks. Returns a note for the user if a
    /// parameter is left out.
    fn complete(&self, seat: &mut Participant) -> Result<Option<String>, Failure> {
        if let VoiceSpec::Model(spec) = &mut seat.voice
            && spec.name.is_empty()
        {
            spec.name = self.default()?.unwrap_or_default();
        }
        self.translate(seat)?;
        if agents::seated(seat, &self.places.providers.environment)? {
            return Ok(None);
        }
        let VoiceSpec::Model(spec) = &mut seat.voice else { return Ok(None) };
        if spec.recording().is_some() {
            seat.window = Some(RECORDING_WINDOW);
            seat.local = true;
            return Ok(None);
        }
        if spec.is_program() {
            // print mode has no tools
            seat.tools = vec![];
        }
        let retries = &self.places.providers.settings.retries;
        seat.on_failure.tries = retries.tries.get();
        seat.on_failure.wait = u64::from(retries.seconds) * 1000;
        let own = self.known(&spec.name)?;
        self.has_settings(&seat.id, spec, &spec.name)?;
        for fallback in &spec.fallbacks {
            self.has_settings(&seat.id, spec, &fallback.name)?;
        }
        seat.window = own.window;
        seat.price = own.price;
        seat.local = own.local;
        seat.text_tools = own.text_tools;
        for fallback in &mut spec.fallbacks {
            *fallback = self.known(&fallback.name)?;
        }
        Ok(self.leave_out(spec))
    }

    /// Removes the parameters that the model or a fallback is known to refuse, since the whole call would fail. Returns
    /// a note for the user if there are any.
    fn leave_out(&self, spec: &mut ModelSpec) -> Option<String> {
        let settings = &self.places.providers.settings;
        let facts: Vec<_> = spec.names().map(|name| (name.clone(), settings.facts(name))).collect();
        let mut left = vec![];
        let samples = spec.temperature.is_some() || spec.top_p.is_some();
        let fixed = facts.iter().find(|(_, facts)| facts.temperature == Some(false));
        if let (true, Some((name, _))) = (samples, fixed) {
            left.push(format!("{name} takes no temperature and no top_p"));
            spec.temperature = None;
            spec.top_p = None;
        }
        if let Some(effort) = &spec.effort {
            let refuses =
                |accepted: &Vec<String>| !accepted.iter().any(|value| **value == **effort);
            let fixed = facts.iter().find(|(_, facts)| facts.effort.as_ref().is_some_and(refuses));
            if let Some((name, _)) = fixed {
                left.push(format!("{name} takes no effort \"{effort}\""));
                spec.effort = None;
            }
        }
        (!left.is_empty()).then(|| format!("{}: not sent", left.join("; ")))
    }

    /// Asks servers for the windows of their models, where the settings state none.
    pub fn read_windows(
        &self,
        seats: &mut [Participant],
        context: &Context,
    ) -> Result<(), Failure> {
        let unknown = |seat: &&Participant| seat.window.is_none();
        let seats_of_all = seats.iter().flat_map(Participant::everyone).filter(unknown);
        let names: BTreeSet<Text> = seats_of_all
            .filter_map(|seat| seat.voice.as_model())
            .filter(|spec| spec.recording().is_none())
            .map(|spec| spec.name.clone())
            .collect();
        let ask = async |at, model: &str| stated_window(at, model, LOCAL_TIME).await;
        let read = self.stated(&names, context, ask)?;
        set_windows(seats, &read);
        Ok(())
    }

    /// Asks local servers for the sizes of their models, and marks the seats with a small one.
    pub fn read_sizes(&self, seats: &mut [Participant], context: &Context) -> Result<(), Failure> {
        let local = seats.iter().filter(|seat| seat.local).filter_map(|seat| seat.voice.as_model());
        let local = local.filter(|spec| spec.is_served());
        let names: BTreeSet<Text> = local.map(|spec| spec.name.clone()).collect();
        let ask = async |at, model: &str| stated_parameters(at, model, LOCAL_TIME).await;
        let read = self.stated(&names, context, ask)?;
        let is_small =
            |spec: &ModelSpec| read.get(&spec.name).is_some_and(|n| *n < SMALL_PARAMETERS);
        for seat in seats {
            seat.small = seat.voice.as_model().is_some_and(is_small);
        }
        Ok(())
    }

    /// Asks local servers about their models, all at the same time; a server without an answer is left out.
    fn stated<T>(
        &self,
        names: &BTreeSet<Text>,
        context: &Context,
        ask: impl AsyncFn(Arc<Endpoint>, &str) -> Option<T>,
    ) -> Result<BTreeMap<Text, T>, Failure> {
        if names.is_empty() {
            return Ok(BTreeMap::new());
        }
        let read = names.iter().map(async |name| {
            let (provider, model) = parts(name).ok()?;
            let endpoint = self.places.endpoint(provider).await.ok()?;
            Some((name.clone(), ask(endpoint, model).await?))
        });
        let read = async { Ok(join_all(read).await) };
        let read = wait_for("the servers of models", context, read)?;
        Ok(read.into_iter().flatten().collect())
    }

    /// Rejects model settings that the API of the provider does not support; they would be dropped silently otherwise.
    fn has_settings(&self, seat: &str, spec: &ModelSpec, name: &Text) -> Result<(), Failure> {
        if name.starts_with(PROGRAM) {
            return Ok(());
        }
        let place = self.places.providers.find(parts(name)?.0)?;
        let lacks = place.wire.lacks(spec, is_local(&place.base_url));
        if lacks.is_empty() {
            return Ok(());
        }
        let keys = lacks.join(", ");
        Err(Failure::new(
            Exit::Invalid,
            format!("{name} has no setting {keys} (participant {seat})"),
        )
        .hint(format!("leave out {keys} for this participant, or give it another model")))
    }

    /// Returns the known facts about a model.
    fn known(&self, name: &Text) -> Result<Fallback, Failure> {
        let providers = &self.places.providers;
        if name.starts_with(PROGRAM) {
            programs::find(name, providers)?;
            let window = Some(PROGRAM_WINDOW);
            return Ok(Fallback { name: name.clone(), window, ..Fallback::default() });
        }
        let place = providers.find(parts(name)?.0)?;
        let facts = providers.settings.facts(name);
        let local = is_local(&place.base_url);
        let text_tools = facts.tools == Some(ToolForm::Text);
        let price = facts.price;
        // the server knows its window better than a list of models does
        let set = providers.settings.models.get(&**name).and_then(|own| own.window);
        let window = set.or_else(|| self.learnt_window(name)).or(facts.window);
        Ok(Fallback { name: name.clone(), price, local, window, text_tools })
    }

    /// Returns the window of a model that its server stated in a refusal.
    fn learnt_window(&self, name: &Text) -> Option<u32> {
        let (provider, model) = parts(name).ok()?;
        let endpoint = self.places.providers.find(provider).ok()?.with(None);
        self.memory.recall(&endpoint, model).into_iter().find_map(|cure| match cure {
            Cure::Window(n) => Some(n),
            _ => None,
        })
    }

    /// Returns the environment variables for an agent; those from the settings only if its program is installed. By
    /// default, `HOME` is a separate folder without the user's hooks, instructions and logins.
    ///
    /// # Errors
    /// A message for the user, if the home folder cannot be created.
    pub fn for_agent(&self, command: &[Text]) -> Result<ChildEnvironment, NoVoice> {
        let Providers { environment, settings, paths, .. } = &self.places.providers;
        let program = agents::program_of(command);
        let installed = agents::installed(command, environment);
        let named = installed.into_iter().flat_map(|program| settings.agents.variables(program));
        let named = named.filter_map(|name| Some((name.into(), environment.get(name)?.to_owned())));
        let inside = [(program::INSIDE.into(), "1".into())];
        let known = ChildEnvironment::allowed(environment.for_children()).with(named.chain(inside));
        if settings.agents.user_home {
            return Ok(known);
        }
        let home = paths.agent_home(program);
        make_private(&home).map_err(|e| e.to_string())?;
        Ok(known.with([("HOME".into(), home.into_os_string())]))
    }

    /// Describes the variables and the home folder that an agent gets.
    pub fn agent_gets(&self, command: &[Text]) -> String {
        let Providers { environment, settings, .. } = &self.places.providers;
        agents::gets(command, &settings.agents, environment)
    }

    /// Rejects limits that cannot be enforced, and an `--endpoint` that nobody uses: the named server speaks, or nothing
    /// does. For a program that serves clients it is a default, so that only the limits count.
    pub fn check(&self, seats: &[Participant], limits: &Limits) -> Result<(), Failure> {
        let named = self.places.providers.all().iter().find(|known| known.from == FROM_OPTION);
        let called = chains(seats).concat();
        let is_unused = !called.is_empty() && !called.iter().any(|model| is_at(model, ENDPOINT));
        match named {
            Some(named) if is_unused => Err(Failure::usage(
                format!("nobody here is a model of --endpoint {}", named.base_url),
                format!("write --model {ENDPOINT}:NAME, or leave --endpoint out"),
            )),
            _ => self.count(seats, limits),
        }
    }

    /// Rejects a limit in dollars that cannot be enforced.
    pub fn count<'a>(
        &self,
        seats: impl IntoIterator<Item = &'a Participant>,
        limits: &Limits,
    ) -> Result<(), Failure> {
        for seat in seats {
            let limit = limits.usd.or(seat.max_usd);
            if let (Some(usd), Some(model)) = (limit, seat.uncountable()) {
                let path = self.places.providers.settings.path.display();
                let why = format!(
                    "the limit of {usd} cannot be enforced: no price is known for {model} ({})",
                    seat.id
                );
                let hint = match seat.voice {
                    VoiceSpec::Agent(_) => {
                        "an agent tells its cost after a turn, if at all; use --max-tokens N instead".into()
                    }
                    _ => format!(
                        "set its price in {path}, in dollars per million tokens: [models.\"{model}\"] price = [IN, OUT]; \
                         or use --max-tokens N instead"
                    ),
                };
                return Err(Failure::new(Exit::Invalid, why).hint(hint));
            }
        }
        Ok(())
    }

    /// Completes a seat that a command creates.
    ///
    /// # Errors
    /// A message for the user, if the seat has no model, or if a provider is unknown or its key is missing.
    pub fn seat(&self, seat: &mut Participant) -> Result<(), NoVoice> {
        let Some(asked) = seat.voice.as_model() else { return Ok(()) };
        let default = self.default().map_err(|failure| failure.with_hint())?;
        if asked.name.is_empty() && default.is_none() {
            return Err(format!(
                "{} has no model and no default is set; name one, as in model = \"ollama:llama3\"",
                seat.name
            )
            .into());
        }
        self.complete(seat).map_err(|failure| failure.with_hint())?;
        let asked = seat.voice.as_model();
        for name in asked.into_iter().flat_map(ModelSpec::served) {
            let (provider, model) = parts(name).map_err(|failure| failure.with_hint())?;
            if let Some(listed) = self.places.kept_list(provider)
                && !is_listed(&listed, model)
            {
                return Err(missing_model(provider, model, &listed).with_hint().into());
            }
            self.places
                .providers
                .find(provider)
                .and_then(|known| self.places.providers.has_key(known))
                .map_err(|failure| failure.with_hint())?;
        }
        Ok(())
    }

    /// Checks that each seat has a model that its provider lists.
    pub fn meet<'a>(
        &self,
        seats: impl IntoIterator<Item = &'a Participant>,
        attended: bool,
        context: &Context,
    ) -> Result<(), Failure> {
        // connections made here end with their runtime, so the conversation has its own client
        let client = Client::new();
        let places = self.places.clone();
        let inquiry = Inquiry::new(client, places, chains(seats), attended)?;
        let notes = wait_for("the servers of models", context, inquiry.answer())?;
        notes.iter().for_each(|note| context.say(note));
        Ok(())
    }

    /// Checks the models of a session that continues, by the command `again` with [`CHANGE_ALL`] if they are gone. With a
    /// person at the screen a missing model is a warning, which is returned: they can give the participant another one there.
    ///
    /// # Errors
    /// As [`Inquiry::answer`], without a person; and when the provider of a model is not known.
    pub fn meet_again(
        &self,
        seats: &[Participant],
        attended: bool,
        again: &str,
        context: &Context,
    ) -> Result<Option<String>, Failure> {
        let known = Inquiry::new(Client::new(), self.places.clone(), chains(seats), attended);
        let known = known.map(drop);
        let may_open = attended && known.is_ok();
        let met = known.and_then(|()| self.meet(seats, attended, context));
        let Err(failure) = met else { return Ok(None) };
        if failure.code != Exit::NoModel {
            return Err(failure);
        }
        if may_open {
            let why = format!("paused: {}; change the model, then resume", failure.with_hint());
            return Ok(Some(why));
        }
        let names: String = failure.hint.iter().map(|hint| format!("{hint}; ")).collect();
        Err(failure.hint(format!("{names}another model for all participants: {again}")))
    }

    /// Returns the question whether each seat has a model that its provider lists, to be asked where a person looks on.
    pub fn inquiry<'a>(
        &self,
        seats: impl IntoIterator<Item = &'a Participant>,
    ) -> Result<Inquiry, Failure> {
        Inquiry::new(self.client.clone(), self.places.clone(), chains(seats), true)
    }

    /// Finds a model by name, or the default model if the name is empty; its key is not looked up.
    pub fn find(&self, name: &str) -> Result<FoundModel, Failure> {
        let default = self.default()?;
        let name = match (name, &default) {
            ("", Some(default)) => default,
            ("", None) => {
                return Err(Failure::new(Exit::NoModel, "no default model is set")
                    .hint("use --model PROVIDER:NAME, or set default_model in the settings"));
            }
            (name, _) => name,
        };
        let known = self.known(&name.into())?;
        let place = self.places.providers.find(parts(name)?.0)?;
        let address = format!("{} {}", place.wire.name(), without_secrets(&place.base_url));
        Ok(FoundModel { known, address })
    }

    /// Returns the voice of a model, or the reason for the failure.
    pub fn voice(&self, spec: &ModelSpec) -> Result<Arc<dyn Voice>, NoVoice> {
        if spec.is_program() {
            let voice = programs::voice(spec, &self.places.providers);
            return Ok(Arc::new(voice.map_err(|failure| failure.with_hint())?));
        }
        let default = self.default().map_err(|failure| failure.with_hint())?;
        let name = match (&*spec.name, &default) {
            ("", Some(default)) => default,
            ("", None) => return Err("this participant has no model".into()),
            (name, _) => name,
        };
        let (provider, model) = parts(name).map_err(|failure| failure.message)?;
        let client = self.client.clone();
        let places = self.places.clone();
        let memory = self.memory.clone();
        let (provider, model) = (provider.into(), model.into());
        Ok(Arc::new(RemoteModel { client, places, provider, model, memory }))
    }
}

/// A model and its address.
pub struct FoundModel {
    /// Known facts about the model.
    pub known: Fallback,
    /// Wire format and base address, without secrets.
    pub address: String,
}

/// Voice of a model; its endpoint is looked up at the first call.
struct RemoteModel {
    client: Client,
    places: Arc<Places>,
    provider: String,
    model: Text,
    memory: Arc<LearntAdaptations>,
}

impl Voice for RemoteModel {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let client = self.client.clone();
        let places = self.places.clone();
        let provider = self.provider.clone();
        let model = self.model.clone();
        let memory = self.memory.clone();
        Box::pin(async move {
            match places.endpoint(&provider).await {
                Ok(endpoint) => {
                    let voice = Remote::new(client, endpoint, model).with_memory(memory);
                    voice.speak(ask, out).await;
                }
                Err(failure) => {
                    let failure =
                        voice::CallFailure::new(ErrorClass::Credentials, failure.with_hint());
                    out.send(Chunk::Failed(failure)).await;
                }
            }
        })
    }
}

fn set_windows(seats: &mut [Participant], read: &BTreeMap<Text, u32>) {
    for seat in seats {
        if seat.window.is_none() {
            seat.window = seat.voice.as_model().and_then(|spec| read.get(&spec.name)).copied();
        }
        if let VoiceSpec::Team(team) = &mut seat.voice {
            set_windows(&mut team.participants, read);
        }
    }
}

/// Reports the models without a known context window.
pub fn report_unknown_windows<'a>(
    seats: impl IntoIterator<Item = &'a Participant>,
    context: &Context,
) {
    let unknown = |p: &&Participant| p.window.is_none();
    let mut servers: BTreeMap<(&str, u32), BTreeSet<&str>> = BTreeMap::new();
    for seat in seats.into_iter().filter(unknown) {
        let Some(model) = seat.voice.as_model() else { continue };
        let server = model.name.split(':').next().unwrap_or_default();
        servers.entry((server, assumed_window(seat))).or_default().insert(&model.name);
    }
    for ((_, window), names) in servers {
        let all = names.iter().copied().collect::<Vec<_>>().join(", ");
        let name = if names.len() == 1 { &*all } else { "NAME" };
        context.say(&format!(
            "the context window of {all} is unknown; {window} tokens are assumed. Set [models.\"{name}\"] window = N in \
             the settings"
        ));
    }
}

/// Returns the models of a seat in order of preference; empty for a seat without a model.
pub fn models_of(seat: &Participant) -> Vec<Text> {
    seat.voice.as_model().into_iter().flat_map(ModelSpec::names).cloned().collect()
}

/// Returns the models of each seat that calls a model, in order of preference.
fn chains<'a>(seats: impl IntoIterator<Item = &'a Participant>) -> Vec<Vec<Text>> {
    let seats = seats.into_iter().flat_map(Participant::everyone);
    seats.filter_map(|seat| Some(seat.voice.as_model()?.names().cloned().collect())).collect()
}

/// Returns whether a model is one of a provider.
fn is_at(model: &str, provider: &str) -> bool {
    parts(model).is_ok_and(|(name, _)| name == provider)
}
