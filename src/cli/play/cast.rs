//! Voices of a conversation: rehearsed lines, scripts, models, HTTP services, recordings and agents.

use crate::cli::error::{Exit, Failure};
use crate::cli::models::resolve::ModelSource;
use crate::cli::play::added::AddedVoice;
use crate::cli::trust::allowed::{Allowed, describe, spoken};
use crate::model::{AgentSpec, HttpSpec, Participant, SeatId, Secret, Text, VoiceSpec};
use crate::settings;
use crate::spawn::ChildEnvironment;
use crate::testing::RecordedVoice;
use crate::voice::agent::Agent;
use crate::voice::http::Http;
use crate::voice::rehearsed::Rehearsed;
use crate::voice::script::Script;
use crate::voice::{NoVoice, Speaking, Voice, Voices};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// The voices, restricted to the allowed commands.
pub struct Cast {
    allowed: Allowed,
    folder: PathBuf,
    environment: ChildEnvironment,
    keys: settings::Environment,
    models: ModelSource,
    services: Mutex<HashMap<(SeatId, HttpSpec), Arc<Http>>>,
    agents: Mutex<HashMap<(SeatId, AgentSpec), Seated>>,
    recordings: Mutex<HashMap<(SeatId, Text), Arc<RecordedVoice>>>,
}

/// An agent bound to a seat, with a temporary folder if none was named. Field order ends the process before the folder
/// is deleted.
struct Seated {
    agent: Arc<Agent>,
    _own: Option<TempDir>,
}

impl Cast {
    /// Creates the voices of a conversation whose scripts run in `folder`.
    pub fn new(
        allowed: Allowed,
        folder: PathBuf,
        environment: &settings::Environment,
        models: ModelSource,
    ) -> Cast {
        let keys = environment.clone();
        let environment = ChildEnvironment::allowed(environment.for_children());
        Cast {
            allowed,
            folder,
            environment,
            keys,
            models,
            services: Mutex::default(),
            agents: Mutex::default(),
            recordings: Mutex::default(),
        }
    }

    /// Reads the sessions that seats replay, before anything starts.
    ///
    /// # Errors
    /// If a seat cannot replay its session; reports the first such seat.
    pub fn read_recordings(&self, seats: &[Participant]) -> Result<(), Failure> {
        for seat in seats {
            let VoiceSpec::Model(spec) = &seat.voice else { continue };
            if let Some(Err(why)) = spec.recording().map(|file| self.recording(seat, file)) {
                let message = format!("{}: {why}", seat.id);
                return Err(Failure::new(Exit::Invalid, message).hint(
                    "name a session in the scenario's folder in which this participant speaks",
                ));
            }
        }
        Ok(())
    }

    /// Returns the service of a seat, cached for as long as the seat has it: it keeps the conversation's identifier.
    fn service(&self, seat: &SeatId, spec: &HttpSpec) -> Result<Arc<dyn Voice>, NoVoice> {
        let mut services = self.services.lock();
        let place = (seat.clone(), spec.clone());
        if let Some(service) = services.get(&place) {
            return Ok(service.clone());
        }
        let service = Arc::new(Http::new(spec.clone(), service_key(spec, &self.keys)?));
        Ok(services.entry(place).or_insert(service).clone())
    }

    /// Returns the recording of a seat, cached for as long as the seat uses it.
    fn recording(&self, seat: &Participant, file: &str) -> Result<Arc<dyn Voice>, NoVoice> {
        let mut recordings = self.recordings.lock();
        let place = (seat.id.clone(), Text::from(file));
        if let Some(recording) = recordings.get(&place) {
            return Ok(recording.clone());
        }
        let recording = RecordedVoice::read(&self.folder, file, seat);
        let recording = recording.map_err(|why| format!("the recording {file}: {why}"))?;
        Ok(recordings.entry(place).or_insert(Arc::new(recording)).clone())
    }

    /// Returns the agent of a seat, cached for as long as the seat has it.
    fn agent(&self, seat: &SeatId, spec: &AgentSpec) -> Result<Arc<dyn Voice>, NoVoice> {
        let mut agents = self.agents.lock();
        let place = (seat.clone(), spec.clone());
        if let Some(seated) = agents.get(&place) {
            return Ok(seated.agent.clone());
        }
        let (folder, own) = match &spec.folder {
            Some(folder) => (self.folder.join(&**folder), None),
            None => {
                let own = tempfile::Builder::new().prefix("colloquium-agent-").tempdir();
                let own = own.map_err(|e| format!("no folder could be made for the agent: {e}"))?;
                (own.path().to_owned(), Some(own))
            }
        };
        let scenario = self.folder.canonicalize().unwrap_or_else(|_| self.folder.clone());
        // agents need an absolute path
        let folder = folder.canonicalize().unwrap_or(folder);
        let environment = self.models.for_agent(&spec.command)?;
        let agent = Arc::new(Agent::new(spec.clone(), &scenario, folder, environment));
        agents.insert(place, Seated { agent: agent.clone(), _own: own });
        Ok(agent)
    }
}

impl Cast {
    /// Returns the voice of a seat, regardless of what it may run.
    fn any_voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
        match &seat.voice {
            VoiceSpec::Lines { .. } => Ok(Arc::new(Rehearsed)),
            VoiceSpec::Script(command) => {
                let script =
                    Script::new(command.clone(), self.folder.clone(), self.environment.clone());
                Ok(Arc::new(script))
            }
            VoiceSpec::Http(spec) => self.service(&seat.id, spec),
            VoiceSpec::Agent(spec) => self.agent(&seat.id, spec),
            VoiceSpec::Model(spec) => match spec.recording() {
                Some(file) => self.recording(seat, file),
                None => self.models.voice(spec),
            },
            VoiceSpec::Human { .. } => Err("this participant is a person".into()),
            VoiceSpec::Team(_) => Err("a team speaks by itself".into()),
        }
    }

    /// Describes the effect of a command that no trusted file names, and what its program would get.
    fn would(&self, seat: &Participant, command: &[Text]) -> Text {
        let run = describe(command);
        match &seat.voice {
            VoiceSpec::Agent(spec) => format!("{run}; {}", self.models.agent_gets(&spec.command)),
            _ => run,
        }
        .into()
    }
}

impl Voices for Cast {
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
        let voice = self.any_voice(seat)?;
        match spoken(seat).filter(|command| !self.allowed.permits(command)) {
            Some(command) => Ok(Arc::new(AddedVoice::new(voice, self.would(seat, &command)))),
            None => Ok(voice),
        }
    }

    fn seat(&self, seat: &mut Participant) -> Result<(), NoVoice> {
        if let VoiceSpec::Team(team) = &seat.voice
            && team.scenario.is_null()
        {
            return Err("a team can only be seated by the scenario".into());
        }
        self.models.seat(seat)
    }

    fn leave(&self) -> Speaking {
        let agents = self.agents.lock();
        let leaving: Vec<Speaking> = agents.values().map(|seated| seated.agent.leave()).collect();
        Box::pin(async move {
            futures::future::join_all(leaving).await;
        })
    }
}

/// Returns the key of a service from the variable that it names; `None` if it needs none.
pub fn service_key(
    spec: &HttpSpec,
    environment: &settings::Environment,
) -> Result<Option<Secret>, NoVoice> {
    let Some(name) = &spec.api_key_env else { return Ok(None) };
    match environment.get(name).and_then(std::ffi::OsStr::to_str) {
        Some(key) => Ok(Some(Secret::new(key.to_owned()))),
        None => {
            Err(format!("the key of {} is missing: set the variable {name}", spec.place()).into())
        }
    }
}
