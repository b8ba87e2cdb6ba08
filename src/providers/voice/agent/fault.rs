//! Failures of an agent's turn.

use super::known::KnownAgent;
use crate::model::ErrorClass;
use crate::spawn::SpawnError;
use crate::voice::{program, spawn_class};

/// Failure of an agent's turn: its class and its reason.
#[derive(Debug, PartialEq)]
pub(super) struct AgentFault(pub ErrorClass, pub String);

impl AgentFault {
    /// Returns the failure of a program that opened no session in time. It is not retried, because a retry would wait
    /// as long.
    pub(super) fn no_answer() -> AgentFault {
        let why = "opened no session of the Agent Client Protocol within 20 s; add the option that starts this protocol \
                   to its command (often `acp` or `--acp`)";
        AgentFault(ErrorClass::NoVoice, why.into())
    }

    /// Adds the commands that cure a missing login, and the home folder from which the agent reads it.
    pub(super) fn with_cure(self, agent: &str, home: Option<&str>) -> AgentFault {
        let AgentFault(class, why) = self;
        if class != ErrorClass::Credentials && !program::is_logged_out(&why) {
            return AgentFault(class, why);
        }
        let cure = KnownAgent::find(agent).map_or_else(
            || "log in with its own program".to_owned(),
            |KnownAgent { login, install, .. }| program::cure(login, agent, install),
        );
        let home = home.map_or(String::new(), |home| format!(", with HOME={home}"));
        AgentFault(ErrorClass::Credentials, format!("{why}; {cure}{home}"))
    }
}

impl From<SpawnError> for AgentFault {
    fn from(e: SpawnError) -> AgentFault {
        AgentFault(spawn_class(&e), e.to_string())
    }
}
