//! Voices outside the test runner: scripts, if permitted, and models.

use crate::cli::args::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::models::providers::Providers;
use crate::cli::models::resolve::ModelSource;
use crate::cli::output;
use crate::cli::play::cast::service_key;
use crate::cli::runtime::refused;
use crate::ledger::Ledger;
use crate::model::{AgentSpec, CallId, HttpSpec, ModelSpec, Participant, Text, VoiceSpec};
use crate::spawn::ChildEnvironment;
use crate::testing::{Real, RealModel, Test, TestFault, service_name};
use crate::tool::{Folder, ToolScripts, ToolServers, Toolbox, Tools};
use crate::voice::agent::Agent;
use crate::voice::http::Http;
use crate::voice::script::Script;
use crate::voice::{CallRequest, NoVoice, Out, Speaking, Voice, Voices};
use crate::{settings, text};
use std::collections::BTreeMap;
use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::AbortHandle;

/// Scripts and models for the seats and tools of tests.
pub struct Own {
    environment: ChildEnvironment,
    trust: bool,
    keys: settings::Environment,
    models: Option<ModelSource>,
    /// Runtime of connections: the runtime of a test ends with each run.
    runtime: Option<Runtime>,
    budget: Arc<Ledger>,
    is_quiet: bool,
}

impl Own {
    /// Creates the voices that the tests need.
    ///
    /// # Errors
    /// If a test uses a model and the settings are invalid.
    pub fn new(
        tests: &[Arc<Test>],
        trust: bool,
        options: &ModelOptions,
        budget: Arc<Ledger>,
        context: &Context,
    ) -> Result<Own, Failure> {
        let environment = ChildEnvironment::allowed(context.environment.for_children());
        let is_agent = |seat: &Participant| matches!(seat.voice, VoiceSpec::Agent(_));
        let needs_settings =
            |test: &Arc<Test>| !test.models().is_empty() || test.services().any(is_agent);
        let models = if tests.iter().any(needs_settings) {
            Some(ModelSource::new(Providers::new(context, options)?, options))
        } else {
            None
        };
        let runtime = if tests.iter().any(|test| test.records()) {
            let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
            Some(runtime.map_err(refused)?)
        } else {
            None
        };
        let keys = context.environment.clone();
        let is_quiet = context.is_quiet();
        Ok(Own { environment, trust, keys, models, runtime, budget, is_quiet })
    }

    /// Returns an agent, in a new folder unless it names one.
    fn agent(&self, test: &Test, spec: &AgentSpec) -> Result<SeatedAgent, TestFault> {
        let Some(models) = &self.models else { return Err("no agent can be asked here".into()) };
        let environment = models.for_agent(&spec.command).map_err(String::from)?;
        let own = tempfile::Builder::new().prefix("colloquium-agent-").tempdir();
        let own = own.map_err(|e| format!("no folder could be made for the agent: {e}"))?;
        let scenario = test.folder.canonicalize().unwrap_or_else(|_| test.folder.clone());
        let folder = match &spec.folder {
            Some(folder) => scenario.join(&**folder),
            None => own.path().to_owned(),
        };
        // agents need an absolute path
        let folder = folder.canonicalize().unwrap_or(folder);
        let agent = Agent::new(spec.clone(), &scenario, folder, environment);
        Ok(SeatedAgent { agent, _own: own })
    }

    /// Returns a voice in the runtime of connections.
    fn elsewhere(&self, name: Text, voice: Arc<dyn Voice>) -> Result<Arc<dyn Voice>, TestFault> {
        let Some(runtime) = &self.runtime else { return Err("nothing can be asked here".into()) };
        let runtime = runtime.handle().clone();
        Ok(Arc::new(Elsewhere { name, voice, runtime, is_quiet: self.is_quiet }))
    }
}

/// An agent with its folder. Field order ends the process before the folder is deleted.
struct SeatedAgent {
    agent: Agent,
    _own: TempDir,
}

impl Voice for SeatedAgent {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        self.agent.speak(ask, out)
    }

    fn answered(&self, call: CallId, request: u32, yes: bool) {
        self.agent.answered(call, request, yes);
    }
}

/// Voice that runs in another runtime, and reports each call on standard error.
struct Elsewhere {
    /// Name of the model.
    name: Text,
    voice: Arc<dyn Voice>,
    runtime: Handle,
    is_quiet: bool,
}

