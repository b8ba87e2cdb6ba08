//! Why a turn of an agent failed.

use crate::model::ErrorClass;
use crate::spawn::SpawnError;

/// Why a turn of an agent failed.
#[derive(Debug, PartialEq)]
pub(super) struct AgentFault(pub ErrorClass, pub String);

impl From<SpawnError> for AgentFault {
    fn from(e: SpawnError) -> AgentFault {
        let class = match e {
            SpawnError::TooLarge(_) => ErrorClass::TooLarge,
            SpawnError::Deaf | SpawnError::Lost(_) => ErrorClass::Failed,
            SpawnError::NoCommand | SpawnError::NoFolder(_) | SpawnError::Refused(_) => {
                ErrorClass::NotFound
            }
        };
        AgentFault(class, e.to_string())
    }
}
