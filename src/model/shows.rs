//! What a seat sees of the others, and how it may think and speak: in a phase, or always.
//!
//! Plain data; what it means for a prompt is read in `state` and `prompt`.

use super::ids::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a phase shows its speakers to one another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shows {
    /// Whose words are seen, where the phase says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sees: Option<Sees>,
    /// Whether, and how, names are replaced by labels.
    #[serde(default, skip_serializing_if = "is_off")]
    pub anonymous: Anonymous,
    /// True if its speakers may think before they speak; nobody else at the table sees it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub thinks: bool,
    /// From how many words to how many a contribution should have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<(u32, u32)>,
    /// A condition that ends the phase after a round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Text>,
    /// The task of its speakers, as a template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Text>,
    /// The most messages of others that are shown: those that are least alike; none shows all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diverse: Option<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_off(anonymous: &Anonymous) -> bool {
    *anonymous == Anonymous::Off
}

/// Whose words a seat sees besides the operator's and, but for `question` and `last_round`, its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sees {
    /// Everybody's words.
    All,
    /// Nobody's, not even its own: the question alone.
    Question,
    /// Only its own words.
    Own,
    /// Everybody's last words, its own among them.
    LastRound,
    /// The last words of everybody else.
    OthersLast,
    /// The first words of everybody else.
    Opening,
    /// The words of the two seats next to it.
    Neighbours,
    /// The last answers of everybody else, without the words around them.
    Answers,
    /// A summary of everything so far.
    Summary,
}

/// The place of the conversation in a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// After the persona; the seat's own words are the model's own messages.
    #[default]
    Own,
    /// Before the persona, as one text that is the same for all who may see it, so that a server that caches prompts
    /// reads nothing twice.
    Shared,
}

/// How much advice the prompts give on debating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Debate {
    /// Advice that makes a debate worth reading.
    #[default]
    Guided,
    /// Nothing: for research, where every added sentence is a treatment.
    Plain,
}

/// A text that is shown where one of its keys was just used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lore {
    /// The words or phrases; small and capital letters are the same.
    pub keys: Vec<Text>,
    /// The text, as prompts show it.
    pub text: Text,
    /// The participants who are shown it; empty is everybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub who: Vec<Text>,
    /// How many of the last messages are searched for the keys.
    #[serde(default = "recent", skip_serializing_if = "is_recent")]
    pub last: u32,
}

impl Lore {
    /// How many of the last messages are searched by default.
    pub const LAST: u32 = 4;
}

fn recent() -> u32 {
    Lore::LAST
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
fn is_recent(last: &u32) -> bool {
    *last == recent()
}

/// Under which names a seat sees the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Anonymous {
    /// Names are shown as they are.
    #[default]
    Off,
    /// Labels that stay the same for the whole conversation.
    Stable,
    /// Labels that are dealt again each round.
    PerRound,
    /// Labels that differ for every viewer.
    PerViewer,
}
