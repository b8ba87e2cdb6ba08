//! What makes a seat speak besides its place in the order: dependencies where the policy is `depends`, and requests.
//!
//! Plain data; the policy evaluates the conditions.

use super::ids::{SeatId, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What makes a seat run, where the policy is `depends`, and whom it may wake itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Runs {
    /// The seats whose words it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<After>,
    /// How many of them it needs.
    #[serde(default)]
    pub needs: Needs,
    /// True if it may run first, before its dependencies are met; a seat without dependencies always may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<bool>,
    /// The name under which its data are kept in the context, besides its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_key: Option<Text>,
    /// Whom the `requests` in its replies may wake; none is everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_request: Option<Vec<SeatId>>,
}

/// One dependency of a seat on another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct After {
    /// The participant whose turns meet it.
    pub participant: SeatId,
    /// A condition over the state; none is always true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Text>,
    /// How many times this dependency may make the seat run.
    pub max: u32,
}

/// How many dependencies must be met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// All dependencies must be met.
    #[default]
    All,
    /// One met dependency is enough.
    Any,
}
