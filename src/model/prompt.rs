//! What a participant is shown, as data: attributed blocks, rebuilt for every call and never stored.

use super::ids::{SeatId, Text};
use super::tool::ToolRound;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All that one call is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prompt {
    /// The persona, the table, the rules; in the shared layout only what everybody is told.
    pub system: Text,
    /// The persona and its own rules, where they come after the conversation (the shared layout).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<Text>,
    /// The task of a step of a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<Text>,
    /// What stands for the talk where that is not shown as it was said: whole parts in their order, each in its tag.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Text>,
    /// The conversation so far, as this seat may see it.
    pub blocks: Vec<Block>,
    /// What is known of the person, where the seat keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownBlock>,
    /// The operator's guidance that lives for this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Text>,
    /// Texts of the scenario whose keys were just used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lore: Vec<Text>,
    /// The task of the turn, where that is not simply to speak in free words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Text>,
    /// What is true of this turn alone, and whose turn it is: the last words that a model reads. None for other voices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cue: Option<Text>,
    /// Its last reply in this turn, which could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<Rejected>,
    /// What it asked of its tools in this turn, and what came back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolRound>,
    /// Its tool calls in earlier turns, with shortened results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_used: Option<Text>,
    /// The list of tools for a model that cannot call them; empty once it may ask for no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_tools: Option<Text>,
    /// How many blocks the window had no room for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
    /// Whether they came before the first block that stays, and not after it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub starts_later: bool,
}

/// What is known of a person, and its place in the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownBlock {
    /// The facts, the stage, the ranking, as they stand.
    pub text: Text,
    /// How many blocks come after it.
    pub behind: usize,
}

/// A reply that did not have the form it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rejected {
    /// What it said, as far as it was shown.
    pub said: Text,
    /// What was wrong with it.
    pub why: Text,
    /// True if it said only what was said already: it is then not shown again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub echo: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
pub(super) fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Whose message it is, in the eyes of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Rules for the model.
    System,
    /// Everybody else's words.
    User,
    /// The model's own words.
    Assistant,
}

/// A prompt's part in the form that every chat model takes; wire formats only spell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The author, as chat formats name it.
    pub role: Role,
    /// The text, escaped so that nobody's words can pass for another's.
    pub text: String,
    /// Bytes at the end of the text that no later prompt repeats: what a server need not remember.
    pub fresh: usize,
}

impl Message {
    /// Returns a message that later prompts repeat whole.
    pub fn new(role: Role, text: impl Into<String>) -> Message {
        Message { role, text: text.into(), fresh: 0 }
    }
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// The seat's own words.
    Own {
        /// The text of the message.
        text: Text,
        /// True if it was broken off or cut.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cut: bool,
    },
    /// A peer's words.
    Other {
        /// The id of the peer.
        who: SeatId,
        /// The peer's name or label, as this seat sees it.
        name: Text,
        /// The text of the message.
        text: Text,
        /// True if it was broken off or cut.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cut: bool,
        /// True if only this seat may see it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        whisper: bool,
    },
    /// A summary in place of everything before it.
    Summary {
        /// The text of the summary.
        text: Text,
    },
    /// The operator's words.
    Operator {
        /// The text of the message.
        text: Text,
        /// True if only this seat heard it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        whisper: bool,
    },
}

impl Block {
    /// Returns the text of the block.
    pub fn text(&self) -> &Text {
        match self {
            Block::Own { text, .. }
            | Block::Other { text, .. }
            | Block::Summary { text }
            | Block::Operator { text, .. } => text,
        }
    }
}
