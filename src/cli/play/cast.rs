//! The voices of a conversation: rehearsed lines, scripts and models.

use crate::cli::models::resolve::ModelSource;
use crate::cli::trust::allowed::Allowed;
use crate::config;
use crate::model::{Participant, VoiceSpec};
use crate::spawn::ChildEnvironment;
use crate::voice::rehearsed::Rehearsed;
use crate::voice::script::Script;
use crate::voice::{Voice, Voices};
use std::path::PathBuf;
use std::sync::Arc;

/// The voices, as far as they may be used.
pub struct Cast {
    allowed: Allowed,
    folder: PathBuf,
    environment: ChildEnvironment,
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
        let environment = ChildEnvironment::allowed(environment.for_children());
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
                "`{}` was not run: not trusted. Add --trust to run its commands",
                command.join(" ")
            )),
            VoiceSpec::Model(spec) => self.models.voice(spec),
            VoiceSpec::Human { .. } => Err("this participant is a person".into()),
        }
    }

    fn seat(&self, seat: &mut Participant) -> Result<(), String> {
        self.models.seat(seat)
    }
}
