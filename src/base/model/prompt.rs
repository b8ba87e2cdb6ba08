//! The prompt as data: attributed blocks, rebuilt for every call and never stored.

use super::ids::{SeatId, Text};
use super::tool::ToolRound;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All parts of the prompt of one call.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prompt {
    /// Persona, participants and rules; in the shared layout only the common part.
    pub system: Text,
    /// Persona and own rules after the conversation, in the shared layout.
    pub aside: Option<Text>,
    /// Task of a step of a plan.
    pub brief: Option<Text>,
    /// Sections in place of the conversation, in order, each in its tag.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Text>,
    /// The conversation so far, as this participant may see it.
    pub blocks: Vec<Block>,
    /// Messages after the system message, in place of everything else, in a prompt without a frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bare: Vec<BareMessage>,
    /// Known facts about the person, if the participant keeps them.
    pub known: Option<KnownBlock>,
    /// Active notes of the operator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Text>,
    /// Texts of the scenario whose keys were just used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lore: Vec<Text>,
    /// Task of the turn, unless it is simply to speak.
    pub task: Option<Text>,
    /// Cue: the facts of this turn, and whose turn it is; the last text that a model reads. `None` for other voices.
    pub cue: Option<Text>,
    /// Its last reply in this turn, which was rejected.
    pub rejected: Option<Rejected>,
    /// Its tool requests in this turn, with their results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolRound>,
    /// Its tool calls in earlier turns, with shortened results.
    pub tools_used: Option<Text>,
    /// End of its private thinking before its last turn, if it was invited to think.
    pub own_notes: Option<Text>,
    /// The list of tools for a model that cannot call them; empty once it may ask for no more.
    pub text_tools: Option<Text>,
    /// True for a small model: everything is one user message without tags.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_message: bool,
    /// Number of blocks omitted because of the context window.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub left_out: u32,
    /// Number of blocks that lost their middle because of the context window.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub shortened: u32,
    /// True if the omitted blocks precede the first kept block; false if they follow it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub starts_later: bool,
}

/// A message of a prompt without a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BareMessage {
    /// True for a message of the participant itself.
    pub own: bool,
    /// The text of the message.
    pub text: Text,
}

/// Known facts about a person, and their position in the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownBlock {
    /// Facts, stage and ranking.
    pub text: Text,
    /// Number of blocks after it.
    pub behind: usize,
}

/// A reply without the required form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rejected {
    /// Text of the reply, as far as it was shown.
    pub said: Text,
    /// The fault.
    pub why: Text,
    /// The question about it, asked in place of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Text>,
    /// True if it only repeated earlier text; it is not shown again then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub echo: bool,
}

crate::words! {
    /// Chat role of a message.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Role {
        /// Rules for the model.
        System = "system",
        /// Text of everybody else.
        User = "user",
        /// The model's own text.
        Assistant = "assistant",
    }
    /// Returns the name of the role in requests.
    fn as_str()
}

/// A message of a chat, for any wire format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Chat role of the author.
    pub role: Role,
    /// Text, escaped so that nobody's text can imitate another's.
    pub text: String,
    /// Bytes at the end of the text that no later prompt repeats, so that a server need not cache them.
    pub fresh: usize,
}

impl Message {
    /// Returns a message that later prompts repeat whole.
    pub fn new(role: Role, text: impl Into<String>) -> Message {
        Message { role, text: text.into(), fresh: 0 }
    }
}

/// One message of the conversation.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// The participant's own message.
    Own {
        /// The text of the message.
        text: Text,
        /// True if it was cut or broken off.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cut: bool,
    },
    /// A message of another participant.
    Other {
        /// Id of the author.
        who: SeatId,
        /// Name or label of the author, as this participant sees it.
        name: Text,
        /// Number of the turn, for judges and scribes, who refer to it.
        number: Option<u32>,
        /// Phase of the message, for judges.
        phase: Option<BlockPhase>,
        /// The text of the message.
        text: Text,
        /// True if it was cut or broken off.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        cut: bool,
        /// True if only this participant may see it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        whisper: bool,
    },
    /// A summary in place of all messages before it.
    Summary {
        /// The text of the summary.
        text: Text,
    },
    /// A message of the operator.
    Operator {
        /// Number among the public messages of the operator, where turns are numbered too.
        number: Option<u32>,
        /// The text of the message.
        text: Text,
        /// True if only this participant received it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        whisper: bool,
        /// Name of the file that the text is; `None` for other messages.
        material: Option<Text>,
    },
}

/// Phase of a message, as a judge sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockPhase {
    /// Name of the phase.
    pub name: Text,
    /// True if its speakers did not hear each other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simultaneous: bool,
}

impl Block {
    /// Returns true if the block is a file under review.
    pub fn is_material(&self) -> bool {
        matches!(self, Block::Operator { material: Some(_), .. })
    }

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
