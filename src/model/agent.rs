//! Agents at the table: programs that speak the Agent Client Protocol, what they did in a turn, what they ask leave for.
//!
//! An agent works while its call runs. The log records what it does by itself (`agent.tool`, `agent.plan`); what needs
//! permission is asked and answered in the log (`permission.asked`, `permission.answered`), and the call continues.

use super::ids::{CallId, Seq, Text, TurnId};
use serde::{Deserialize, Serialize};

/// A program that takes a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentTool {
    /// The turn in which the agent used it.
    pub turn: TurnId,
    /// The `seq` of the `call.started` of that turn's call.
    pub call: CallId,
    /// What the tool did, as the agent titled it.
    pub title: Text,
    /// The sort of tool: one of [`AGENT_TOOLS`].
    pub sort: Text,
    /// How it ended, in the words of the protocol: `completed`, `failed`; `pending` or `in_progress` where the turn
    /// ended first.
    pub status: Text,
    /// Its arguments as JSON; none if the agent did not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Text>,
    /// Its result as text; none if the agent did not report one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Text>,
}

/// `agent.plan`: what an agent means to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentPlan {
    /// The turn in which the agent made the plan.
    pub turn: TurnId,
    /// The `seq` of the `call.started` of that turn's call.
    pub call: CallId,
    /// The whole plan as of this event, in order; it replaces the turn's earlier plan.
    pub steps: Vec<PlanStep>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// What the agent plans to do.
    pub text: Text,
    /// How far it is: `pending`, `in_progress` or `completed`.
    pub status: Text,
}

/// `permission.asked`: an agent asks leave for a use of a tool; its call waits for the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionAsked {
    /// The turn whose call asks.
    pub turn: TurnId,
    /// The `seq` of the `call.started` of the waiting call.
    pub call: CallId,
    /// The number of the request within the call, from 1.
    pub request: u32,
    /// The name under which it is allowed, as in `ada/edit`.
    pub tool: Text,
    /// What the agent asks to do, as it titled it.
    pub title: Text,
    /// Its arguments as JSON; none if the agent did not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Text>,
}

/// `permission.answered`: the answer that the agent receives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionAnswered {
    /// The turn whose call asked.
    pub turn: TurnId,
    /// The `seq` of the `permission.asked`.
    pub asked: Seq,
    /// The name under which it is allowed.
    pub tool: Text,
    /// Whether the use is allowed.
    pub yes: bool,
    /// The reason for a refusal; none where the reason is plain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Text>,
}

/// A request for leave of a call that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The `seq` of its `permission.asked`.
    pub asked: Seq,
    /// The number of the request within the call, from 1.
    pub request: u32,
    /// The name under which it is allowed.
    pub tool: Text,
    /// What the agent asks to do, as it titled it.
    pub title: Text,
    /// Its arguments as JSON; none if the agent did not report them.
    pub input: Option<Text>,
    /// Whether the use is allowed; none while the question is open.
    pub answer: Option<bool>,
}
