//! Agents at the table: programs that speak the Agent Client Protocol, what they did in a turn, what they ask leave for.
//!
//! An agent works while its call runs. The log records what it does by itself (`agent.tool`, `agent.plan`); what needs
//! permission is asked and answered in the log (`permission.asked`, `permission.answered`), and the call continues.

use super::ids::{CallId, Seq, Text, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A program that takes a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AgentSpec {
    /// The program and its arguments.
    pub command: Vec<Text>,
    /// The folder that it works in, relative to the scenario's; a fresh one that is removed at the end, if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<Text>,
}

impl AgentSpec {
    /// Returns what the operator agrees to: the command, and where it works.
    pub fn agreed(&self) -> Vec<Text> {
        let place = match &self.folder {
            None => "(an agent, in a folder of its own)".to_owned(),
            Some(folder) => format!("(an agent, in {folder})"),
        };
        self.command.iter().cloned().chain([place.into()]).collect()
    }
}

/// The sorts of tools of agents, as in the protocol.
pub const AGENT_TOOLS: [&str; 10] = [
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
];

/// Returns the name under which the operator allows an agent something: its seat and the sort of tool.
pub fn permission(seat: &str, sort: &str) -> Text {
    format!("{seat}/{sort}").into()
}

/// `agent.tool`: an agent has used a tool of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentTool {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// The call (the `seq` of its `call.started`).
    pub call: CallId,
    /// Description of the use, in the agent's words.
    pub title: Text,
    /// Kind of tool: read, edit, delete, move, search, execute, think, fetch, switch_mode or other.
    pub sort: Text,
    /// Status: completed or failed; pending or in_progress if the turn ended first.
    pub status: Text,
    /// Arguments as JSON; absent if the agent did not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Text>,
    /// Result as text; absent if the agent did not report one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Text>,
}

/// `agent.plan`: the plan of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentPlan {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// The call (the `seq` of its `call.started`).
    pub call: CallId,
    /// All steps, in order; they replace the turn's earlier plan.
    pub steps: Vec<PlanStep>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanStep {
    /// Description of the step.
    pub text: Text,
    /// Status: pending, in_progress or completed.
    pub status: Text,
}

/// `permission.asked`: an agent asks for permission to use a tool; its call waits for the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionAsked {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// The waiting call (the `seq` of its `call.started`).
    pub call: CallId,
    /// Number of the request within the call, from 1.
    pub request: u32,
    /// Name for the command `decide`, as in `ada/edit`.
    pub tool: Text,
    /// Description of the use, in the agent's words.
    pub title: Text,
    /// Arguments as JSON; absent if the agent did not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Text>,
}

/// `permission.answered`: the answer to an agent's request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionAnswered {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// The `seq` of the `permission.asked`.
    pub asked: Seq,
    /// Name for the command `decide`.
    pub tool: Text,
    /// True if the use is allowed.
    pub yes: bool,
    /// The reason for a refusal, unless the operator refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Text>,
}

/// A permission request of a running call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The `seq` of its `permission.asked`.
    pub asked: Seq,
    /// Number of the request within the call, from 1.
    pub request: u32,
    /// Name for the command `decide`.
    pub tool: Text,
    /// Description of the use, in the agent's words.
    pub title: Text,
    /// Arguments as JSON; absent if the agent did not report them.
    pub input: Option<Text>,
    /// True if the use is allowed; `None` while the question is open.
    pub answer: Option<bool>,
}