impl Elsewhere {
    /// Reports that a reply is awaited: it may take minutes.
    fn report(&self, ask: &CallRequest) {
        if self.is_quiet {
            return;
        }
        let line = format!("waiting for {}: {}", self.name, ask.seat.id);
        let line = text::line(&line);
        if stderr().is_terminal() {
            output::progress(&line);
        } else {
            output::print(&line);
        }
    }
}

impl Voice for Elsewhere {
    fn answered(&self, call: CallId, request: u32, yes: bool) {
        self.voice.answered(call, request, yes);
    }

    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        self.report(&ask);
        let speaking = self.runtime.spawn(self.voice.speak(ask, out));
        let cancel = Cancel(speaking.abort_handle());
        Box::pin(async move {
            // the caller notices a panicked call: it receives no end
            let _ = speaking.await;
            drop(cancel);
        })
    }
}

/// Aborts a call on drop.
struct Cancel(AbortHandle);

impl Drop for Cancel {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Script voices of one test.
struct Scripts {
    environment: ChildEnvironment,
    folder: PathBuf,
}

impl Real for Own {
    fn voices(&self, test: &Test) -> Result<Arc<dyn Voices>, TestFault> {
        if test.trusted || self.trust {
            Ok(Arc::new(Scripts {
                environment: self.environment.clone(),
                folder: test.folder.clone(),
            }))
        } else {
            Err("the scenario runs scripts; add --trust to let it".into())
        }
    }

    fn tools(&self, test: &Test) -> Result<Arc<dyn Tools>, TestFault> {
        let runs = test.trusted || self.trust;
        if !runs && test.runs_scripts() {
            return Err("the test runs scripts as tools; add --trust to let it".into());
        }
        let folder = test.files.as_ref().map(|path| {
            let found = Folder::new(path).map(Arc::new);
            found.map_err(|e| format!("files = \"{}\": {e}", path.display()))
        });
        let place = test.folder.clone();
        let environment = self.environment.clone();
        Ok(Arc::new(Toolbox {
            scripts: ToolScripts {
                permits: Arc::new(move |_| runs),
                folder: place.clone(),
                environment: environment.clone(),
            },
            // tests never start or call a tool server
            servers: ToolServers::new(Arc::new(|_| false), place, environment, BTreeMap::new()),
            folder: folder.transpose()?,
        }))
    }

    fn model(&self, name: &str) -> Result<RealModel, TestFault> {
        let Some(models) = &self.models else { return Err("no model can be asked here".into()) };
        let found = models.find(name).map_err(|failure| failure.with_hint())?;
        let spec = ModelSpec { name: found.known.name.clone(), ..ModelSpec::default() };
        let voice = models.voice(&spec).map_err(String::from)?;
        Ok(RealModel {
            name: found.known.name.to_string(),
            address: found.address,
            price: found.known.price,
            local: found.known.local,
            window: found.known.window,
            voice: self.elsewhere(found.known.name.clone(), voice)?,
            budget: self.budget.clone(),
        })
    }

    fn service(&self, test: &Test, seat: &Participant) -> Result<RealModel, TestFault> {
        let is_trusted = test.trusted || self.trust;
        let (voice, address): (Arc<dyn Voice>, _) = match &seat.voice {
            VoiceSpec::Http(spec) if is_trusted => {
                let key = service_key(spec, &self.keys).map_err(String::from)?;
                (Arc::new(Http::new(HttpSpec::clone(spec), key)), spec.place().to_owned())
            }
            VoiceSpec::Http(spec) => {
                let to = spec.agreed().get(1..).unwrap_or_default().join(" ");
                let why =
                    format!("the test would send the conversation to {to}; add --trust to let it");
                return Err(why.into());
            }
            VoiceSpec::Agent(spec) if is_trusted => {
                (Arc::new(self.agent(test, spec)?), String::new())
            }
            VoiceSpec::Agent(spec) => {
                let why = format!(
                    "the test would run {}; add --trust to let it",
                    spec.agreed().join(" ")
                );
                return Err(why.into());
            }
            _ => return Err("it is neither a service nor an agent".into()),
        };
        Ok(RealModel {
            name: service_name(seat).unwrap_or_default(),
            address,
            price: None,
            // its cost is unknown and not counted
            local: true,
            window: None,
            voice: self.elsewhere(seat.voice.label().into(), voice)?,
            budget: self.budget.clone(),
        })
    }
}

impl Voices for Scripts {
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
        match &seat.voice {
            VoiceSpec::Script(command) => Ok(Arc::new(Script::new(
                command.clone(),
                self.folder.clone(),
                self.environment.clone(),
            ))),
            _ => Err(format!("`{}` has no voice in this test", seat.id).into()),
        }
    }
}
