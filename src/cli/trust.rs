//! Which commands a conversation may run, and the voices that follow from it.
//!
//! A file that is neither bundled nor in the user's own folder runs nothing unless `--trust` says so; that is refused
//! before the start, and once more at the voice, for a seat that only joins later.

use super::error::Failure;
use super::exit::Exit;
use super::minds::Minds;
use crate::config;
use crate::model::{Participant, Text, VoiceSpec};
use crate::spawn::Environment;
use crate::voice::rehearsed::Rehearsed;
use crate::voice::script::Script;
use crate::voice::{Voice, Voices};
use std::path::PathBuf;
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
    /// Returns what the seats of a file may run, or refuses all that it would run.
    pub fn by<'a>(
        seats: impl IntoIterator<Item = &'a Participant>,
        trusted_file: bool,
        trust: bool,
    ) -> Result<Allowed, Failure> {
        let command = |p: &Participant| match &p.voice {
            VoiceSpec::Script(command) => Some(command.clone()),
            VoiceSpec::Model(_) | VoiceSpec::Human { .. } | VoiceSpec::Lines { .. } => None,
        };
        let commands: Vec<Vec<Text>> = seats.into_iter().filter_map(command).collect();
        match (trust, trusted_file || commands.is_empty()) {
            (true, _) => Ok(Allowed::All),
            (false, true) => Ok(Allowed::These(commands)),
            (false, false) => {
                let lines: Vec<String> =
                    commands.iter().map(|c| format!("\n  {}", c.join(" "))).collect();
                Err(Failure::new(
                    Exit::Invalid,
                    format!("this file is not trusted, and it would run{}", lines.concat()),
                )
                .hint("if you know these commands and want them run, add --trust"))
            }
        }
    }

    fn permits(&self, command: &[Text]) -> bool {
        match self {
            Allowed::All => true,
            Allowed::These(commands) => commands.iter().any(|c| c == command),
        }
    }
}

/// The voices of this version: rehearsed lines, scripts and models.
pub struct Cast {
    allowed: Allowed,
    folder: PathBuf,
    environment: Environment,
    minds: Minds,
}

impl Cast {
    /// Returns the voices for a conversation whose scripts run in a folder.
    pub fn new(
        allowed: Allowed,
        folder: PathBuf,
        environment: &config::Environment,
        minds: Minds,
    ) -> Cast {
        let environment = Environment::allowed(environment.for_children());
        Cast { allowed, folder, environment, minds }
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
            VoiceSpec::Model(spec) => self.minds.voice(spec),
            VoiceSpec::Human { .. } => Err("a person speaks for this seat".into()),
        }
    }

    fn seat(&self, seat: &mut Participant) -> Result<(), String> {
        self.minds.seat(seat)
    }
}
