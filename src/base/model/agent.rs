//! Agents: programs that speak the Agent Client Protocol, their actions in a turn, and their permission requests.
//!
//! An agent works during its call. The log records its own actions (`agent.tool`, `agent.plan`); permissions are
//! requested and answered in the log (`permission.asked`, `permission.answered`), and the call continues.

use super::ids::{CallId, Seq, Text, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A program with a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AgentSpec {
    /// The program and its arguments.
    pub command: Vec<Text>,
    /// Working folder, relative to the scenario's folder; `None` for a new one that is removed at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<Text>,
}

impl AgentSpec {
    /// Returns the text that the operator agrees to: the command and its folder.
    pub fn agreed(&self) -> Vec<Text> {
        let place = match &self.folder {
            None => "(an agent, in a folder of its own)".to_owned(),
            Some(folder) => format!("(an agent, in {folder})"),
        };
        self.command.iter().cloned().chain([place.into()]).collect()
    }
}

/// Session of an agent, and the part of the conversation that the session contains. A later process of the same agent
/// can continue it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentContext {
    /// Id of the session, as the agent named it.
    pub session: Text,
    /// Number of messages in the session.
    pub told: u32,
    /// Digest of these messages.
    pub messages: Text,
    /// Digest of the rules in its prompts.
    pub rules: Text,
    /// Digest of its last reply, as received; empty if there was none.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub reply: Text,
}

/// Prefix of a model name that selects an installed agent, as in `agent:opencode`.
pub const AGENT_PREFIX: &str = "agent:";

/// Kinds of agent tools, as in the protocol.
pub const AGENT_TOOLS: [&str; 10] = crate::strings![
    "read" "edit" "delete" "move" "search" "execute" "think" "fetch" "switch_mode" "other"
];

/// Kind of the permission to start the program of a seat, beside those of [`AGENT_TOOLS`].
pub const START: &str = "start";

/// Returns the name of a permission: the participant and the kind of tool.
pub fn permission(seat: &str, sort: &str) -> Text {
    format!("{seat}/{sort}").into()
}

/// `agent.tool`: an agent has used a tool of its own.
#[serde_with::skip_serializing_none]
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
    pub input: Option<Text>,
    /// Result as text; absent if the agent did not report one.
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
    /// Number of the request within the call, from 1; 0 asks to start the program of the seat.
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
