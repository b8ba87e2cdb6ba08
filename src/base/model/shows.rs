//! Visibility: the messages that a participant sees, and how it may think and speak, in a phase or always.
//!
//! Plain data; `state` and `prompt` apply it.

use super::ids::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Visibility and style of a phase.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shows {
    /// Visible messages, if the phase decides.
    pub sees: Option<Sees>,
    /// Participants whose messages are visible, if `sees` lists them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Text>,
    /// True if a seat whose last answer is the majority's keeps it without a call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps: bool,
    /// Replacement of names by labels.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub anonymous: Anonymous,
    /// True if its speakers may think privately before they speak.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub thinks: bool,
    /// Target length in words (min, max).
    pub words: Option<(u32, u32)>,
    /// Condition that ends the phase after a round.
    pub until: Option<Text>,
    /// Task of its speakers, as a template.
    pub task: Option<Text>,
    /// Maximum number of shown messages of others, the least similar ones; `None` shows all.
    pub diverse: Option<u32>,
}

/// Messages that a participant sees besides the operator's and, except for `question` and `last_round`, its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sees {
    /// All messages.
    All,
    /// None, not even its own: only the question.
    Question,
    /// Only its own messages.
    Own,
    /// Everybody's last message, including its own.
    LastRound,
    /// The last messages of all others.
    OthersLast,
    /// The first messages of all others.
    Opening,
    /// The messages of the two adjacent participants.
    Neighbours,
    /// The messages of the listed participants.
    Listed,
    /// The last answers of all others, without the text around them.
    Answers,
    /// A summary of everything so far.
    Summary,
}

/// Position of the conversation in a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// After the persona; the participant's own messages have the role assistant.
    #[default]
    Own,
    /// Before the persona, as one text that is the same for all who may see it, so that a server can reuse its prompt
    /// cache.
    Shared,
    /// Everything in one user message without tags, for models of few parameters.
    Small,
}

/// Amount of debating advice in prompts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Debate {
    /// Advice that makes a debate worth reading.
    #[default]
    Guided,
    /// No advice on debating, for other kinds of talks.
    Plain,
    /// The task and the form of the reply alone.
    Work,
}

/// Templates of prompts without a frame.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptTemplates {
    /// The system message; `None` for the persona.
    pub system: Option<Text>,
    /// The first request of a seat; `None` for the task of the phase.
    pub first: Option<Text>,
    /// A request that shows messages of others, or follows an own one; `None` for the task of the phase.
    pub next: Option<Text>,
}

/// Corrections that the engine makes to the replies of models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Guards {
    /// Echoes are asked for again, repetitions and text in the names of others are cut.
    #[default]
    On,
    /// Replies stay as they are: for research, where a correction is a treatment that only some protocols get.
    Off,
}

/// A text that is shown after one of its keys was used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lore {
    /// Words or phrases, ignoring case.
    pub keys: Vec<Text>,
    /// Text for the prompt.
    pub text: Text,
    /// Participants who see it; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub who: Vec<Text>,
    /// Number of recent messages that are searched for the keys.
    #[serde(default = "recent", skip_serializing_if = "is_recent")]
    pub last: u32,
}

impl Lore {
    /// Default of `last`.
    pub const LAST: u32 = 4;
}

fn recent() -> u32 {
    Lore::LAST
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_recent(last: &u32) -> bool {
    *last == recent()
}

/// Names under which a participant sees the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Anonymous {
    /// Real names.
    #[default]
    Off,
    /// Labels that stay the same for the whole conversation.
    Stable,
    /// Labels that change every round.
    PerRound,
    /// Labels that differ for every viewer.
    PerViewer,
}
