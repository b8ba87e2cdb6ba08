//! Triggers of a participant's turns: dependencies with the policy `depends`, and requests.
//!
//! Plain data; the policy evaluates the conditions.

use super::ids::{SeatId, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Dependencies of a participant with the policy `depends`, and its allowed requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Runs {
    /// The participants that it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<After>,
    /// Number of dependencies that must be met.
    #[serde(default)]
    pub needs: Needs,
    /// True if it may run first, before its dependencies are met; a participant without dependencies always may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<bool>,
    /// Additional key of its data in the context, besides its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_key: Option<Text>,
    /// Participants that the `requests` in its replies may wake; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_request: Option<Vec<SeatId>>,
}

/// One dependency on another participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct After {
    /// The participant whose turns meet it.
    pub participant: SeatId,
    /// Condition over the state; `None` is always true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Text>,
    /// Maximum number of turns that this dependency may trigger.
    pub max: u32,
}

/// Number of dependencies that must be met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// All dependencies must be met.
    #[default]
    All,
    /// One met dependency is enough.
    Any,
}
