//! Which commands a conversation may run, and the voices that follow from it.
//!
//! A file that is neither bundled nor in the user's own folder runs nothing before the operator agrees to its content or
//! says `--trust`; that is refused before the start, and once more at the voice, for a seat that only joins later.

use crate::cli::args::play::Play;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::models::resolve::ModelSource;
use crate::cli::source::Found;
use crate::cli::trust::store::{self, Untrusted};
use crate::config;
use crate::model::{Participant, Text, VoiceSpec};
use crate::spawn::Environment;
use crate::voice::rehearsed::Rehearsed;
use crate::voice::script::Script;
use crate::voice::{Voice, Voices};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which commands may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// All of them: the operator said `--trust`.
    All,
    /// Those that a trusted file names.
    These(Vec<Vec<Text>>),
}

impl Allowed {
    /// Returns what the seats of a scenario may run, or refuses it. Whoever agrees to its content also agrees that its
    /// sessions go on.
    pub fn by_scenario(
        seats: &[Participant],
        found: &Found,
        play: &Play,
        context: &Context,
    ) -> Result<Allowed, Failure> {
        let commands = commands(seats);
        if !(found.trusted || commands.is_empty()) {
            let content =
                store::digest(&["scenario", &found.source.text], &commands, &found.folder)?;
            untrusted(&found.source.name, content.clone(), &commands).admit(play, context)?;
            let run = store::digest(&["commands"], &commands, &found.folder)?;
            if store::is_agreed(&context.paths, &content) && !store::is_agreed(&context.paths, &run)
            {
                store::agree(&context.paths, &run, &format!("sessions of {}", found.source.name))?;
            }
        }
        Ok(Allowed::These(commands).or_all(play))
    }

    /// Returns what the seats of a session may run in a folder, or refuses it: what a session file says is no reason to
    /// run it, whoever wrote the file.
    pub fn by_session<'a>(
        seats: impl IntoIterator<Item = &'a Participant>,
        folder: &Path,
        play: &Play,
        context: &Context,
    ) -> Result<Allowed, Failure> {
        let commands = commands(seats);
        if !commands.is_empty() {
            let content = store::digest(&["commands"], &commands, folder)?;
            untrusted("this session", content, &commands).admit(play, context)?;
        }
        Ok(Allowed::These(commands).or_all(play))
    }

    fn or_all(self, play: &Play) -> Allowed {
        if play.trust { Allowed::All } else { self }
    }

    fn permits(&self, command: &[Text]) -> bool {
        match self {
            Allowed::All => true,
            Allowed::These(commands) => commands.iter().any(|c| c == command),
        }
    }
}

fn commands<'a>(seats: impl IntoIterator<Item = &'a Participant>) -> Vec<Vec<Text>> {
    let command = |p: &Participant| match &p.voice {
        VoiceSpec::Script(command) => Some(command.clone()),
        VoiceSpec::Model(_) | VoiceSpec::Human { .. } | VoiceSpec::Lines { .. } => None,
    };
    seats.into_iter().filter_map(command).collect()
}

fn untrusted(name: &str, digest: String, commands: &[Vec<Text>]) -> Untrusted {
    let would = commands.iter().map(|c| format!("run {}", c.join(" "))).collect();
    Untrusted { name: name.into(), digest, would }
}

/// The voices of this version: rehearsed lines, scripts and models.
pub struct Cast {
    allowed: Allowed,
    folder: PathBuf,
    environment: Environment,
    models: ModelSource,
}

impl Cast {
    /// Returns the voices for a conversation whose scripts run in a folder.
    pub fn new(
        allowed: Allowed,
        folder: PathBuf,
        environment: &config::Environment,
        models: ModelSource,
    ) -> Cast {
        let environment = Environment::allowed(environment.for_children());
        Cast { allowed, folder, environment, models }
    }
}

impl Voices for Cast {
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, String> {
        match &seat.voice {
            VoiceSpec::Lines { .. } => Ok(Arc::new(Rehearsed)),
            VoiceSpec::Script(command) if self.allowed.permits(command) => {
                let script =
                    Script::new(command.clone(), self.folder.clone(), self.environment.clone());
                Ok(Arc::new(script))
            }
            VoiceSpec::Script(command) => Err(format!(
                "`{}` was not run: the run was not started with --trust",
                command.join(" ")
            )),
            VoiceSpec::Model(spec) => self.models.voice(spec),
            VoiceSpec::Human { .. } => Err("a person speaks for this seat".into()),
        }
    }

    fn seat(&self, seat: &mut Participant) -> Result<(), String> {
        self.models.seat(seat)
    }
}
