//! Failures of an agent's turn.

use crate::model::ErrorClass;
use crate::spawn::{ChildEnvironment, SpawnError};
use crate::voice::spawn_class;

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

    /// Adds the home folder to a login failure, because the agent reads its login from there.
    pub(super) fn at_home(self, environment: &ChildEnvironment) -> AgentFault {
        match environment.get("HOME") {
            Some(home) if self.0 == ErrorClass::Credentials => {
                let home = home.to_string_lossy();
                AgentFault(self.0, format!("{}, with HOME={home}", self.1))
            }
            Some(_) | None => self,
        }
    }
}

impl From<SpawnError> for AgentFault {
    fn from(e: SpawnError) -> AgentFault {
        AgentFault(spawn_class(&e), e.to_string())
    }
}
